"""Processes that work on items within bounds: whatever ends one, each item has one result."""

import os
import signal
import sys
import time

import pytest

from irops.work.outcomes import Died, Failed
from irops.work.workers import Workers

MIB = 1 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone")


class Unsendable:
    def __reduce__(self):
        raise ValueError("stays here")


class OnlyThere:
    """Can be pickled, and fails when it is read where this process is not."""

    def __init__(self, home):
        self.home = home

    def __reduce__(self):
        return _made, (os.getpid(),)


def _made(home):
    if home != os.getpid():
        raise ValueError("cannot be read here")
    return OnlyThere(home)


def remembering():
    """A function that knows how many items its process has done."""
    done, leaked = [], []

    def work(item):
        done.append(item)
        match item:
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "die unless first" if len(done) > 1:
                os._exit(4)
            case "leave":
                os._exit(3)
            case "raise":
                raise ValueError("no")
            case "hang":
                time.sleep(600)
            case "allocate":
                leaked.append(bytearray(b"x" * (600 * MIB)))
                time.sleep(600)
            case "leak":
                leaked.append(bytearray(b"x" * (60 * MIB)))
            case "unsendable":
                return Unsendable()
            case "only there":
                return OnlyThere(os.getpid())
            case ("large", size):
                return b"x" * size
            case ("doze", seconds):
                time.sleep(seconds)
        return item, os.getpid()

    return work


def failing(text):
    raise ImportError(text)


def outcomes(items, processes=2, copied=True, **bounds):
    """The results in order; each item has exactly one."""
    results = list(Workers(processes, copied=copied).run(remembering, (), items, **bounds))
    assert sorted(number for number, _ in results) == list(range(len(items)))
    return [result for _, result in sorted(results, key=lambda pair: pair[0])]


def died(results):
    return {number: (str(r), r.exceeded) for number, r in enumerate(results) if isinstance(r, Died)}


@linux
@pytest.mark.slow("kills processes, which exceed bounds")
@pytest.mark.parametrize("copied", [True, False])
def test_a_process_that_allocates_too_much_is_killed_and_the_others_go_on(copied):
    items = [*range(100), "allocate", *range(120)]
    results = outcomes(items, memory=300 * MIB, copied=copied)
    assert died(results) == {
        100: ("was killed because it used more than 314,572,800 bytes of memory", "memory")
    }
    assert all(r[0] == item for r, item in zip(results, items) if not isinstance(r, Died))


@pytest.mark.slow("kills processes, which exceed bounds")
@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("before", [0, 150])
def test_a_process_that_works_too_long_on_an_item_is_killed_and_the_others_go_on(copied, before):
    results = outcomes([*range(before), "hang", *range(50)], seconds=5, copied=copied)
    assert died(results) == {before: ("was killed because it took too long", "seconds")}


@linux
@pytest.mark.slow("kills processes, which exceed bounds")
def test_an_item_is_not_to_blame_for_the_memory_that_others_left_in_its_process():
    results = outcomes(["leak"] * 12, 1, memory=400 * MIB)
    assert died(results) == {}
    assert len({process for _, process in results}) > 1


@pytest.mark.parametrize("copied", [True, False])
def test_a_process_that_dies_loses_one_item(copied):
    items = [*range(400), "die", *range(400), "leave", "raise", *range(50)]
    results = outcomes(items, copied=copied)
    odd = {items[number]: str(r) for number, r in enumerate(results) if not isinstance(r, tuple)}
    assert odd == {"die": "ended by SIGKILL", "leave": "ended with exit code 3", "raise": "ValueError: no"}
    assert all(r[0] == item for r, item in zip(results, items) if isinstance(r, tuple))


def test_an_item_is_not_to_blame_for_a_crash_that_needs_those_before_it():
    results = outcomes([1, 2, "die unless first", 3, "die", 4], 1)
    assert died(results) == {4: ("ended by SIGKILL", "")}
    assert results[2][1] != results[1][1]


@pytest.mark.slow("kills processes, which exceed bounds")
def test_the_bound_on_time_is_for_each_item():
    assert died(outcomes([*range(200), *[("doze", 0.2)] * 20, *range(50)], 1, seconds=3)) == {}


def test_one_result_that_cannot_be_sent_leaves_the_others():
    results = outcomes([*range(150), "unsendable", *range(10)], 1)
    assert [str(r) for r in results if isinstance(r, Failed)] == ["ValueError: stays here"]
    assert isinstance(results[150], Failed)


def test_results_that_cannot_be_read_here_are_failures():
    (result,) = outcomes(["only there"])
    assert str(result) == "ValueError: cannot be read here"


def test_items_and_results_may_be_larger_than_the_buffer_of_a_pipe():
    padding = "x" * (1 << 20)
    items = [*[("large", MIB)] * 4, *[padding] * 40, *[("large", MIB)] * 4]
    results = outcomes(items)
    assert [len(r) for r in results[:4]] == [MIB] * 4
    assert all(r[0] == padding for r in results[4:44])


def test_work_that_cannot_be_prepared_fails_every_item():
    results = list(Workers(2, copied=True).run(failing, ("no such library",), range(5)))
    assert sorted(number for number, _ in results) == list(range(5))
    assert {str(result) for _, result in results} == {"ImportError: no such library"}


def test_work_that_cannot_be_imported_fails_every_item(monkeypatch):
    monkeypatch.setattr(failing, "__module__", "no_such_module")
    monkeypatch.setitem(sys.modules, "no_such_module", sys.modules[__name__])
    results = list(Workers(1).run(failing, ("",), range(3)))
    assert {str(r) for _, r in results} == {"ModuleNotFoundError: No module named 'no_such_module'"}


def test_a_process_that_dies_while_it_has_nothing_to_do_costs_no_item():
    run = Workers(1, copied=True).run(remembering, (), [0, ("doze", 0.3), 1])
    first = next(run)
    os.kill(first[1][1], signal.SIGKILL)
    assert died([result for _, result in [first, *run]]) == {}


def test_the_processes_of_this_machine_are_workers():
    workers = Workers(2)
    found = dict(workers.run(remembering, (), [1, 2, "die"], seconds=60))
    assert workers.count == 2
    assert [found[0][0], found[1][0], str(found[2])] == [1, 2, "ended by SIGKILL"]
    assert Workers().count >= 1
    workers.require_files(["/no/such/file"])
    workers.close()
