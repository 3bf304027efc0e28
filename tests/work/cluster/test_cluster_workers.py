"""Items on the workers of a cluster: each has one result, whatever ends a process."""

import os
import sys
from contextlib import closing, suppress
from math import inf
from pathlib import Path

import pytest
from cluster_work import naming_parents, unready, working
from libraries import needs
from waiting import wait_until

from irops.work import cluster, cluster as bounded
from irops.work.cluster import ClusterWorkers, Identity, identity
from irops.work.outcomes import Died, Failed
from irops.work.workers import ClusterError

pytestmark = [needs("distributed"), pytest.mark.xdist_group("cluster")]
MIB = 1 << 20


def outcomes(workers, items, prepare=working, arguments=(), **bounds):
    """The results in order; each item has exactly one."""
    results = list(workers.run(prepare, arguments, items, **bounds))
    assert sorted(number for number, _ in results) == list(range(len(items)))
    return [result for _, result in sorted(results, key=lambda pair: pair[0])]


@pytest.mark.slow("a process that allocates")
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone")
def test_items_that_end_their_process_leave_the_others(client):
    workers = ClusterWorkers(client)
    items = [*range(200), "die", "allocate", "raise", *range(200)]
    results = outcomes(workers, items, memory=300 * MIB)
    assert workers.count == 4
    assert [(type(r), str(r), getattr(r, "exceeded", None)) for r in results[200:203]] == [
        (Died, "ended by SIGKILL", ""),
        (Died, "was killed because it used more than 314,572,800 bytes of memory", "memory"),
        (Failed, "ValueError: no", None),
    ]
    assert [result[0] for result in [*results[:200], *results[203:]]] == [*range(200)] * 2


@pytest.mark.slow("waits for processes")
def test_an_item_that_takes_too_long_leaves_the_others(client):
    results = outcomes(ClusterWorkers(client), [*range(200), "hang", *range(200)], seconds=2)
    late = results.pop(200)
    assert (str(late), late.exceeded) == ("was killed because it took too long", "seconds")
    assert [result[0] for result in results] == [*range(200)] * 2


def test_each_thread_keeps_one_process_for_a_run_and_none_after_it(client):
    results = outcomes(ClusterWorkers(client), [("doze", 0.01)] * 200)
    processes = {process for _, process in results}
    assert len(processes) <= 4
    wait_until(lambda: not any(os.path.exists(f"/proc/{process}/task") for process in processes))


def test_work_that_cannot_be_prepared_fails_every_item(client):
    results = outcomes(ClusterWorkers(client), range(5), unready)
    assert {str(result) for result in results} == {"ImportError: no such library"}


def test_items_and_results_may_be_large(client):
    padding = "x" * MIB
    results = outcomes(ClusterWorkers(client), [padding] * 12 + [("large", 4 * MIB)] * 8)
    assert all(result[0] == padding for result in results[:12])
    assert [len(result[0]) for result in results[12:]] == [4 * MIB] * 8


def test_large_arguments_reach_every_process(client, tmp_path):
    results = outcomes(ClusterWorkers(client), range(20), arguments=(tmp_path,))
    assert [result[0] for result in results] == list(range(20))
    begun = [line for file in tmp_path.iterdir() for line in file.read_text().split()]
    assert sorted(begun, key=int) == [str(number) for number in range(20)]


@pytest.mark.slow("waits for processes")
def test_a_run_that_is_left_ends_what_it_began_and_leaves_the_workers_usable(client, tmp_path):
    workers = ClusterWorkers(client)
    with closing(workers.run(working, (tmp_path,), [1, *["hang"] * 8])) as run:
        assert next(run)[1][0] == 1
    assert [result[0] for result in outcomes(workers, range(8))] == list(range(8))
    hanging = [file for file in tmp_path.iterdir() if "hang" in file.read_text()]
    wait_until(lambda: not any(os.path.exists(f"/proc/{file.name[6:]}/task") for file in hanging))


@pytest.mark.slow("waits for processes")
def test_no_more_is_in_flight_than_workers_can_begin_soon(client, monkeypatch):
    in_flight = []
    send = cluster._Run._send

    def counted(self, number):
        key = send(self, number)
        in_flight.append(len(self._tasks))
        return key

    monkeypatch.setattr(cluster._Run, "_send", counted)
    outcomes(ClusterWorkers(client), range(100))
    assert max(in_flight) == 8


def test_files_that_workers_do_not_see_are_named(client, tmp_path):
    file = tmp_path / "m.xml"
    file.write_text("<net/>")
    workers = ClusterWorkers(client)
    workers.require_files([str(file), str(tmp_path / "absent.xml"), "s3://bucket/m.xml"])
    os.chdir(tmp_path)
    with pytest.raises(ClusterError, match=r"worker tcp://\S+ does not see m.xml as it is here; workers"):
        workers.require_files(["m.xml"])


@pytest.fixture(autouse=True)
def _same_folder():
    folder = Path.cwd()
    yield
    os.chdir(folder)


def test_a_client_that_is_closed_or_asynchronous_is_refused(cluster):
    distributed = pytest.importorskip("distributed")
    client = distributed.Client(cluster, set_as_default=False)
    client.close()
    with pytest.raises(ClusterError, match="the client is not connected to a scheduler: it is closed"):
        ClusterWorkers(client)


class Alarm:
    """A timer that the test rings."""

    def __init__(self, seconds, ring):
        self.seconds, self.ring, self.is_on = seconds, ring, False

    def start(self):
        self.is_on = True

    def cancel(self):
        self.is_on = False


@pytest.mark.slow("waits for processes")
def test_a_process_that_had_nothing_to_do_for_some_time_is_ended(monkeypatch):
    import pickle

    monkeypatch.setattr(bounded.threading, "Timer", Alarm)
    settings = pickle.dumps((pickle.dumps((naming_parents, ())), inf, inf))

    def work():
        payload = bounded.work_on("idle", identity(), settings, pickle.dumps(1))
        assert pickle.loads(payload) == (1, os.getpid())
        (kept,) = [one for (run, _), one in bounded._kept.items() if run == "idle"]
        return kept, kept._idle

    kept, first = work()
    assert (first.seconds, first.is_on) == (bounded.IDLE_SECONDS, True)
    assert kept.process._process is not None
    first.ring()
    assert kept.process._process is None
    _, second = work()  # by a new process
    assert (first.is_on, second.is_on) == (False, True)
    bounded.end_run("idle")
    assert kept.process._process is None


def test_tasks_of_a_run_that_ended_begin_nothing():
    import pickle

    settings = pickle.dumps((pickle.dumps((naming_parents, ())), inf, inf))
    bounded.end_run("over")
    assert pickle.loads(bounded.work_on("over", identity(), settings, pickle.dumps(1))) is None
    with suppress(KeyError):
        bounded.end_run("over")
    assert not [run for run, _ in bounded._kept if run == "over"]


def test_a_worker_with_other_code_does_nothing(tmp_path):
    import pickle

    settings = pickle.dumps((pickle.dumps((working, (tmp_path,))), inf, inf))
    sender = Identity("0.0.1", "abc", "3.9", "there")
    assert bounded.work_on("other", sender, settings, pickle.dumps(1)) == identity()
    assert list(tmp_path.iterdir()) == []
