"""Settings of the whole process, which threads change at the same time, and parts that IROPS_DISABLE turns
off.
"""

import gc
import sys
from threading import Barrier

import pytest

from irops.cli.main import main
from irops.environment import SWITCHES, VARIABLE, ProcessSetting, enabled, no_collection
from irops.files.limits import recursion_limit_for
from tests.support.waiting import in_threads

THREADS = 8
WAIT = 200
"""Seconds after which a thread gives up to wait for the others: one of them has failed."""


@pytest.fixture(autouse=True)
def settings_as_before():
    collected, limit = gc.isenabled(), sys.getrecursionlimit()
    gc.enable()
    yield
    (gc.enable if collected else gc.disable)()
    sys.setrecursionlimit(limit)


def test_threads_that_come_and_go_leave_both_settings_as_they_were():
    limit = sys.getrecursionlimit()
    inside = []

    def work(number):
        depth = 200 + 10 * number
        for _ in range(300):
            with no_collection(), recursion_limit_for(depth):
                inside.append((gc.isenabled(), sys.getrecursionlimit() >= depth * 12))

    in_threads(work, THREADS)
    assert inside == [(False, True)] * (300 * THREADS)
    assert gc.isenabled()
    assert sys.getrecursionlimit() == limit


def test_the_recursion_limit_stays_raised_while_any_thread_needs_it():
    limit = sys.getrecursionlimit()
    entered, left = Barrier(THREADS, timeout=WAIT), Barrier(THREADS, timeout=WAIT)
    kept = []

    def work(number):
        if number:
            with recursion_limit_for(1000):
                entered.wait()
            left.wait()
        else:
            with recursion_limit_for(500):
                entered.wait()
                left.wait()  # all others have left their blocks
                kept.append(sys.getrecursionlimit() >= 500 * 12)

    in_threads(work, THREADS)
    assert kept == [True]
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("block", [no_collection, lambda: recursion_limit_for(1000)])
def test_blocks_nest_and_restore_after_an_error(block):
    before = gc.isenabled(), sys.getrecursionlimit()
    with block():
        changed = gc.isenabled(), sys.getrecursionlimit()
        with block():
            assert (gc.isenabled(), sys.getrecursionlimit()) == changed != before
        assert (gc.isenabled(), sys.getrecursionlimit()) == changed
        with pytest.raises(KeyError), block():
            raise KeyError
        assert (gc.isenabled(), sys.getrecursionlimit()) == changed
    assert (gc.isenabled(), sys.getrecursionlimit()) == before


def test_nested_blocks_reach_the_greater_depth():
    before = sys.getrecursionlimit()
    with recursion_limit_for(500):
        with recursion_limit_for(900):
            assert sys.getrecursionlimit() == 900 * 12
        with recursion_limit_for(100):
            assert sys.getrecursionlimit() == 900 * 12
    assert sys.getrecursionlimit() == before


def test_a_limit_set_within_the_block_is_not_overwritten():
    with recursion_limit_for(1000):
        sys.setrecursionlimit(20_000)
    assert sys.getrecursionlimit() == 20_000


def test_a_limit_set_between_blocks_that_overlap_is_restored():
    with recursion_limit_for(500):
        sys.setrecursionlimit(7_000)
        with recursion_limit_for(1000):
            assert sys.getrecursionlimit() == 12_000
    assert sys.getrecursionlimit() == 7_000


def test_a_collector_that_is_off_stays_off():
    gc.disable()
    with no_collection(), no_collection():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_a_collector_enabled_within_the_block_stays_enabled():
    gc.disable()
    with no_collection():
        gc.enable()
        with no_collection():
            assert not gc.isenabled()
    assert gc.isenabled()


def test_a_setting_that_cannot_be_changed_is_not_counted():
    values = ["original"]

    def put(value):
        if value == "impossible":
            raise ValueError(value)
        values.append(value)

    setting = ProcessSetting(lambda: values[-1], put)
    with pytest.raises(ValueError, match="impossible"), setting.changed(lambda _: "impossible"):
        pass
    with setting.changed(lambda _: "other"):
        assert values[-1] == "other"
    assert values == ["original", "other", "original"]


def test_all_parts_are_on_without_the_variable(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert all(enabled(name) for name in SWITCHES)


def test_the_variable_turns_off_what_it_names(monkeypatch):
    monkeypatch.setenv(VARIABLE, "scanner, sharing,")
    assert [name for name in SWITCHES if not enabled(name)] == ["scanner", "sharing"]


def test_an_unknown_name_is_refused_with_the_names_there_are(monkeypatch):
    monkeypatch.setenv(VARIABLE, "scaner")
    with pytest.raises(ValueError, match="names scaner; it can name scanner, sharing"):
        enabled("cache")


def test_the_command_line_refuses_an_unknown_name(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "fast")
    assert main(["explain"]) == 2
    assert "IROPS_DISABLE names fast" in capsys.readouterr().err
