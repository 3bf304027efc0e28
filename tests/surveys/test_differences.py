"""What differs between two surveys."""

import pytest

from irops.surveys.store import STATUSES, Row
from irops.surveys.table import differences


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
