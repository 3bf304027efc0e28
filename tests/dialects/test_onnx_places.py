"""Findings name the place in an .onnx file: the way to it in the protocol buffer, and its bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from libraries import Late, needs

import irops
from irops.diagnostics.reporters import render_sarif

pytestmark = needs("onnx")
onnx = Late("onnx")
FLOAT, BOOL = 1, 9


def stored(folder: Path, nodes: list[Any], **more: Any) -> Path:
    helper = onnx.helper
    x, y = (helper.make_tensor_value_info(name, FLOAT, [2, 3]) for name in "xy")
    condition = helper.make_tensor_value_info("c", BOOL, [])
    graph = helper.make_graph(nodes, "g", [x, condition], [y], **more)
    path = folder / "model.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString()
    )
    return path


def record(data: bytes, kind: str) -> Any:
    """The message in the bytes of a record: a tag and a size of one or two bytes before the content."""
    begin = 2 if data[1] < 128 else 3
    return getattr(onnx, kind).FromString(data[begin:])


@pytest.fixture
def wrong() -> Any:
    return onnx.helper.make_node("Transpose", ["x"], ["y"], perm=[0, 7], doc_string="d", name="turn")


def test_an_attribute_has_its_own_bytes(tmp_path: Path, wrong: Any) -> None:
    path = stored(tmp_path, [onnx.helper.make_node("Relu", ["x"], ["z"]), wrong])
    found = irops.check(path).errors[0].location
    assert found.element == 'graph.node[1].attribute["perm"]'
    assert found.bytes is not None
    start, end = found.bytes
    assert record(path.read_bytes()[start:end], "AttributeProto") == wrong.attribute[0]


def test_a_file_that_changed_gives_the_bytes_of_the_node(tmp_path: Path, wrong: Any) -> None:
    path = stored(tmp_path, [wrong])
    data = path.read_bytes()
    model = irops.read(path)
    path.write_bytes(b"something else")
    start, end = irops.infer(model).errors[0].location.bytes or (0, 0)
    assert record(data[start:end], "NodeProto") == wrong


def test_places_lead_into_bodies(tmp_path: Path) -> None:
    helper = onnx.helper
    node = helper.make_node("Identity", ["nothing"], ["b"], name="within")
    out = helper.make_tensor_value_info("b", FLOAT, [2, 3])
    good = helper.make_graph([helper.make_node("Relu", ["x"], ["b"])], "good", [], [out])
    bad = helper.make_graph([helper.make_node("Relu", ["x"], ["a"]), node, node], "bad", [], [out])
    choose = helper.make_node("If", ["c"], ["y"], then_branch=good, else_branch=bad)
    path = stored(tmp_path, [helper.make_node("Relu", ["x"], ["x2"]), choose])
    found = next(d.location for d in irops.check(path).errors if d.name == "duplicate-tensor")
    assert found.element == 'graph.node[1].attribute["else_branch"].g.node[2]'
    assert found.bytes is not None
    start, end = found.bytes
    assert record(path.read_bytes()[start:end], "NodeProto") == node


@pytest.mark.parametrize("field", ["input", "output", "initializer"])
def test_what_is_no_node_has_a_place_too(tmp_path: Path, field: str) -> None:
    relu = onnx.helper.make_node("Relu", ["x"], ["y"])
    held = onnx.TensorProto(
        data_type=FLOAT, dims=[5 if field == "initializer" else 1], raw_data=b"1234", name="w"
    )
    path = stored(tmp_path, [relu], initializer=[held])
    proto = onnx.load(str(path))
    if field != "initializer":
        getattr(proto.graph, field)[0].type.tensor_type.elem_type = 99
        path.write_bytes(proto.SerializeToString())
    found = irops.check(path).errors[0].location
    assert found.element == f"graph.{field}[0]"
    assert found.bytes is not None
    kind = "TensorProto" if field == "initializer" else "ValueInfoProto"
    assert record(path.read_bytes()[slice(*found.bytes)], kind) == getattr(proto.graph, field)[0]


def test_reports_have_the_place(tmp_path: Path, wrong: Any) -> None:
    report = irops.check(stored(tmp_path, [wrong]))
    start, end = report.errors[0].location.bytes or (0, 0)
    place = json.loads(render_sarif([report]))["runs"][0]["results"][0]["locations"][0]
    assert place["physicalLocation"]["region"] == {"byteOffset": start, "byteLength": end - start}
    names = [one["fullyQualifiedName"] for one in place["logicalLocations"]]
    assert names == ["turn", 'graph.node[0].attribute["perm"]']


def test_a_graph_in_two_pieces_has_no_places(tmp_path: Path, wrong: Any) -> None:
    path = stored(tmp_path, [wrong])
    piece = onnx.ModelProto()
    piece.graph.doc_string = "the second piece"
    path.write_bytes(path.read_bytes() + piece.SerializeToString())
    assert irops.check(path).errors[0].location.element is None
