"""What a file says is what the model holds; the grammar and the legacy of version 10."""

import gc
import os
from functools import cache
from pathlib import Path

import pytest
from lxml import etree
from tables import table

from irops.diagnostics.diagnostic import ReadError
from irops.files.limits import Limits
from irops.ir.attributes import names_of
from irops.ir.model import COMMENT, BackEdge, Edge, Element, Port
from irops.ir.read import load, loads, read

FILES = Path(__file__).parent / "files"
NESTING = int(Limits().depth)


@pytest.mark.parametrize("name", ["plain", "bodies", "old"])
def test_a_sound_file_has_no_findings(name):
    assert load(FILES / f"{name}.xml")[1] == ()


def test_layers_ports_and_edges_are_read():
    model = read(FILES / "plain.xml")
    assert (model.name, model.version) == ("plain", 11)
    types = [(layer.id, layer.name, layer.type) for layer in model.layers]
    assert types == [(0, "x", "Parameter"), (1, "w", "Const"), (2, "sum", "Add"), (3, "y", "Result")]
    assert model.layer("x").data == {"shape": "?,3", "element_type": "f32"}
    assert model.layer("x").outputs == [Port(0, "FP32", (-1, 3), ("x", "a,b"))]
    assert [port.id for port in model.layer("sum").inputs] == [0, 1]
    assert model.layer("y").output_names == ("y",)
    assert model.layer("x").output_names is None
    assert model.edges == [Edge(0, 0, 2, 0), Edge(1, 0, 2, 1), Edge(2, 2, 3, 0)]


def test_runtime_information_is_kept_as_it_is():
    model = read(FILES / "plain.xml")
    info, inner = Element("info", {"name": "a key", "value": "1"}), Element("inner", {"value": 'a < b & "c"'})
    assert model.rt_info == Element("rt_info", {}, [info, Element("nested", {}, [inner])])
    fused = model.layer("sum").rt_info
    assert fused.children[0].attributes == {"name": "fused_names", "version": "0", "value": "sum"}


def test_bodies_are_read_with_the_maps_that_tie_them():
    model = read(FILES / "bodies.xml")
    body = model.layer("steps").bodies["body"]
    inputs = [(m.external_port_id, m.internal_layer_id, m.axis, m.start, m.end) for m in body.inputs]
    assert inputs == [(0, 0, 0, 0, -1), (1, 1, None, 0, -1)]
    assert (body.outputs[0].axis, body.outputs[0].stride, body.outputs[0].part_size) == (0, 1, 1)
    assert body.back_edges == [BackEdge(5, 1)]
    loop = model.layer("counted").bodies["body"]
    purposes = [m.purpose for m in (*loop.inputs, *loop.outputs)]
    assert purposes == [None, "current_iteration", None, "execution_condition"]
    assert loop.inputs[1].external_port_id == -1
    assert list(model.layer("choice").bodies) == ["then_body", "else_body"]
    paths = {layer.name: path for path, layer in model.walk()}
    assert (paths["half"], paths["else_k"], paths["y"]) == (("steps", "body"), ("choice", "else_body"), ())


def test_a_file_of_version_10_keeps_its_legacy():
    model = read(FILES / "old.xml")
    assert model.version == 10
    tags = [element.tag for element in model.legacy]
    assert tags == ["pre-process", "meta_data", "quantization_parameters"]
    assert model.legacy[2].children[0].text == '{"a": 1}'
    assert model.layer("y").inputs[0].precision is None


def test_comments_are_kept_where_they_stand():
    model = read(FILES / "old.xml")
    assert model.comments == (" IR 10, as a model optimizer of 2021 wrote it, and an edit by hand ",)
    assert model.layer("x").comments == (" the image ",)
    assert model.graph.comments == (" no more ", " straight through ")


def test_a_comment_within_a_dim_does_not_part_it():
    assert read(FILES / "old.xml").layer("x").outputs[0].dims == (1, 1, 1, 2)


