"""Totals by status, rule and op; coverage of op versions; times."""

from __future__ import annotations

import pytest
from survey_rows import finding, row, with_findings

from irops.surveys.report.cells import models_of
from irops.surveys.report.coverage import EVALUATED, UNDEFINED, Coverage
from irops.surveys.report.index_page import SLOWEST, Reported, Totals, bin_of, start_of

AT_RELU = with_findings(finding("IR402"), finding("IR402", message="another"), finding("IR305", op="Add-1"))


def collected(collector, rows, against=None):
    for model in models_of(rows, against):
        collector.add(model)
    return collector


def coverage_of(*rows):
    return {entry.op: entry for entry in collected(Coverage(), rows).all()}


def test_cells_are_counted_by_task_and_status():
    totals = collected(Totals(), [row("a"), row("a", "infer", "fail"), row("b", status="warn"), row("c")])
    assert (totals.models, totals.cells, totals.sound_models) == (3, 4, 2)
    assert dict(totals.statuses) == {
        ("check", "pass"): 2,
        ("check", "warn"): 1,
        ("infer", "fail"): 1,
    }
    assert totals.of("pass", totals.statuses) == 2
    assert totals.tasks == ("check", "infer")


def test_cells_that_are_gone_count_as_changes_alone():
    totals = collected(Totals(), [row("a")], [row("a"), row("b")])
    assert (totals.models, totals.cells) == (1, 1)
    assert dict(totals.changes) == {("check", "gone"): 1}


def test_cells_that_became_worse_are_listed():
    totals = collected(Totals(), [row("a", status="crash"), row("b")], [row("a"), row("b")])
    assert [(name, cell.before, cell.status) for name, cell in totals.worse] == [("a", "pass", "crash")]


def test_rules_count_findings_that_are_not_listed_too():
    detail = {**with_findings(finding("IR402")), "counts": {"IR402": 70}}
    reported = collected(Reported(), [row("a", **detail), row("b", **AT_RELU)])
    assert reported.rules.sorted() == ["IR402", "IR305"]
    assert reported.rules.findings == {"IR402": 72, "IR305": 1}
    assert reported.rules.models == {"IR402": 2, "IR305": 1}
    assert reported.about["IR402"] == ("violated-constraint", "error")


def test_findings_count_by_op():
    rows = [row("a", **AT_RELU), row("a", "infer", **AT_RELU), row("b", **with_findings(finding(op=None)))]
    ops = collected(Reported(), rows).ops
    assert ops.findings == {"ReLU-1": 4, "Add-1": 2}
    assert ops.cells == {"ReLU-1": 2, "Add-1": 2}
    assert ops.models == {"ReLU-1": 1, "Add-1": 1}


def test_ops_are_counted_once_for_a_model():
    ops = {"ReLU-1": 3, "Add-1": 1}
    found = coverage_of(row("a", ops=ops), row("a", "infer", ops=ops), row("b", ops={"ReLU-1": 2}))
    assert (found["ReLU-1"].models, found["ReLU-1"].layers) == (2, 5)
    assert (found["Add-1"].models, found["Add-1"].layers) == (1, 1)
    assert {entry.state for entry in found.values()} == {EVALUATED}
    assert not any(entry.has_gap for entry in found.values())


def test_an_op_that_is_the_only_fault_of_a_model_would_make_it_clean():
    ops = {"Fancy-3": 1, "ReLU-1": 2}
    unknown = with_findings(finding("IR301", name="unknown-op", op="Fancy-3"))
    undefined = with_findings(finding("IR304", name="undefined-op", severity="warning", op="Fancy-3"))
    found = coverage_of(
        row("a", status="fail", ops=ops, **unknown),
        row("a", "run:reference", "unsupported", message="no kernel"),
        row("b", status="fail", ops=ops, **with_findings(finding(), finding("IR301", op="Fancy-3"))),
        row("c", status="warn", ops=ops, **undefined),
        row(
            "d",
            status="fail",
            ops=ops,
            **with_findings(finding("IR301", op="Fancy-3"), finding(op=None, layer="x")),
        ),
    )
    fancy = found["Fancy-3"]
    assert (fancy.state, fancy.models, fancy.would_be_clean) == (UNDEFINED, 4, 2)
    assert (fancy.errors, fancy.declined) == (3, 1)
    assert (found["ReLU-1"].errors, found["ReLU-1"].would_be_clean) == (1, 0)
    assert next(iter(found)) == "Fancy-3"


def test_a_model_with_a_crash_would_not_be_clean():
    found = coverage_of(
        row("a", status="fail", ops={"ReLU-1": 1}, **with_findings(finding())),
        row("a", "infer", "crash", message="it ended"),
    )
    assert (found["ReLU-1"].errors, found["ReLU-1"].would_be_clean) == (1, 0)


def test_a_task_that_names_no_op_has_the_op_that_another_task_names_for_the_layer():
    found = coverage_of(
        row("a", status="fail", **with_findings(finding(layer="conv"))),
        row("a", "run:reference", "fail", **with_findings(finding(layer="conv", op=None))),
        row("b", status="fail", **with_findings(finding(layer="conv", op=None))),
    )
    assert (found["ReLU-1"].errors, found["ReLU-1"].would_be_clean) == (1, 1)


def test_findings_that_are_not_listed_may_be_at_other_ops():
    detail = {**with_findings(finding()), "counts": {"IR402": 2}}
    assert coverage_of(row("a", status="fail", **detail))["ReLU-1"].would_be_clean == 0


def test_the_first_wrong_layer_of_a_comparison_is_a_cause():
    wrong = {"first": {"layer": "x", "op": "MatMul-1", "verdict": "wrong"}}
    found = coverage_of(row("a", "compare:reference,openvino:CPU", "fail", **wrong))
    assert (found["MatMul-1"].errors, found["MatMul-1"].would_be_clean) == (1, 1)


@pytest.mark.parametrize("seconds", [0.0, 0.0001, 0.001, 0.0032, 0.5, 1.0, 99.0, 100_000.0])
def test_a_time_lies_in_its_bar(seconds):
    number = bin_of(seconds)
    assert start_of(number) <= max(seconds, 0.001) * 1.0000001
    assert seconds < start_of(number + 1) * 1.0000001


def test_the_slowest_cells_come_first():
    totals = collected(Totals(), [row(f"m{n:03}", seconds=float(n % 50)) for n in range(100)])
    assert len(totals.slowest) == SLOWEST
    assert [seconds for seconds, *_ in totals.slowest] == sorted([*range(40, 50)] * 2, reverse=True)
    assert totals.times["check"].total() == 100
    assert totals.seconds["check"] == pytest.approx(sum(n % 50 for n in range(100)))
