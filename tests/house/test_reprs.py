"""The repr of every object that users meet is one bounded line; notebooks show tables of a model, a graph,
inferred Facts, a report and a definition.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from drawn_models import chain, detector
from lxml import html

import irops
from irops.analysis.invocation import Invocation
from irops.analysis.model_analysis import analyse
from irops.diagnostics.html_table import MAX_CELL, MAX_ROWS, html_table
from irops.editing.graiphic import Graph as NewGraph
from irops.ir.model import Edge, Layer, LayerGraph, Model, Port
from irops.surveys.survey import Row, SurveyTable

ROOT = Path(__file__).resolve().parents[2]
LONG = "a\nb" * 5000
EXAMPLE = "examples/turned_rows/model.xml"
OPS = len(irops.Registry(plugins=False).ids())


def model(layers: int = 5000, name: str = "net") -> Model:
    inputs, outputs = [Port(0, dims=(1,) * 10)], [Port(1, dims=(1,) * 10)]
    chain = [Layer(k, f"{name}{k}", "Relu", "opset1", {}, inputs, outputs) for k in range(layers)]
    return Model(name, graph=LayerGraph(chain, [Edge(k, 1, k + 1, 0) for k in range(layers - 1)]))


def wire(name: str):
    return NewGraph(name).input(name, "f32", "?,3")


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
    "rule": (lambda: irops.rules()[0], "<Rule IR001 file-not-found (error)>"),
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
    "graph under construction": (lambda: NewGraph("net"), "<Graph 'net': 0 nodes, 0 results>"),
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
    "graph under construction": lambda: NewGraph(LONG),
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


def cells(shown) -> list[list[str]]:
    page = html.fromstring(f"<div>{shown._repr_html_()}</div>")
    return [[cell.text_content() for cell in row.iter("td", "th")] for row in page.iter("tr")]


def caption(shown) -> str:
    return html.fromstring(f"<div>{shown._repr_html_()}</div>").find(".//caption").text_content()


def test_a_model_shows_its_inputs_its_results_and_its_layers():
    model = detector().model()
    rows = cells(model)
    assert ["input", "image", "FP32 [1,3,64,64]"] in rows
    assert ["layers", "Convolution", "7"] in rows
    assert [row[0] for row in rows].count("result") == 3
    assert caption(model).startswith("Model 'detector'")


def test_a_graph_shows_its_nodes_in_topological_order():
    rows = cells(detector())
    assert rows[0] == ["node", "op", "inputs", "outputs"]
    assert rows.index(["stem/relu", "ReLU", "stem", "f32[1,16,32,32]"]) > [row[0] for row in rows].index(
        "stem"
    )


def test_inferred_facts_show_types_and_shapes():
    facts = irops.infer(detector().model())
    assert ["stem", "Convolution-1", "f32[1,16,32,32]"] in cells(facts)


def test_a_report_shows_its_findings():
    report = irops.check(ROOT / "irops/diagnostics/rules/IR221.xml")
    assert any(row[1] == "IR221" for row in cells(report)[1:])
    assert len(cells(report)) == len(report) + 1


def test_a_definition_shows_its_sentences():
    definition = irops.definition("Clamp-1")
    shown = cells(definition)
    expected = [c.text for c in definition.constraints.values()]
    assert [row[3] for row in shown if row[0] == "constraint"] == expected
    assert {row[1] for row in shown if row[0] == "attribute"} == {"min", "max"}
    assert caption(definition).startswith("Clamp-1: ")


def test_results_and_the_origin_of_a_size_are_shown():
    graph = irops.Graph("net")
    graph.result(graph.parameter("x", "f32[2,3]") * 2, "y")
    results = irops.run(graph, np.float32([[1, 2, 3], [4, 5, 6]]))
    assert cells(results)[1] == ["y", "f32[2,3]", "2.0 4.0 6.0 8.0 10.0 12.0"]
    why = irops.why(graph, "y", axis=1)
    assert why._repr_html_().startswith("<pre>axis 1 of Multiply_0 (Multiply-1) is ")
    assert html.fromstring(why._repr_html_()).text == f"{why}\n"
    assert (facts := irops.infer(graph))["Multiply_0:0"] is facts["y"]


@pytest.mark.parametrize("shown", [lambda: chain(3000), lambda: irops.infer(chain(3000))])
def test_tables_of_large_models_are_bounded(shown):
    assert len(shown()._repr_html_()) < 40_000


def test_tables_need_no_library_of_templates(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    model = chain(3)
    for shown in (model, irops.infer(model), irops.diff(model, model), SurveyTable(())):
        assert "<table" in shown._repr_html_()


def test_a_graph_is_drawn_and_a_report_has_the_colours_of_the_terminal():
    pytest.importorskip("fast_sugiyama")
    assert "<svg" in detector()._repr_html_()
    assert "<svg" not in irops.Graph("empty")._repr_html_()
    report = irops.check(ROOT / "irops/diagnostics/rules/IR221.xml")._repr_html_()
    assert '<td class="irops-error">error</td>' in report


def test_texts_are_escaped_and_bounded():
    text = html_table("<b>", ("a",), [["<script>\x1b" + "x" * 1000]] * (MAX_ROWS + 5))
    assert "<script>" not in text
    assert "\x1b" not in text
    assert "x" * (MAX_CELL + 1) not in text
    assert "and 5 more" in text
    assert len(html.fromstring(text).xpath("//th[contains(@onclick, 'sort')]")) == 1


def test_hostile_names_stay_text_and_a_comparison_is_its_page():
    name = "</td></table></pre></svg><img src=x onerror=alert(1)>\" ' &quot; \x1b"
    one, other = irops.Graph(name), irops.Graph(name)
    for graph, factor in ((one, 2), (other, 3)):
        product = graph.add("Multiply", graph.parameter(f"x{name}", "f32[3]"), factor, name=name)
        graph.result(product, f"y{name}")
    results = irops.run(one, np.ones(3, np.float32), profile=True)
    compared = irops.compare(one, [np.ones(3, np.float32)], b=other.model())
    found = [compared, irops.diff(one, other), irops.why(one, name, axis=0), results, results.profile]
    survey = SurveyTable((Row(name, name, "fail", 0.5, 1, json.dumps({"message": name})),))
    for shown in (*found, one, one.model(), irops.infer(one), survey, irops.Report((diagnostic(name),))):
        page = html.fromstring(f"<div>{shown._repr_html_()}</div>")
        frames = [html.fromstring(frame.get("srcdoc")) for frame in page.iter("iframe")]
        assert not any(list(tree.iter("img", "script")) for tree in (page, *frames)), shown
        assert ["the first wrong layer is" in frame.text_content() for frame in frames] == [True] * (
            shown is compared
        )
