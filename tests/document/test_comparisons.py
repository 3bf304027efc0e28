"""The pages that lay dialects side by side: with runtimes, without them, and where one is not installed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from irops.conformance.odd_inputs.measure import comparison
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import COMPARISONS
from irops.document.comparisons import comparison_view
from irops.document.elements import elements_text, grid_text
from irops.document.site import Site
from irops.registry import default_registry


def page(name, monkeypatch, *, ask, format="html"):
    made = Site(format=format, ask=ask)
    view = comparison_view(default_registry(), comparison(name), ask=ask)
    return made._page("comparison", "../", view=view)


@pytest.fixture
def sequences():
    return comparison_view(default_registry(), comparison("ReverseSequence"), ask=False)


def test_defaults_ranges_and_switches_come_from_the_definitions(sequences):
    rows = {
        next(said.name for said in row.said if said is not None): row
        for row in sequences.declared
        if row.what == "attribute"
    }
    assert [said.text for said in rows["seq_axis"].said] == [
        "default 1; an axis of data",
        "default 0; an axis of input, 0 to 1",
        "default 0; an axis of input, 0 to 1",
    ]
    assert [said.name for said in rows["seq_axis"].said] == ["seq_axis", "time_axis", "time_axis"]
    assert rows["seq_axis"].said[2].aside == "with a switch, use_it"
    assert rows["lda coeff"].said[:2] == (None, None)
    assert rows["lda coeff"].differs


def test_element_types_of_later_versions_are_told(sequences):
    types = next(row for row in sequences.declared if row.what == "types of input 0")
    assert types.said[1].aside == "bf16 from opset 28 on"
    assert "bf16" not in types.said[1].text.split()
    assert "complex64" in types.said[1].text
    assert "complex64" not in types.said[0].text


def test_every_requirement_of_every_dialect_stands_in_a_row(sequences):
    told = {
        (place, said.text)
        for row in sequences.declared
        for place, said in enumerate(row.said)
        if said is not None
    }
    for place, definition in enumerate(sequences.definitions):
        assert {(place, constraint.text) for constraint in definition.constraints.values()} <= told


def test_without_runtimes_there_are_the_columns_of_irops_alone(sequences, monkeypatch):
    assert [column.full_name for column in sequences.columns] == [
        "irops, OpenVINO",
        "irops, ONNX",
        "irops, Graiphic",
    ]
    assert "no runtime was asked" in page("ReverseSequence", monkeypatch, ask=False)


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_a_runtime_that_is_not_installed_has_a_column_that_says_so(format, monkeypatch):
    for name, runtime in RUNTIMES.items():
        monkeypatch.setitem(
            RUNTIMES, name, replace(runtime, extra=runtime.extra or "docs", libraries=("no_such_library",))
        )
    text = page("Reverse", monkeypatch, ask=True, format=format)
    assert text.count("not installed") >= 4
    assert (
        "pip install &#39;irops[openvino]&#39; brings it" in text
        or "pip install 'irops[openvino]' brings it" in text
    )


def test_a_row_shows_what_runtimes_do_otherwise(monkeypatch):
    pytest.importorskip("openvino")
    text = page("Reverse", monkeypatch, ask=True)
    row = next(line for line in text.splitlines() if ">no mode</a>" in line)
    assert "refuses: IR312" in row
    assert "takes it<pre>2 1 0" in row
    assert "OpenVINO, CPU<small>20" in text


@pytest.mark.parametrize("compared", COMPARISONS, ids=lambda compared: compared.name)
def test_every_odd_input_has_an_anchor_of_its_own(compared):
    view = comparison_view(default_registry(), compared, ask=False)
    anchors = [row.anchor for _, rows in view.groups for row in rows]
    assert len(anchors) == len(set(anchors)) == len(compared.odd)


def test_elements_keep_their_digits():
    import numpy as np

    assert elements_text(np.array([[5e-324, 1.0]])) == "[[5e-324, 1]]"
    assert elements_text(np.array(["a", "'"], object)) == "['a', \"'\"]"
    assert grid_text(np.array([[1.0, 10.0], [2.0, 3.0]])) == " 1 10\n 2  3"
    assert grid_text(np.array([[2**63 - 1, 0]])) == "9223372036854775807\n0"
    assert grid_text(np.zeros((2, 0))) == "no elements"
