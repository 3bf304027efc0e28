"""Schedulers and clusters that cannot be used, or are killed during a run."""

import os
import signal
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest
from cluster_work import naming_parents, working
from libraries import Late, needs
from waiting import free_port, wait_until

import irops
from irops.work.cluster import ClusterWorkers, connected
from irops.work.workers import ClusterError

ROOT = Path(__file__).parents[3]
DASK = Path(sys.executable).with_name("dask")


class Processes:
    """A scheduler and its workers. All end with the block."""

    def __init__(self, folder, paths=(ROOT, ROOT / "tests" / "support")):
        self.port, self.folder = free_port(), folder
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.started = []
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "OMP_NUM_THREADS": "1",
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.started:
            process.wait()

    def scheduler(self):
        return self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")

    def worker(self, *words):
        options = ("--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder))
        return self._start("worker", self.address, *options, *words)

    def _start(self, *words):
        with open(self.folder / f"{words[0]}.log", "ab") as log:
            process = subprocess.Popen(
                [str(DASK), *words],
                cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.started.append(process)
        return process


pytestmark = [
    pytest.mark.slow("starts schedulers and workers"),
    needs("distributed"),
    pytest.mark.xdist_group("cluster"),
]

dask = Late("dask")


def test_control_c_ends_a_command_and_leaves_the_workers_usable(tmp_path):
    command = ["-m", "irops", "conformance", "--source", "reference", "--examples", "100000", "--quiet"]
    with Processes(tmp_path) as processes:
        processes.scheduler()
        processes.worker("--no-nanny")
        with subprocess.Popen(
            [sys.executable, *command, "--seconds", "600", "--scheduler", processes.address],
            env=processes.environment, stderr=subprocess.PIPE, text=True, start_new_session=True,
        ) as process:  # fmt: skip
            serving = wait_for_process_of("irops.work.worker", processes.started[1].pid)
            os.kill(process.pid, signal.SIGINT)
            _, errors = process.communicate()
        assert (process.returncode, errors) == (130, "irops conformance: interrupted\n")
        workers = connected(processes.address)
        assert sorted(item for _, (item, _) in workers.run(naming_parents, (), [1, 2])) == [1, 2]
        assert not serving.is_running()
        workers.close()


def wait_for_process_of(module, parent):
    """A child process that runs a module, once there is one."""
    found = []

    def is_there():
        with suppress(psutil.Error):  # one of them has just ended
            children = psutil.Process(parent).children()
            found.extend(child for child in children if module in " ".join(child.cmdline()))
        return found

    wait_until(is_there)
    return found[0]


distributed = Late("distributed")
ITEMS = [("doze", 0.01)] * 250


@pytest.fixture
def processes(tmp_path):
    with Processes(tmp_path) as processes:
        yield processes


def finished(run, results, count):
    """All results, of which each item has exactly one."""
    results += run
    assert sorted(number for number, _ in results) == list(range(count))
    return dict(results)


def begin(run, count):
    return [next(run) for _ in range(count)]


@pytest.mark.parametrize("nanny", ["--nanny", "--no-nanny"])
def test_the_items_of_a_worker_that_is_killed_are_sent_to_another(processes, nanny):
    processes.scheduler()
    first, _ = processes.worker(nanny), processes.worker(nanny)
    with closing(connected(processes.address)) as workers:
        wait_until(lambda: len(workers.threads()) == 2)
        run = workers.run(working, (), ITEMS)
        results = begin(run, 40)
        os.kill(first.pid, signal.SIGKILL)
        found = finished(run, results, len(ITEMS))
        assert {result[0] for result in found.values()} == {("doze", 0.01)}
        assert no_process_of(first)


def test_the_rows_of_a_survey_do_not_depend_on_a_worker_that_is_killed(processes, net, tmp_path):
    (tmp_path / "models").mkdir()
    for size in range(1, 31):
        model = net(f"x: f32[{size}]; sum: Add x x; y: Result sum")
        irops.write(model, tmp_path / "models" / f"{size}.xml")
    processes.scheduler()
    first, _ = processes.worker("--no-nanny"), processes.worker("--no-nanny")
    tasks, killed = ("check", "infer", "run"), []

    def kill(done, *_):
        if done >= 5 and not killed:
            os.kill(first.pid, signal.SIGKILL)
            killed.append(first.wait())

    with distributed.Client(processes.address, set_as_default=False) as client:
        wait_until(lambda: len(client.nthreads()) == 2)
        far = irops.survey(
            [tmp_path / "models"], tasks, client=client, output=tmp_path / "far", progress=kill
        )
    near = irops.survey([tmp_path / "models"], tasks, processes=2, output=tmp_path / "near")
    assert killed == [-signal.SIGKILL]
    assert len(far) == len(near) == 90
    assert {row.status for row in near} == {"pass"}
    for name in ("results.csv", "results.json"):
        assert (tmp_path / "far" / name).read_bytes() == (tmp_path / "near" / name).read_bytes()


def no_process_of(leader):
    """Whether all of the process group of a worker end, the processes that work on items included."""

    def ended():
        try:
            os.killpg(leader.pid, 0)
        except ProcessLookupError:
            return True
        leader.poll()
        return False

    wait_until(ended)
    return True


def test_an_item_whose_workers_are_killed_is_lost_and_the_others_are_not(processes):
    processes.environment["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "1"
    processes.scheduler()
    processes.worker("--nanny")
    processes.worker("--nanny")
    with closing(connected(processes.address)) as workers:
        results = finished(workers.run(working, (), [*range(30), "kill worker", *range(30)]), [], 61)
        assert (str(results[30]), results[30].lost) == ("the workers that worked on it were lost", True)
        assert [results[n][0] for n in range(61) if n != 30] == [*range(30)] * 2


def test_a_scheduler_that_is_killed_is_an_error(processes):
    scheduler = processes.scheduler()
    processes.worker("--no-nanny")
    with closing(connected(processes.address)) as workers:
        run = workers.run(working, (), ITEMS)
        begin(run, 10)
        os.killpg(scheduler.pid, signal.SIGKILL)
        match = rf"^the connection to the scheduler at {processes.address} was lost$"
        with pytest.raises(ClusterError, match=match):
            list(run)


def test_workers_with_another_irops_are_refused_and_the_scheduler_needs_none(processes, tmp_path):
    other = tmp_path / "other" / "irops"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("__version__ = '0.0.1'\n")
    path = processes.environment["PYTHONPATH"]
    processes.environment["PYTHONPATH"] = str(other.parent)
    processes.scheduler()
    processes.environment["PYTHONPATH"] = path
    processes.worker("--no-nanny")
    with closing(connected(processes.address)) as workers:
        run = workers.run(working, (), ITEMS)
        begin(run, 1)
        processes.environment["PYTHONPATH"] = str(other.parent)
        processes.worker("--no-nanny")
        refusal = r"^worker tcp://\S+ has another irops, without irops.work; all"
        with pytest.raises(ClusterError, match=refusal):
            list(run)
        with (
            distributed.Client(processes.address, set_as_default=False) as client,
            pytest.raises(ClusterError, match=refusal),
        ):
            ClusterWorkers(client)


def test_a_scheduler_without_workers_is_an_error(processes):
    processes.scheduler()
    match = rf"^the scheduler at {processes.address} has no workers, and got none within 0 seconds; dask w"
    with pytest.raises(ClusterError, match=match):
        connected(processes.address, wait_seconds=0)