@pytest.mark.parametrize(
    ("text", "names"), table(__file__, "tensor_names_are_parted_at_commas_that_are_not_escaped")
)
def test_tensor_names_are_parted_at_commas_that_are_not_escaped(text, names):
    assert names_of(text) == tuple(names)


def test_what_is_not_understood_is_kept():
    model, found = loads(
        b"""<net version="11" colour="red"><frob a="1"><layer><dim>1</dim></layer></frob>
      <layers><layer id="0" name="x" type="Parameter" version="opset1" size="big"><hint/><!-- note -->
        <input><extra/></input><output><port id="0" precision="FP32" hue="blue"><dim>2</dim>
        <mark/></port></output></layer></layers>
      <edges><edge from-layer="0" from-port="0" to-layer="0" to-port="0" e="5"/></edges></net>"""
    )
    unknown = ["stray-attribute", "unknown-element"]
    assert [d.name for d in found] == [*unknown, *unknown, "unknown-element", *unknown, "stray-attribute"]
    layer = model.layers[0]
    assert model.extra == {"colour": "red"}
    assert model.unknown == [Element("frob", {"a": "1"}, [Element("layer", {}, [Element("dim", text="1")])])]
    assert layer.extra == {"size": "big"}
    assert layer.unknown == (Element("hint"), Element(COMMENT, text=" note "), Element("extra"))
    assert layer.outputs[0].extra == {"hue": "blue"}
    assert layer.outputs[0].unknown == (Element("mark"),)
    assert layer.outputs[0].dims == (2,)
    assert model.edges[0].extra == {"e": "5"}


def test_dims_within_unknown_elements_are_kept_as_elements():
    model, _ = loads(
        b'<net version="11"><layers/><odd><port id="0"><dim>1</dim><dim>2</dim></port></odd></net>'
    )
    port = model.unknown[0].children[0]
    assert [child.text for child in port.children] == ["1", "2"]
    assert port.text == ""


def test_each_thing_knows_the_byte_where_it_starts():
    model = read(FILES / "bodies.xml")
    data = model.source.data
    for _, layer in model.walk():
        assert data[layer.at :].startswith(f'<layer id="{layer.id}" name="{layer.name}"'.encode())
        assert layer.data_at < 0 or data[layer.data_at :].startswith(b"<data ")
        for port in (*layer.inputs, *layer.outputs):
            assert data[port.at :].startswith(f'<port id="{port.id}"'.encode())
        for body in layer.bodies.values():
            assert data[body.at :].startswith(f"<{body.name}>".encode())
            for mapping in (*body.inputs, *body.outputs):
                assert data[mapping.at :].startswith((b"<input ", b"<output "))


def test_sections_may_come_in_any_order():
    text = (FILES / "plain.xml").read_text()
    places = (text.index("\t<layers>"), text.index("\t<edges>"), text.index("\t<rt_info>\n\t\t<info"))
    layers, edges = text[places[0] : places[1]], text[places[1] : places[2]]
    assert loads(text.replace(layers + edges, edges + layers).encode())[0] == loads(text.encode())[0]


def test_collection_of_garbage_goes_on_after_reading():
    read(FILES / "plain.xml")
    assert gc.isenabled()
    with pytest.raises(ReadError):
        loads(b"<net")
    assert gc.isenabled()


def test_reading_leaves_no_file_open(tmp_path):
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    models = [read(FILES / "plain.xml") for _ in range(20)]
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    assert (len(models), after) == (20, before)


def _nested(levels):
    inner = b"<a>" * levels + b"</a>" * levels
    return b'<net version="11"><layers/><rt_info>' + inner + b"</rt_info></net>"


def test_elements_may_lie_deep_within_each_other():
    model, found = loads(_nested(NESTING - 3))
    assert found == ()
    assert model == loads(_nested(NESTING - 3))[0]


@pytest.mark.parametrize("levels", [NESTING, 100_000])
def test_elements_that_lie_too_deep_are_refused(levels):
    with pytest.raises(ReadError) as error:
        loads(_nested(levels))
    assert error.value.diagnostics[0].name == "nesting-too-deep"


