"""The cells of a survey beside those of an earlier one."""

from __future__ import annotations

import pytest
from survey_rows import finding, row, with_findings

from irops.surveys.differences import differences
from irops.surveys.report.cells import models_of
from irops.surveys.report.details import MAX_FINDINGS, read_detail
from irops.surveys.report.statuses import CHANGE_LOOKS, STATUS_LOOKS
from irops.surveys.row import STATUSES

NOW = [row("a"), row("a", "infer", "fail"), row("b", status="warn"), row("d", status="crash")]
BEFORE = [row("a", status="fail"), row("a", "infer"), row("b", status="warn"), row("c")]


def test_models_come_in_order_with_all_their_cells():
    models = list(models_of(NOW, None))
    assert [(m.index, m.name, [c.task for c in m.cells]) for m in models] == [
        (0, "a", ["check", "infer"]),
        (1, "b", ["check"]),
        (2, "d", ["check"]),
    ]
    assert {cell.change for model in models for cell in model.cells} == {""}


def test_changes_are_those_of_the_table():
    changes = {
        (model.name, cell.task): cell.change
        for model in models_of(NOW, BEFORE)
        for cell in model.cells
        if cell.change
    }
    expected = differences(BEFORE, NOW)
    assert changes == {
        (change.model, change.task): kind for kind in CHANGE_LOOKS for change in getattr(expected, kind)
    }
    assert changes == {
        ("a", "check"): "better",
        ("a", "infer"): "worse",
        ("c", "check"): "gone",
        ("d", "check"): "new",
    }


def test_a_cell_that_is_gone_has_its_earlier_status():
    [model] = models_of([], [row("c", status="warn")])
    assert [(cell.status, cell.before, cell.change) for cell in model.cells] == [(None, "warn", "gone")]


@pytest.mark.parametrize("rows", [[row("b"), row("a")], [row("a"), row("a")]])
def test_rows_that_are_not_sorted_or_occur_twice_are_refused(rows):
    with pytest.raises(ValueError, match="not sorted by model and task"):
        list(models_of(rows, None))
    with pytest.raises(ValueError, match="not sorted by model and task"):
        list(models_of([], rows))


def test_every_status_has_its_own_letter_and_symbol():
    assert tuple(STATUS_LOOKS) == STATUSES
    for looks in (STATUS_LOOKS, CHANGE_LOOKS):
        assert len({look.letter for look in looks.values()}) == len(looks)
        assert len({look.symbol for look in looks.values()}) == len(looks)


@pytest.mark.parametrize("stored", ["{", "[" * 100_000, '"text"', "7", "null", '{"findings": 3, "ops": []}'])
def test_a_detail_that_irops_did_not_write_is_no_error(stored):
    assert read_detail(stored).total == 0


def test_findings_are_bounded_and_all_are_counted():
    detail = with_findings(*(finding() for _ in range(MAX_FINDINGS + 5)))
    read = read_detail(row("a", **detail).detail)
    assert (len(read.findings), read.total) == (MAX_FINDINGS, MAX_FINDINGS + 5)


def test_only_models_with_something_to_report_need_a_page():
    rows = [row("a"), row("b", status="fail"), row("c", **with_findings(finding())), row("d")]
    earlier = [row("a"), row("b", status="fail"), row("c"), row("d", status="fail")]
    assert [m.needs_page for m in models_of(rows, None)] == [False, True, True, False]
    assert [m.needs_page for m in models_of(rows, earlier)] == [False, True, True, True]
