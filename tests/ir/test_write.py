"""What is written is what the model holds, in OpenVINO's own layout; all of it, or nothing."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tables import table

from irops.diagnostics.diagnostic import DiagnosticError
from irops.ir.attributes import names_of
from irops.ir.model import BackEdge, Body, Edge, Element, Layer, LayerGraph, Model, Port, PortMapping
from irops.ir.read import load, loads, read
from irops.ir.weights import Weights, constant
from irops.ir.write import document, escaped, mapping_attributes, names_text, write

FILES = Path(__file__).parent / "files"


def in_one_form(model):
    """The model without the offsets of its constants, and their bytes."""
    values = []
    for _, layer in model.walk():
        if layer.type == "Const":
            values.append(constant(model, layer).tobytes())
            layer.data = {name: text for name, text in layer.data.items() if name not in ("offset", "size")}
    return model, values


def written(model, folder):
    write(model, folder / "copy.xml")
    copy, found = load(folder / "copy.xml")
    assert found == ()
    return copy


@pytest.mark.parametrize("name", ["plain", "bodies", "runtime_attributes"])
def test_what_openvino_wrote_is_written_byte_for_byte(name, tmp_path):
    write(read(FILES / f"{name}.xml"), tmp_path / "copy.xml")
    for ending in ("xml", "bin"):
        assert (tmp_path / f"copy.{ending}").read_bytes() == (FILES / f"{name}.{ending}").read_bytes()


def test_a_model_of_version_10_is_the_same_after_writing(tmp_path):
    model = read(FILES / "old.xml")
    copy = written(model, tmp_path)
    mean = copy.legacy[0].children[0].children[0]
    assert mean.attributes == {"offset": "0", "size": "8"}
    assert bytes(copy.weights.view(0, 8)) == np.float32([2, 3]).tobytes()
    mean.attributes["offset"] = "8"
    assert copy == model


NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1, max_size=6
)
TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
        st.sampled_from("\n\t\r&<>\"'"),
    ),
    max_size=8,
)
TENSOR_NAMES = NAMES.filter(lambda name: not name.endswith("\\"))


@pytest.mark.slow("many random cases")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=TEXTS,
    data=st.dictionaries(st.sampled_from(["axis", "mode", "x.y"]), TEXTS),
    names=st.lists(TENSOR_NAMES, max_size=3).map(tuple),
)
def test_any_texts_survive(name, data, names, tmp_path):
    port = Port(3, "F8E4M3", (-1, 2**62), names, extra={"hue": name})
    info = Element("rt_info", {"a": name})
    layer = Layer(5, name, "Frob", "mine", data, outputs=[port], output_names=names, rt_info=info)
    of_model = Element("rt_info", {}, [Element("info", {"value": name})])
    model = Model(name, 11, LayerGraph([layer]), rt_info=of_model)
    write(model, tmp_path / "m.xml")
    assert load(tmp_path / "m.xml")[0] == model


def constant_of_two(number, offset):
    data = {"element_type": "u8", "shape": "2", "offset": str(offset), "size": "2"}
    return Layer(number, f"c{number}", "Const", "opset1", data, outputs=[Port(0, "U8", (2,))])


def test_a_model_made_in_memory_is_written(tmp_path):
    mapping = PortMapping(0, 0, axis=1)
    layers = [Layer(0, "p", "Parameter", "opset1"), Layer(1, "r", "Result", "opset1")]
    inner = LayerGraph(layers, [Edge(0, 0, 1, 0)])
    condition = PortMapping(-1, 1, purpose="execution_condition")
    body = Body("body", inner, [mapping], [condition], [BackEdge(1, 0)])
    loop = Layer(1, "l", "Loop", "opset5", inputs=[Port(0)], bodies={"body": body})
    graph = LayerGraph([constant_of_two(0, 1), loop], [Edge(0, 0, 1, 0)])
    copy = written(Model("made", 11, graph, weights=Weights.of_bytes(b"abc")), tmp_path)
    assert constant(copy, copy.layer("c0")).tolist() == [98, 99]
    found = copy.layer("l").bodies["body"]
    ports = ("external_port_id", "internal_layer_id")
    assert found.inputs[0].written == ("axis", *ports, "start", "end", "stride", "part_size")
    assert replace(found.inputs[0], written=()) == mapping
    assert found.outputs[0].written == (*ports, "purpose")
    assert (found.back_edges, found.graph) == (body.back_edges, inner)


def test_equal_constants_share_their_bytes_and_others_are_left_out(tmp_path):
    graph = LayerGraph([constant_of_two(k, offset) for k, offset in enumerate((6, 0, 2, 6))])
    copy = written(Model(graph=graph, weights=Weights.of_bytes(b"ababxxcd")), tmp_path)
    assert (tmp_path / "copy.bin").read_bytes() == b"cdab"
    assert [layer.data["offset"] for layer in copy.layers] == ["0", "2", "2", "0"]


def test_an_empty_constant_gets_the_byte_that_openvino_wants(tmp_path):
    data = {"element_type": "f32", "shape": "0", "offset": "0", "size": "0"}
    copy = written(Model(graph=LayerGraph([Layer(0, "c", "Const", "opset1", data)])), tmp_path)
    assert copy.layers[0].data == data | {"size": "1"}
    assert (tmp_path / "copy.bin").read_bytes() == b"\0"


def test_a_model_is_saved_over_its_own_file(tmp_path):
    for ending in ("xml", "bin"):
        (tmp_path / f"m.{ending}").write_bytes((FILES / f"bodies.{ending}").read_bytes())
    model = read(tmp_path / "m.xml")
    model.graph.layers.reverse()
    write(model, tmp_path / "m.xml")
    copy = read(tmp_path / "m.xml")
    assert [str(layer) for layer in copy.layers] == [str(layer) for layer in model.layers]
    assert in_one_form(copy) == in_one_form(model)
    assert sorted(os.listdir(tmp_path)) == ["m.bin", "m.xml"]


@pytest.mark.parametrize(
    "fault",
    [
        Layer(0, "bad \0 name", "T", "opset1"),
        Layer(0, "x", "T", "opset1", {"1st": "a"}),
        Layer(0, "x", "T", "opset1", rt_info=Element("not a name")),
        Layer(0, "x", "T", "opset1", comments=("a -- b",)),
    ],
)
def test_what_xml_cannot_hold_is_refused_and_nothing_is_written(fault, tmp_path):
    (tmp_path / "m.xml").write_text("as it was")
    with pytest.raises(ValueError, match=r"cannot be|does not allow"):
        write(Model(graph=LayerGraph([fault])), tmp_path / "m.xml")
    assert os.listdir(tmp_path) == ["m.xml"]
    assert (tmp_path / "m.xml").read_text() == "as it was"


def test_a_constant_whose_bytes_are_missing_is_refused_and_nothing_is_written(tmp_path):
    model = read(FILES / "plain.xml", tmp_path / "none.bin")
    with pytest.raises(DiagnosticError) as error:
        write(model, tmp_path / "m.xml")
    assert error.value.diagnostics[0].name == "missing-weights"
    assert os.listdir(tmp_path) == []


def test_a_model_is_not_written_into_its_weights(tmp_path):
    with pytest.raises(ValueError, match=r"must end with \.xml"):
        write(read(FILES / "plain.xml"), tmp_path / "m.bin")


def test_a_link_goes_on_to_lead_to_the_file(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.xml").symlink_to(tmp_path / "real" / "m.xml")
    write(read(FILES / "plain.xml"), tmp_path / "link.xml")
    assert (tmp_path / "link.xml").is_symlink()
    assert sorted(os.listdir(tmp_path / "real")) == ["m.bin", "m.xml"]


def text_of(model):
    return "".join(document(model, lambda layer: layer.data))


def test_a_model_without_anything_has_both_sections():
    assert text_of(Model("m")) == (
        '<?xml version="1.0"?>\n<net name="m" version="11">\n\t<layers />\n\t<edges />\n</net>\n'
    )


def test_all_of_a_model_is_written_in_the_layout_of_openvino():
    """Also what is not understood, and maps in the order of the file."""
    text = (FILES / "everything.xml").read_text()
    model, found = loads(text.encode())
    assert {finding.name for finding in found} == {"stray-attribute", "unknown-element"}
    assert text_of(model) == text


def test_a_graph_of_comments_only_has_an_open_section_of_edges():
    text = text_of(Model("m", graph=LayerGraph(comments=(" c ",))))
    assert "\t<edges>\n\t\t<!-- c -->\n\t</edges>\n" in text


@pytest.mark.parametrize(
    ("mapping", "names"),
    [
        (PortMapping(0, 0), "external_port_id internal_layer_id"),
        (PortMapping(0, 0, start=0, end=-1), "external_port_id internal_layer_id"),
        (PortMapping(0, 0, end=-2), "external_port_id internal_layer_id end"),
        (PortMapping(0, 0, axis=0), "axis external_port_id internal_layer_id start end stride part_size"),
        (PortMapping(0, 0, axis=0, written=("axis",)), "axis external_port_id internal_layer_id"),
        (
            PortMapping(0, 0, axis=1, stride=-1, written=("start",)),
            "axis external_port_id internal_layer_id start stride",
        ),
        (PortMapping(-1, 0, purpose="execution_condition"), "external_port_id internal_layer_id purpose"),
        (PortMapping(0, 0, extra={"hue": "red"}), "external_port_id internal_layer_id hue"),
    ],
)
def test_a_mapping_is_written_as_far_as_it_differs_from_the_default(mapping, names):
    assert list(mapping_attributes(mapping)) == names.split()


@pytest.mark.parametrize(("text", "written"), table(__file__, "special_characters_are_escaped"))
def test_special_characters_are_escaped(text, written):
    assert escaped(text) == written


@pytest.mark.parametrize(
    "character", ["\x00", "\x08", "\x0b", "\x0c", "\x0e", "\x1f", "\ud800", "\ufffe", "\uffff"]
)
def test_characters_that_xml_does_not_have_are_refused(character):
    with pytest.raises(ValueError, match="a character that XML does not allow"):
        escaped(f"a{character}b")


@pytest.mark.parametrize("comment", ["a -- b", "a-", "--", "\x00"])
def test_what_cannot_be_a_comment_is_refused(comment):
    with pytest.raises(ValueError, match="cannot be a comment"):
        text_of(Model(comments=(comment,)))


@pytest.mark.parametrize("comment", ["a - b", "-a", "", "<a>&"])
def test_a_comment_is_written_as_it_is(comment):
    assert f"<!--{comment}-->" in text_of(Model(comments=(comment,)))


@pytest.mark.parametrize("name", ["a", "_a", ":a", "é", "a-b.c1", "x\u00b7"])
def test_a_name_of_xml_is_written(name):
    assert f" {name}=" in text_of(Model(extra={name: "1"}))


@pytest.mark.parametrize("name", ["", "1a", "-a", ".a", "a b", "a<", "a\n", "\u00d7"])
def test_what_is_no_name_of_xml_is_refused(name):
    with pytest.raises(ValueError, match="cannot be the name"):
        text_of(Model(extra={name: "1"}))


@pytest.mark.parametrize("names", [("a",), ("a", "b"), ("a,b", "c"), (",", ",,"), ("a b",)])
def test_names_of_tensors_are_read_as_they_are_written(names):
    assert names_of(names_text(names)) == names
