"""Reports of comparisons for pages and machines."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from planted import Idle, WrongCall, sign

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.compare.report import MAX_ROWS, junit, page, report_text
from irops.environment import MissingExtraError


@pytest.fixture
def analysis():
    graph = irops.Graph("<b>chain</b>")
    value = graph.parameter("x", "f32", [4])
    for number in range(30):
        value = graph.add("Tanh", value, name=f"<tanh {number}>")
    graph.result(value, name="y")
    return ModelAnalysis(graph.model())


X = np.float32([-1, 0.5, 1, 2])


def test_junit_has_a_case_for_each_layer(analysis):
    found = irops.compare(analysis, [X], b=WrongCall("Tanh-1", 3, sign))
    suite = ElementTree.fromstring(junit(found))
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["skipped"]) == ("31", "2", "0")
    assert suite.find("properties/property").attrib["value"] == "30 of 30 layers, 1 of 1 result compared"
    failed = [case for case in suite if case.find("failure") is not None]
    assert [case.attrib["name"] for case in failed] == ["y", "<tanh 3>"]
    assert "4 of 4 elements differ" in failed[1].find("failure").attrib["message"]
    skipping = ElementTree.fromstring(junit(irops.compare(analysis, [X], b=Idle())))
    assert skipping.attrib["skipped"] == "30"


def test_the_page_needs_no_network_and_escapes_names(analysis, monkeypatch):
    found = irops.compare(analysis, [X], b=WrongCall("Tanh-1", 3, sign), mode="propagated")
    text = page(found, analysis)
    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org)", text)
    assert "&lt;tanh 3&gt;" in text
    assert "<tanh" not in text
    assert text.count("<circle") == 30
    assert text.count('width="44"') == 12  # the bars of the histogram

    def missing(*_args, **_options):
        raise MissingExtraError("no engine")

    monkeypatch.setattr("irops.debugging.compare.report.draw", missing)
    assert "no engine" in page(found, analysis)


def test_the_table_has_twenty_rows_unless_all_are_asked_for(analysis):
    found = irops.compare(analysis, [X], b=WrongCall("Tanh-1", 3, sign), mode="propagated")
    lines = report_text(found).splitlines()
    assert lines[-1] == "and 7 more layers that differ; --all lists every layer"
    assert sum(line.startswith("<tanh") for line in lines) == MAX_ROWS
    assert sum(line.startswith("<tanh") for line in report_text(found, all_layers=True).splitlines()) == 30


def test_names_are_whole_in_a_table_of_any_width(analysis):
    found = irops.compare(analysis, [X], b=WrongCall("Tanh-1", 3, sign), mode="propagated")
    name = "__module.model.layers.11.self_attention/aten::linear/MatMul"
    found = replace(found, layers=tuple(replace(layer, name=name) for layer in found.layers))
    for width in (80, 120, 200):
        lines = report_text(found, width=width).splitlines()
        table = lines[lines.index("") + 1 : -1]
        assert sum(line.startswith(name) for line in table) == MAX_ROWS
        assert max(map(len, table)) <= width
        assert all("wrong" in line or line == name for line in table[2:4])
    assert ("op" in table[0].split()) == (width >= 140)


def test_a_long_reason_is_cut_and_the_end_of_a_longer_name_is_kept(analysis):
    found = irops.compare(analysis, [X], b=WrongCall("Tanh-1", 3, sign), mode="propagated")
    layer = replace(found.first, name="n" * 200 + "last", cause="c" * 300)
    lines = report_text(replace(found, layers=(layer,))).splitlines()
    assert f"…{'n' * 95}last  Tanh-1" in lines[-1]
    assert lines[-1].endswith("c…")
