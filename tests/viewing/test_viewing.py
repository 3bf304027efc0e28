"""What Model Explorer gets of a model: graphs of nodes and edges, and data on nodes."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from drawn_models import detector, loop

import irops
from irops.analysis.checks.run import check
from irops.analysis.model_analysis import analyse
from irops.viewing.graphs import MAX_TEXT, graphs
from irops.viewing.overlays import NodeDataError, findings_overlay, node_data
from irops.viewing.server import ServerError, serve

NET = '<net name="m" version="11"><layers>{}</layers><edges>{}</edges></net>'
PARAMETER = (
    '<layer id="{}" name="{}" type="Parameter" version="opset1"><data element_type="f32" shape="2,3"/>'
    '<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>'
)


def values(entries: list[dict[str, Any]]) -> dict[str, str]:
    return {entry["key"]: entry["value"] for entry in entries}


def node(graph: dict[str, Any], name: str) -> dict[str, Any]:
    return next(node for node in graph["nodes"] if node["id"] == name)


def test_the_parts_of_a_name_are_groups() -> None:
    (graph,) = graphs(analyse(detector().model()))
    assert graph["id"] == "detector"
    assert (node(graph, "head0/8/transpose")["namespace"], node(graph, "stem")["namespace"]) == (
        "head0/8",
        "",
    )
    assert node(graph, "stem")["label"] == "Convolution"
    assert node(graph, "image")["label"] == "image (Parameter)"
    assert len({n["id"] for n in graph["nodes"]}) == len(graph["nodes"]) == 46


def test_edges_lead_from_outputs_to_inputs_with_types_and_shapes() -> None:
    (graph,) = graphs(analyse(detector().model()))
    count = node(graph, "count")
    assert count["incomingEdges"] == [
        {"sourceNodeId": "nms", "sourceNodeOutputId": "2", "targetNodeInputId": "0"}
    ]
    nms = node(graph, "nms")
    assert [values(output["attrs"])["tensor_shape"] for output in nms["outputsMetadata"]] == [
        "i64[..300,3]",
        "f32[..300,3]",
        "i64[1]",
    ]
    assert [values(source["attrs"])["__tensor_tag"] for source in nms["inputsMetadata"]][:2] == [
        "boxes",
        "scores",
    ]
    threshold = nms["incomingEdges"][3]["sourceNodeId"]
    assert values(node(graph, threshold)["outputsMetadata"][0]["attrs"])["value"] == "0.5"
    ids = {n["id"]: n for n in graph["nodes"]}
    for edge in (edge for n in graph["nodes"] for edge in n["incomingEdges"]):
        assert int(edge["sourceNodeOutputId"]) < len(ids[edge["sourceNodeId"]]["outputsMetadata"])


def test_a_node_shows_its_op_its_attributes_and_its_place(tmp_path: Path) -> None:
    irops.write(detector().model(), tmp_path / "m.xml")
    (graph,) = graphs(analyse(irops.read(tmp_path / "m.xml")))
    shown = values(node(graph, "nms")["attrs"])
    assert shown["op"] == "NonMaxSuppression-9"
    assert shown["attribute box_encoding"] == "center"
    assert shown["location"].startswith(f"{tmp_path}/m.xml:")
    assert shown["definition"] == irops.definition("NonMaxSuppression-9").summary


def test_a_body_is_a_graph_to_which_its_layer_leads() -> None:
    outer, body = graphs(analyse(loop().model()))
    assert node(outer, "loop")["subgraphIds"] == [body["id"]] == ["running_total/loop/body"]
    assert {n["id"] for n in body["nodes"]} >= {"row", "total", "next"}
    assert values(node(body, "row")["outputsMetadata"][0]["attrs"])["tensor_shape"] == "f32[1,4]"


def test_bodies_of_bodies_are_graphs() -> None:
    inner = irops.Graph("inner")
    inner.result(inner.parameter("a", "f32[1,2]") * 2, "b")
    middle = irops.Graph("middle")
    row = middle.parameter("row", "f32[1,2]")
    inputs = {"a": middle.sliced(row, axis=0)}
    middle.result(*middle.TensorIterator(inner, inputs, ["b"], name="deep"), "b")
    g = irops.Graph("m")
    rows = g.sliced(g.parameter("x", "f32[4,2]"), axis=0)
    g.result(*g.TensorIterator(middle, {"row": rows}, ["b"]), "y")
    assert [graph["id"] for graph in graphs(analyse(g.model()))][2].endswith("/body/deep/body")


def model(tmp_path: Path, layers: str, edges: str = "") -> irops.ModelAnalysis:
    (tmp_path / "m.xml").write_text(NET.format(layers, edges))
    return analyse(irops.read(tmp_path / "m.xml"))


def test_equal_names_and_control_characters_are_kept_apart(tmp_path: Path) -> None:
    names = ("twin", "twin", "a&#10;b", "/lead//double/x", "")
    analysis = model(tmp_path, "".join(PARAMETER.format(k, name) for k, name in enumerate(names)))
    (graph,) = graphs(analysis)
    assert [n["id"] for n in graph["nodes"]] == ["twin (0)", "twin (1)", r"a\nb", "/lead//double/x", " (4)"]
    assert graph["nodes"][3]["namespace"] == "lead/double"


def test_a_layer_of_an_unknown_op_and_a_cycle_are_shown(tmp_path: Path) -> None:
    port = '<port id="{}" precision="FP32"><dim>2</dim></port>'
    layer = (
        '<layer id="{}" name="{}" type="{}" version="opset1"><input>'
        + port.format(0)
        + "</input><output>"
        + port.format(1)
        + "</output></layer>"
    )
    analysis = model(
        tmp_path,
        layer.format(0, "a", "ReLU") + layer.format(1, "b", "Frob"),
        '<edge from-layer="0" from-port="1" to-layer="1" to-port="0"/>'
        '<edge from-layer="1" from-port="1" to-layer="0" to-port="0"/>',
    )
    report = check(analysis)
    (graph,) = graphs(analysis, report)
    assert [n["incomingEdges"][0]["sourceNodeId"] for n in graph["nodes"]] == ["b", "a"]
    assert values(graph["nodes"][1]["attrs"])["op"] == "Frob opset1"
    overlay = findings_overlay(analysis, report)["m"]["results"]
    assert overlay["b"]["value"].startswith("error IR301")


def test_long_attributes_are_cut(tmp_path: Path) -> None:
    layer = PARAMETER.format(0, "x").replace("<data", f'<data frob="{"9" * 1000}"')
    (graph,) = graphs(model(tmp_path, layer))
    assert len(values(graph["nodes"][0]["attrs"])["attribute frob"]) == MAX_TEXT + 1


def test_findings_are_on_their_nodes_in_the_colour_of_the_worst(tmp_path: Path) -> None:
    irops.write(detector().model(), tmp_path / "m.xml")
    text = (tmp_path / "m.xml").read_text()
    (tmp_path / "m.xml").write_text(text.replace('strides="2,2"', 'strides="0,2" frob="1"', 1))
    analysis = analyse(irops.read(tmp_path / "m.xml"))
    report = check(analysis)
    (graph,) = graphs(analysis, report)
    shown = values(node(graph, "stem")["attrs"])
    assert shown["finding 1"].startswith("error IR315 strides is 0,2, must be")
    overlay = findings_overlay(analysis, report)
    assert list(overlay) == ["detector"]
    assert overlay["detector"]["results"]["stem"]["value"].startswith("error IR315 attribute-out-of-domain")
    assert overlay["detector"]["results"]["stem"]["bgColor"] == "#f2b8b5"
    clean = analyse(detector().model())
    assert findings_overlay(clean, check(clean)) == {}


def test_node_data_is_by_names_of_layers() -> None:
    analysis = analyse(loop().model())
    data = node_data(analysis, json.dumps({"loop": 1.5, "loop/body/next": 3}))
    assert {graph: entry["results"] for graph, entry in data.items()} == {
        "running_total": {"loop": {"value": 1.5}},
        "running_total/loop/body": {"next": {"value": 3}},
    }
    assert [stop["stop"] for stop in data["running_total"]["gradient"]] == [0, 1]
    assert "gradient" not in node_data(analysis, '{"loop": "slow"}')["running_total"]


def test_node_data_in_the_format_of_model_explorer_is_passed_on() -> None:
    analysis = analyse(loop().model())
    results = {"results": {"loop": {"value": 1}}}
    assert node_data(analysis, json.dumps(results)) == {"running_total": results}
    assert node_data(analysis, json.dumps({"other": results})) == {"other": results}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not JSON: "),
        ("[" * 100_000, "it is not JSON: "),
        ("[1]", "it has no object of values by names of layers"),
        ("{}", "it has no object of values by names of layers"),
        ('{"lop": 1}', "the model has no layer 'lop'; did you mean 'loop'?"),
        ('{"loop": [1]}', "the value of 'loop' must be a number or a text"),
        ('{"loop": true}', "the value of 'loop' must be a number or a text"),
    ],
)
def test_node_data_that_is_none_is_refused(text: str, message: str) -> None:
    with pytest.raises(NodeDataError) as error:
        node_data(analyse(loop().model()), text)
    assert str(error.value).startswith(message)


class Config:
    """The configuration of Model Explorer, as far as irops uses it."""

    def __init__(self) -> None:
        self.graphs_list: list[str] = []
        self.model_sources: list[dict[str, str]] = []
        self.node_data: dict[str, str] = {}

    def add_node_data(self, name: str, data: str) -> None:
        self.node_data[name] = data


class ModelExplorer:
    """In place of the module model_explorer."""

    config = Config

    def __init__(self) -> None:
        self.shown: list[tuple[Config, dict[str, Any]]] = []

    def visualize_from_config(self, config: Config, **options: Any) -> None:
        self.shown.append((config, options))


@pytest.fixture
def explorer(monkeypatch: pytest.MonkeyPatch) -> ModelExplorer:
    stub = ModelExplorer()
    monkeypatch.setitem(sys.modules, "model_explorer", stub)
    monkeypatch.setattr("irops.viewing.server.missing_libraries", lambda *_: None)
    return stub


def test_the_server_gets_graphs_and_overlays(explorer: ModelExplorer) -> None:
    serve("m.xml", [{"id": "g"}], {"times": {"g": {}}}, port=8080, open_page=False)
    ((config, options),) = explorer.shown
    assert [json.loads(text) for text in config.graphs_list] == [{"graphs": [{"id": "g"}]}]
    assert config.model_sources == [{"url": "graphs://m.xml/0"}]
    assert config.node_data == {"times": '{"g": {}}'}
    assert options == {
        "host": "localhost",
        "port": 8080,
        "extensions": ["irops.viewing"],
        "no_open_in_browser": True,
    }


def test_a_port_in_use_is_refused(explorer: ModelExplorer) -> None:
    with socket.create_server(("localhost", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port} is in use"):
            serve("m.xml", [], {}, port=port, open_page=False)
    assert explorer.shown == []


def test_the_extension_gives_the_graphs_of_a_file(tmp_path: Path) -> None:
    pytest.importorskip("model_explorer")
    from model_explorer.extension_manager import ExtensionManager

    irops.write(loop().model(), tmp_path / "m.xml")
    manager = ExtensionManager(["irops.viewing"])
    manager.load_extensions()
    assert "irops" in [metadata["id"] for metadata in manager.get_extensions_metadata()]
    command = {
        "cmdId": "convert",
        "extensionId": "irops",
        "modelPath": str(tmp_path / "m.xml"),
        "settings": {},
    }
    answer = manager.run_cmd(command)
    assert [graph["id"] for graph in answer["graphs"]] == ["running_total", "running_total/loop/body"]
    assert node(answer["graphs"][0], "loop")["incomingEdges"][0]["sourceNodeId"] == "rows"
