"""What notebooks show of a model, a graph, inferred Facts, a report and a definition."""

import sys
from pathlib import Path

import pytest
from drawn_models import chain, detector
from lxml import html

import irops
from irops.diagnostics.html_table import MAX_CELL, MAX_ROWS, html_table
from irops.surveys.table import SurveyTable

ROOT = Path(__file__).resolve().parents[2]


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


@pytest.mark.parametrize("shown", [lambda: chain(3000), lambda: irops.infer(chain(3000))])
def test_tables_of_large_models_are_bounded(shown):
    assert len(shown()._repr_html_()) < 40_000


def test_tables_need_no_library_of_templates(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    model = chain(3)
    for shown in (model, irops.infer(model), irops.diff(model, model), SurveyTable(())):
        assert "<table" in shown._repr_html_()


def test_texts_are_escaped_and_bounded():
    text = html_table("<b>", ("a",), [["<script>\x1b" + "x" * 1000]] * (MAX_ROWS + 5))
    assert "<script>" not in text
    assert "\x1b" not in text
    assert "x" * (MAX_CELL + 1) not in text
    assert "and 5 more" in text