def test_bodies_within_bodies_are_read_as_deep_as_elements_may_lie():
    levels = NESTING // 3 - 2
    opening = b'<layers><layer id="0" name="f" type="If" version="opset8"><then_body>'
    closing = b"</then_body></layer></layers>"
    model, found = loads(
        b'<net version="11">' + opening * levels + b"<layers/>" + closing * levels + b"</net>"
    )
    assert found == ()
    assert max(len(path) for path, _ in model.walk()) == 2 * (levels - 1)
    assert model == model.with_graph(model.graph)


def test_a_model_is_read_although_harmless_parts_are_faulty(tmp_path):
    path = tmp_path / "m.xml"
    path.write_bytes(b'<net version="11"><layers/><surprise/></net>')
    assert read(path).unknown == [Element("surprise")]


def test_a_model_is_not_read_where_something_was_guessed(tmp_path):
    layer = '<layer name="x" type="T" version="opset1"/>'
    (tmp_path / "m.xml").write_text(f'<net version="11"><surprise/><layers>{layer}</layers></net>')
    with pytest.raises(ReadError) as error:
        read(tmp_path / "m.xml")
    assert [d.name for d in error.value.diagnostics] == ["unknown-element", "incomplete-element"]


PLAIN = (FILES / "plain.xml").read_text()


@cache
def grammar():
    return etree.RelaxNG(etree.parse(Path(__file__).parents[2] / "schemas" / "ir.rng"))


@pytest.mark.parametrize("name", ["plain", "bodies"])
def test_a_sound_file_fits_the_grammar(name):
    assert grammar().validate(etree.parse(FILES / f"{name}.xml")), grammar().error_log


@pytest.mark.parametrize(("old", "new"), table(__file__, "the_grammar_and_the_reader_agree"))
def test_the_grammar_and_the_reader_agree(old, new):
    text = PLAIN.replace(old, new, 1).encode()
    _, found = loads(text)
    assert grammar().validate(etree.fromstring(text)) == (found == ())


NET = (
    '<net version="10"><layers><layer id="0" name="x" type="{kind}" version="opset1"/></layers>'
    "<pre-process{head}>{channels}</pre-process></net>"
)


def findings(channels="", head="", kind="Parameter", weights=bytes(8)):
    text = NET.format(kind=kind, head=head, channels=channels)
    _, found = loads(text.encode(), weights)
    places = [d.location.column for d in found if d.name == "mean-outside-weights"]
    assert places in ([], [text.index("<pre") + 1])
    return [d.name for d in found]


@pytest.mark.parametrize(("kind", "head", "names"), table(__file__, "the_layer_that_is_meant_is_a_parameter"))
def test_the_layer_that_is_meant_is_a_parameter(kind, head, names):
    assert findings(head=head, kind=kind) == names


def test_a_layer_that_is_not_there_is_found_at_the_attribute():
    text = NET.format(kind="Add", head=' reference-layer-name="x"', channels="")
    _, (found,) = loads(text.encode())
    assert found.location.column == text.index("reference-layer-name") + 1
    assert found.notes == ("OpenVINO refuses the file",)


@pytest.mark.parametrize(("mean", "inside"), table(__file__, "a_mean_image_lies_within_the_weights"))
def test_a_mean_image_lies_within_the_weights(mean, inside):
    assert findings(f'<channel id="0">{mean}</channel>') == ([] if inside else ["mean-outside-weights"])


def test_the_first_mean_image_that_is_outside_is_found_wherever_it_is():
    good, bad = '<mean offset="0" size="8"/>', '<mean offset="0" size="9"/>'
    for channels in (f"{good}{bad}{bad}</channel><channel>{bad}", f"{good}</channel><channel>{bad}"):
        assert findings(f"<channel>{channels}</channel>") == ["mean-outside-weights"]


def test_other_legacy_sections_have_no_mean_images():
    text = NET.format(kind="Parameter", head=' reference-layer-name="y"', channels="")
    assert loads(text.replace("pre-process", "meta_data").encode())[1] == ()
