"""Schedulers and clusters that are named wrongly, are not there, or cannot be used: each is a sentence."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from cluster_work import naming_parents
from dask_processes import Processes, free_port
from libraries import Late, needs
from waiting import wait_until

import irops
from irops.work import cluster
from irops.work.cluster import Identity, connected, objection
from irops.work.workers import ClusterError

pytestmark = [
    pytest.mark.slow("starts schedulers and workers"),
    needs("distributed"),
    pytest.mark.xdist_group("cluster"),
]
dask = Late("dask")
LOCAL = (
    "dask.distributed.LocalCluster n_workers=1 threads_per_worker=3 processes=False dashboard_address=None"
)


@pytest.mark.parametrize(
    "address", ["", "host", "host:0", "host:70000", "http://host:8786", "tcp://:8786", "a b:1"]
)
def test_a_wrong_form_of_address_is_refused(address):
    with pytest.raises(ClusterError, match=r"is not the address of a scheduler, such as tcp://host:8786$"):
        connected(address)


@pytest.mark.parametrize("address", ["tcp://[::1]:8786", "tls://host:1", "host.name:65535", "127.0.0.1:8786"])
def test_addresses_have_these_forms(address):
    assert cluster._address(address) == address


def test_an_address_without_a_scheduler_is_an_error(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    address = f"tcp://127.0.0.1:{free_port()}"
    match = rf"^no scheduler answers at {address} within 0.5 seconds; dask sch"
    with pytest.raises(ClusterError, match=match):
        connected(address)


def test_the_configuration_of_dask_may_name_the_scheduler():
    with dask.config.set({"scheduler-address": "tcp://configured:8786"}):
        assert cluster._address("config") == "tcp://configured:8786"
    with (
        dask.config.set({"scheduler-address": None}),
        pytest.raises(ClusterError, match="Dask's configuration names no scheduler"),
    ):
        connected("config")


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        ("", "'' is not the class of a cluster and its arguments"),
        ("'", "is not the class of a cluster and its arguments"),
        ("LocalCluster", "'LocalCluster' is not the class of a cluster, such as dask.dist"),
        ("no_such_module.A", "the module no_such_module of --cluster is not installed; no-such-module"),
        ("dask.distributed.LocalCluste", "has no class LocalCluste; did you mean LocalCluster?"),
        (f"{LOCAL} n_workers", "'n_workers' is not an argument for a cluster, such as n_workers=2"),
        ("builtins.int x=1", "builtins.int does not start: TypeError: "),
    ],
)
def test_a_cluster_that_cannot_be_started_is_an_error(cluster, message):
    with pytest.raises(ClusterError) as refused:
        connected(None, cluster)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_either_a_scheduler_or_a_cluster_is_needed():
    for scheduler, kind in ((None, None), ("tcp://host:1", LOCAL)):
        with pytest.raises(ClusterError, match="either the address of a scheduler or the class of a cluster"):
            connected(scheduler, kind)


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    match = r"^dask.distributed is not installed; pip install 'irops\[cluster\]'"
    with pytest.raises(ClusterError, match=match):
        connected("tcp://host:1")


def test_a_cluster_is_started_with_its_arguments_and_ends_with_its_workers():
    workers = connected(None, LOCAL)
    cluster = workers._own_cluster
    assert workers.count == 3
    workers.close()
    assert cluster.status.name == "closed"


def test_workers_need_the_same_irops_and_python():
    ours = cluster.identity()
    assert objection(ours) == ""
    assert objection(ModuleNotFoundError("no", name="irops")) == "does not have irops"
    assert objection(ModuleNotFoundError("no", name="irops.work")) == "has another irops, without irops.work"
    assert objection(ModuleNotFoundError("No module named 'lxml'", name="lxml")).startswith(
        "cannot import irops"
    )
    assert objection(OSError("gone")) == "cannot import irops: OSError: gone"
    other = Identity("0.0.1", ours.digest, ours.python, "there")
    assert objection(other) == f"has irops 0.0.1, but this is {irops.__version__}"
    assert "other code (abc, not" in objection(Identity(ours.version, "abc", ours.python, "there"))
    assert objection(Identity("", "", (3, 9), "there")).startswith("runs Python 3.9, but this is 3.")


def test_control_c_ends_a_command_and_leaves_the_workers_usable(tmp_path):
    command = ["-m", "irops", "conformance", "--source", "reference", "--examples", "100000", "--quiet"]
    with Processes(tmp_path) as processes:
        processes.scheduler()
        processes.worker("--no-nanny")
        with subprocess.Popen(
            [sys.executable, *command, "--seconds", "600", "--scheduler", processes.address],
            env=processes.environment, stderr=subprocess.PIPE, text=True, start_new_session=True,
        ) as process:  # fmt: skip
            serving = wait_for_process_of("irops.work.serving", processes.started[1].pid)
            os.kill(process.pid, signal.SIGINT)
            _, errors = process.communicate()
        assert (process.returncode, errors) == (130, "irops conformance: interrupted\n")
        workers = connected(processes.address)
        assert sorted(item for _, (item, _) in workers.run(naming_parents, (), [1, 2])) == [1, 2]
        assert not Path(f"/proc/{serving}").exists()
        workers.close()


def wait_for_process_of(module, parent):
    """The number of a child process that runs a module, once there is one."""
    found = []

    def is_there():
        with suppress(OSError):  # one of them has just ended
            for task in Path(f"/proc/{parent}/task").glob("*/children"):
                for child in task.read_text().split():
                    if module in Path(f"/proc/{child}/cmdline").read_text():
                        found.append(child)
        return found

    wait_until(is_there)
    return found[0]
