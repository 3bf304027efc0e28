"""Findings with exactly one solution are fixed: only what was reported, at exact offsets, once."""

import os
import random
import re
from pathlib import Path

import pytest
from tables import table

import irops
from irops.analysis.checks.declared import ChangedMeanwhile, fixed_text, store

EXAMPLES = [
    path
    for path in sorted((Path(__file__).parents[2] / "examples").glob("*/model.xml"))
    if path.parent.name != "broken"
]
NET = Path(__file__).with_name("sound.xml").read_text()


def fixed(text):
    return fixed_text(text.encode(), lambda content: irops.check("m.xml", text=content))


def changed(old, new, text=NET):
    assert text.count(old) >= 1
    return text.replace(old, new, 1)


def test_a_sound_text_stays():
    found = fixed(NET)
    assert found.report.diagnostics == found.report.fixed == ()
    assert found.after == found.before


COLUMNS = "          <dim>3</dim>\n"
CLAMP = 'type="Clamp" version="opset1"'
INPUT = "<dim>2</dim><dim>3</dim></port>\n      </input>"


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("<dim>2</dim>   <!-- rows -->", "<dim>7</dim>   <!-- rows -->", ["IR405"]),
        ("<dim>3</dim>\n        </port>", "<dim> 4 </dim>\n        </port>", ["IR405"]),
        (INPUT, INPUT.replace("2", "5").replace("3", "6"), ["IR405"]),
        (INPUT, INPUT.replace("<dim>3</dim>", ""), ["IR405"]),
        (INPUT, INPUT.replace("<dim>3</dim>", "<dim>3</dim><dim>4</dim>"), ["IR405"]),
        ("precision='FP32'", "precision='I64'", ["IR406"]),
        ('precision="FP32"', 'precision="FP16"', ["IR406"]),
        (CLAMP, 'type="clamp" version="opset1"', ["IR305"]),
        (CLAMP, 'type="Clamp" version="OPSET1"', ["IR303"]),
        (CLAMP, 'type="Clamp" version="opset01"', ["IR303"]),
        (CLAMP, 'type="Clamp" version="opset99"', ["IR303"]),
        ('type="Result" version="opset1"', 'type="result" version="opset1"', None),
        (COLUMNS, COLUMNS + COLUMNS.replace("3", "4") + COLUMNS.replace("3", "5"), None),
    ],
)
def test_the_text_is_as_it_was_before_the_fault(old, new, codes):
    found = fixed(changed(old, new))
    assert found.after.decode() == NET
    assert found.report.diagnostics == ()
    if codes is not None:
        assert [d.code for d in found.report.fixed] == codes


def test_dims_are_added_as_the_others_are_written():
    found = fixed(changed(COLUMNS, "").replace("   <!-- rows -->", ""))
    assert found.after.decode() == NET.replace("   <!-- rows -->", "")


def test_a_port_of_a_scalar_has_no_dims():
    text = NET.replace('shape="2,3"', 'shape=""').replace("<dim>2</dim><dim>3</dim>", "")
    found = fixed(text.replace("<dim>2</dim>   <!-- rows -->\n          <dim>3</dim>\n", "<dim>1</dim>\n"))
    assert found.report.diagnostics == ()
    assert b"<dim>" not in found.after


def test_sizes_that_are_not_known_are_written_so():
    found = fixed(NET.replace('shape="2,3"', 'shape="?,3"').replace("<dim>3</dim>", "<dim>4</dim>"))
    assert found.after.decode() == NET.replace('shape="2,3"', 'shape="?,3"')


YOLO = NET.replace('type="Clamp"', 'type="RegionYolo"').replace('min="-1" max="1"', 'do_softmax="false"')
"""OpenVINO reads a RegionYolo without do_softmax as one without a softmax, unlike the specification."""


def with_defaults(text):
    """The text with the defaults written out that differ between specification and reader."""

    def check(content):
        return irops.check("m.xml", text=content).narrowed(["IR313"])

    return fixed_text(text.encode(), check).after.decode()


@pytest.mark.parametrize("attribute", [' other="1"', " other='1'"])
def test_a_default_is_written_out_behind_the_other_attributes(attribute):
    found = with_defaults(YOLO.replace(' do_softmax="false"', attribute))
    assert found == YOLO.replace(' do_softmax="false"', f'{attribute} do_softmax="false"')


@pytest.mark.parametrize("element", ["<data/>", "<data></data>", "<data />"])
def test_attributes_of_an_empty_data_are_written_out(element):
    found = with_defaults(YOLO.replace('<data do_softmax="false"/>', element))
    written = element.replace("<data", '<data do_softmax="false"', 1)
    assert found == YOLO.replace('<data do_softmax="false"/>', written)


