"""The table of a survey, and what differs between two surveys."""

from dataclasses import replace
from pathlib import Path

import pytest
from stored import assert_stored

from irops.surveys.survey import (
    STATUSES,
    Row,
    SurveyTable,
    differences,
    results_csv,
    results_json,
    timings_csv,
)

ROWS = (
    Row("a.xml", "check", "pass", 0.25, 100, '{"counts":{"IR2":1}}', "k", "1.0", ""),
    Row("a.xml", "infer", "fail", 0.5, 100, '{"counts":{"IR1":2,"IR2":3}}', "k", "1.0", ""),
    Row('b, "c".xml', "check", "crash", None, None, '{"message":"ended\\nby SIGSEGV"}', "", "1.0", ""),
)
TABLE = SurveyTable(ROWS, done=2)


def test_a_table_is_a_sequence_of_rows():
    assert len(TABLE) == 3
    assert list(TABLE) == list(ROWS)
    assert TABLE[1] is ROWS[1]
    assert TABLE[-2:] == ROWS[1:]
    assert (TABLE.done, TABLE.unchanged, TABLE.ok) == (2, 1, False)
    assert SurveyTable(ROWS[:1]).ok


def test_statuses_and_rules_are_counted():
    assert TABLE.counts == {"check": {"pass": 1, "crash": 1}, "infer": {"fail": 1}}
    assert TABLE.rules() == [("IR2", 1, 3), ("IR1", 1, 2)]
    assert TABLE.rules(1) == [("IR2", 1, 3)]


def test_a_table_is_shown_short_and_as_html():
    assert repr(TABLE) == "<Survey of 2 models: 1 pass, 1 fail, 1 crash>"
    assert repr(SurveyTable(())) == "<Survey of 0 models: no rows>"
    assert repr(ROWS[1]) == "<fail: infer of a.xml>"
    html = TABLE._repr_html_()
    assert html.index("crash</td>") < html.index("fail</td>") < html.index("pass</td>")
    assert "b, &quot;c&quot;.xml" in html


def test_the_files_of_a_table_are_those_that_are_stored(tmp_path):
    """No cell is a formula, and none has control characters."""
    odd = [replace(ROWS[0], model=f"{start}1\x1b[2J.xml") for start in "=+-@"]
    texts = (written(ROWS + tuple(odd)) for written in (results_csv, timings_csv, results_json))
    assert_stored("\n".join((*texts, results_json([]))), Path(__file__).with_name("table.txt"))
    TABLE.to_csv(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == results_csv(ROWS)


def rows(**statuses):
    return [Row(name, "check", status, 0.0, 0, "{}") for name, status in statuses.items()]


def test_cells_are_better_worse_new_or_gone():
    found = differences(
        rows(a="pass", b="fail", c="warn", d="pass"), rows(a="pass", b="pass", c="crash", e="pass")
    )
    assert [change.model for change in found.better] == ["b"]
    assert [(change.before, change.after) for change in found.worse] == [("warn", "crash")]
    assert [change.model for change in found.new] == ["e"]
    assert [change.model for change in found.gone] == ["d"]


@pytest.mark.parametrize("index", range(len(STATUSES) - 1))
def test_each_status_is_worse_than_the_one_before_it(index):
    better, worse = STATUSES[index : index + 2]
    assert differences(rows(a=better), rows(a=worse)).is_worse
    assert not differences(rows(a=worse), rows(a=better)).is_worse
    assert not differences(rows(a=worse), rows(a=worse)).is_worse


def test_a_new_cell_with_a_fault_is_worse():
    assert differences([], rows(a="fail")).is_worse
    assert not differences([], rows(a="warn")).is_worse
    assert not differences(rows(a="pass"), []).is_worse
