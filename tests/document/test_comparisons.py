"""Pages that compare dialects: with runtimes, without them, and with a missing one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from irops.conformance.odd_inputs.measure import comparison
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import COMPARISONS
from irops.document.op_pages import comparison_view
from irops.document.site import Site
from irops.document.views import elements_text, grid_text
from irops.registry import default_registry


def page(name, monkeypatch, *, with_runtimes, format="html"):
    site = Site(format=format, with_runtimes=with_runtimes)
    view = comparison_view(default_registry(), comparison(name), with_runtimes=with_runtimes)
    return site._page("comparison", view=view)


@pytest.fixture
def reverse_sequence_view():
    return comparison_view(default_registry(), comparison("ReverseSequence"), with_runtimes=False)


def test_defaults_ranges_and_switches_come_from_the_definitions(reverse_sequence_view):
    rows = {
        next(cells.name for cells in row.cells if cells is not None): row
        for row in reverse_sequence_view.declared
        if row.what == "attribute"
    }
    assert [cells.text for cells in rows["seq_axis"].cells] == [
        "default 1; an axis of data",
        "default 0; an axis of input, 0 to 1",
        "default 0; an axis of input, 0 to 1",
    ]
    assert [cells.name for cells in rows["seq_axis"].cells] == ["seq_axis", "time_axis", "time_axis"]
    assert rows["seq_axis"].cells[2].detail == "enabled by use_it"
    assert rows["lda coeff"].cells[:2] == (None, None)
    assert rows["lda coeff"].differs


def test_element_types_of_later_versions_are_listed(reverse_sequence_view):
    types = next(row for row in reverse_sequence_view.declared if row.what == "types of input 0")
    assert types.cells[1].detail == "bf16 from opset 28 on"
    assert "bf16" not in types.cells[1].text.split()
    assert "complex64" in types.cells[1].text
    assert "complex64" not in types.cells[0].text


def test_every_constraint_of_every_dialect_has_a_row(reverse_sequence_view):
    cell_texts = {
        (index, cells.text)
        for row in reverse_sequence_view.declared
        for index, cells in enumerate(row.cells)
        if cells is not None
    }
    for index, definition in enumerate(reverse_sequence_view.definitions):
        assert {(index, constraint.text) for constraint in definition.constraints.values()} <= cell_texts


def test_without_runtimes_there_are_only_columns_of_irops(reverse_sequence_view, monkeypatch):
    assert [column.full_name for column in reverse_sequence_view.columns] == [
        "irops, OpenVINO",
        "irops, ONNX",
        "irops, Graiphic",
    ]
    assert "no runtimes were run" in page("ReverseSequence", monkeypatch, with_runtimes=False)


@pytest.mark.parametrize("format", ["html", "markdown"])
def test_a_missing_runtime_has_a_column_that_says_so(format, monkeypatch):
    for name, runtime in RUNTIMES.items():
        monkeypatch.setitem(
            RUNTIMES, name, replace(runtime, extra=runtime.extra or "docs", libraries=("no_such_library",))
        )
    text = page("Reverse", monkeypatch, with_runtimes=True, format=format)
    assert text.count("not installed") >= 4
    assert "pip install 'irops\\[openvino\\]' installs it" in text


@pytest.mark.slow
def test_a_row_shows_how_runtimes_differ(monkeypatch):
    pytest.importorskip("openvino")
    text = page("Reverse", monkeypatch, with_runtimes=True)
    row = next(line for line in text.splitlines() if line.startswith("| no mode |"))
    assert "refuses: IR312" in row
    assert "accepts it</span><br>`2 1 0`" in row
    assert "OpenVINO, CPU 20" in text


@pytest.mark.parametrize("spec", COMPARISONS, ids=lambda spec: spec.name)
def test_every_odd_input_has_a_unique_anchor(spec):
    view = comparison_view(default_registry(), spec, with_runtimes=False)
    anchors = [row.anchor for _, rows in view.groups for row in rows]
    assert len(anchors) == len(set(anchors)) == len(spec.odd)


def test_elements_are_written_with_all_digits():
    import numpy as np

    assert elements_text(np.array([[5e-324, 1.0]])) == "[[5e-324, 1]]"
    assert elements_text(np.array(["a", "'"], object)) == "['a', \"'\"]"
    assert grid_text(np.array([[1.0, 10.0], [2.0, 3.0]])) == " 1 10\n 2  3"
    assert grid_text(np.array([[2**63 - 1, 0]])) == "9223372036854775807\n0"
    assert grid_text(np.zeros((2, 0))) == "no elements"
