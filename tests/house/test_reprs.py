"""The repr of every object that users meet is one bounded line."""

from pathlib import Path

import pytest

import irops
from irops.analysis.invocation import Invocation
from irops.analysis.model_analysis import analyse
from irops.dialects import dialect_named
from irops.editing.dialects import DialectGraph as NewGraph
from irops.ir.model import Edge, Layer, LayerGraph, Model, Port

ROOT = Path(__file__).resolve().parents[2]
LONG = "a\nb" * 5000
EXAMPLE = "examples/turned_rows/model.xml"
OPS = len(irops.Registry(plugins=False).ids())


def model(layers: int = 5000, name: str = "net") -> Model:
    inputs, outputs = [Port(0, dims=(1,) * 10)], [Port(1, dims=(1,) * 10)]
    chain = [Layer(k, f"{name}{k}", "Relu", "opset1", {}, inputs, outputs) for k in range(layers)]
    return Model(name, graph=LayerGraph(chain, [Edge(k, 1, k + 1, 0) for k in range(layers - 1)]))


def wire(name: str):
    return NewGraph(name, dialect_named("onnx")).input(name, "f32", "?,3")


def diagnostic(message: str = "the axis is 3") -> irops.Diagnostic:
    with pytest.raises(irops.DiagnosticError) as caught:
        irops.infer(irops.read(EXAMPLE), {message: "1"})
    return caught.value.diagnostics[0]


EXPECTED = {
    "model": (model, "<Model 'net': 5000 layers, openvino>"),
    "a model of one layer": (lambda: model(1), "<Model 'net': 1 layer, openvino>"),
    "graph": (lambda: model().graph, "<Graph: 5000 layers, 4999 edges>"),
    "layer": (lambda: model().layer(7), '<layer 7 "net7" (Relu)>'),
    "report": (lambda: irops.check(EXAMPLE), f"<Report of {EXAMPLE}: 0 errors, 0 warnings>"),
    "report of a model": (irops.Report, "<Report of <model>: 0 errors, 0 warnings>"),
    "registry": (irops.Registry, f"<Registry: {OPS} ops of OpenVINO>"),
    "registry with a folder": (
        lambda: irops.Registry(folders=["examples/my_reverse"]),
        f"<Registry: {OPS} ops of OpenVINO, 1 folder of definitions>",
    ),
    "definition": (lambda: irops.definition("Concat-1"), "<Definition Concat-1>"),
    "op": (lambda: irops.Registry().op("Concat-1"), "<Op Concat-1>"),
    "invocation": (
        lambda: Invocation(irops.Registry().op("Concat-1"), {"axis": "1"}),
        "<Invocation Concat-1(axis=1)>",
    ),
    "fact": (lambda: irops.infer(EXAMPLE)[0, 0], "<Fact f32[?,8,5]>"),
    "graph under construction": (
        lambda: NewGraph("net", dialect_named("onnx")),
        "<Graph 'net': 0 nodes, 0 results>",
    ),
    "wire": (lambda: wire("x"), "<Value 'x': f32[?,3]>"),
}


@pytest.mark.parametrize("what", EXPECTED)
def test_the_repr_names_what_matters(what, monkeypatch):
    monkeypatch.chdir(ROOT)
    make, expected = EXPECTED[what]
    assert repr(make()) == expected


LARGE = {
    "model": lambda: model(3, LONG),
    "layer": lambda: model(3, LONG).layer(0),
    "diagnostic": lambda: diagnostic(LONG),
    "report": lambda: irops.Report(path=LONG),
    "wire": lambda: wire(LONG),
    "graph under construction": lambda: NewGraph(LONG, dialect_named("onnx")),
    "analysis": lambda: analyse(model(3, LONG)),
    "session": lambda: irops.Session(model(3, LONG)),
    "signature": lambda: analyse(model(3, LONG)).signature,
    "invocation": lambda: Invocation(
        irops.Registry().op("Const-1"),
        {"element_type": "f32", "shape": ",".join("1" * 900), "offset": "0", "size": "4"},
    ),
    "inferred": lambda: irops.infer(model()),
    "limits": irops.Limits,
}


@pytest.mark.parametrize("what", LARGE)
def test_the_repr_is_one_line_of_bounded_length(what, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = repr(LARGE[what]())
    assert "\n" not in text
    assert len(text) <= 400


def test_a_session_names_its_model_and_backends():
    session = irops.Session(irops.read(ROOT / EXAMPLE), backends="reference")
    assert repr(session).startswith("<Session of <Model '")
    assert repr(session).endswith("layers, openvino> on reference>")