def test_a_data_is_made_where_there_is_none():
    assert with_defaults(YOLO.replace('      <data do_softmax="false"/>\n', "")) == YOLO


def test_a_data_is_made_in_a_layer_that_is_one_tag():
    layer = '<layer id="7" name="p" type="RegionYolo" version="opset1"/>'
    text = with_defaults(changed("</layers>", f"  {layer}\n  </layers>"))
    assert f'{layer[:-2]}><data do_softmax="false"/></layer>' in text


RT_INFO = """<rt_info>
        <attribute name="fused_names" version="0" value="a"/>
      </rt_info>
      <input>"""


@pytest.mark.parametrize(("more", "code"), table(__file__, "runtime_information_that_says_nothing_goes"))
def test_runtime_information_that_says_nothing_goes(more, code):
    text = changed("<input>", RT_INFO)
    found = fixed(text.replace('value="a"/>', f'value="a"/>{more}'))
    assert found.after.decode() == text
    assert [d.code for d in found.report.fixed] == [code]


def test_two_that_differ_are_for_a_person_to_choose_from():
    other = '<attribute name="fused_names" version="0" value="b"/>'
    found = fixed(changed("<input>", RT_INFO.replace('value="a"/>', f'value="a"/>{other}')))
    assert found.after == found.before
    assert [d.code for d in found.report] == ["IR115"]


@pytest.mark.parametrize("new", ['type="Gelu" version="opset1"', 'type="Clamp" version="mine"'])
def test_an_op_of_several_versions_is_for_a_person_to_choose(new):
    assert fixed(changed(CLAMP, new)).report.fixed == ()


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_texts_in_other_encodings_are_left_alone(encoding):
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    text = changed("<dim>2</dim>", "<dim>7</dim>").replace('<?xml version="1.0"?>', head)
    found = fixed_text(text.encode(encoding), lambda content: irops.check("m.xml", text=content))
    assert found.report.fixed == ()
    assert [d.code for d in found.report] == ["IR405"]


def test_characters_of_several_bytes_move_no_place():
    text = "\ufeff" + NET.replace("kept", "k\u00e9\U0001f600pt").replace('name="w"', 'name="\u4e2d"')
    assert fixed(changed("precision='FP32'", "precision='I64'", text)).after.decode() == text


def test_dims_that_hold_more_than_a_number_are_for_a_person():
    found = fixed(changed("<dim>2</dim>   <!-- rows -->", "<dim>7<!-- rows --></dim>"))
    assert found.after == found.before
    assert [d.code for d in found.report] == ["IR405"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_declarations_that_were_spoiled_come_back_byte_for_byte(path):
    text = path.read_bytes()
    registry = irops.Registry([path.parent])

    def check(content):
        return irops.check(path, text=content, registry=registry).narrowed(["IR405", "IR406"])

    chance = random.Random(7)
    for _ in range(5):
        spoiled = re.sub(
            rb"(?<=<dim>)[0-9]+(?=</dim>)",
            lambda m: b"%d" % (int(m[0]) + 1) if chance.random() < 0.2 else m[0],
            text,
        )
        spoiled = re.sub(
            rb'precision="FP32"', lambda m: b'precision="U8"' if chance.random() < 0.2 else m[0], spoiled
        )
        found = fixed_text(spoiled, check)
        again = fixed_text(found.after, check)
        assert (again.after, again.report.fixed) == (found.after, ())
        static = b"<dim>-1</dim>" not in text
        assert not static or found.after == text


@pytest.fixture
def faulty(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(changed("<dim>2</dim>", "<dim>7</dim>"))
    return path


def test_a_file_that_changes_meanwhile_is_left_alone(faulty):
    found = fixed_text(faulty.read_bytes(), lambda content: irops.check(faulty, text=content))
    faulty.write_text("other")
    with pytest.raises(ChangedMeanwhile, match="was changed while it was checked; nothing was written"):
        store(str(faulty), found)
    assert faulty.read_text() == "other"
    assert os.listdir(faulty.parent) == ["m.xml"]


@pytest.mark.parametrize(
    ("old", "new"), table(__file__, "the_reading_of_a_lost_attribute_is_not_written_out")
)
def test_the_reading_of_a_lost_attribute_is_not_written_out(old, new):
    found = fixed(changed(old, new))
    assert found.after == found.before
    assert not found.report.ok or found.report.warnings


@pytest.mark.parametrize(
    ("old", "new"), table(__file__, "a_declaration_that_may_be_right_is_not_adapted_to_an_op_that_is_wrong")
)
def test_a_declaration_that_may_be_right_is_not_adapted_to_an_op_that_is_wrong(old, new):
    found = fixed(changed(old, new))
    assert {d.code for d in found.report.errors} & {"IR405", "IR406"}
