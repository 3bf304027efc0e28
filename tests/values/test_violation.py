"""Broken constraints: raised with their numbers, or gathered as warnings."""

import pytest

from irops.values.violation import (
    LimitExceeded,
    Violation,
    collect_warnings,
    require,
    violations_at,
    warn_unless,
)


def test_a_requirement_that_holds_does_nothing():
    require(True, "C1", 3)
    require([0], "C1")


def test_a_requirement_that_does_not_hold_names_its_constraint_and_the_values():
    with pytest.raises(Violation) as caught:
        require([], "C2", 3, "four")
    assert (caught.value.constraint, caught.value.detail) == ("C2", "got 3 and four")
    assert str(caught.value) == "C2: got 3 and four"
    assert caught.value.at == -1


def test_a_violation_without_values_is_its_constraint_alone():
    with pytest.raises(Violation) as caught:
        require(0, "C3")
    assert str(caught.value) == "C3"


def test_what_is_blamed_within_a_block_is_forgotten_behind_it():
    with violations_at(7):
        assert Violation("C1").at == 7
        with violations_at(9):
            assert Violation("C1").at == 9
        assert Violation("C1").at == 7
    assert Violation("C1").at == -1


def test_what_is_blamed_is_forgotten_when_the_block_raises():
    with pytest.raises(Violation), violations_at(7):
        require(False, "C1")
    assert Violation("C1").at == -1


def test_warnings_are_gathered_while_a_block_runs():
    with collect_warnings() as found:
        warn_unless(False, "C1", 1)
        warn_unless(True, "C2")
        with collect_warnings() as inner:
            warn_unless(False, "C3")
        warn_unless(0, "C4", 1, 2)
    assert [str(violation) for violation in found] == ["C1: got 1", "C4: got 1 and 2"]
    assert [str(violation) for violation in inner] == ["C3"]
    warn_unless(False, "C5")
    assert len(found) == 2


def test_nothing_gathers_warnings_behind_a_block_that_raises():
    with pytest.raises(Violation), collect_warnings() as found:
        require(False, "C1")
    warn_unless(False, "C2")
    assert found == []


def test_a_limit_that_is_exceeded_names_its_rule():
    error = LimitExceeded("byte-limit", "too much")
    assert (error.rule, str(error)) == ("byte-limit", "too much")
