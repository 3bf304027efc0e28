"""Clusters that are named wrongly, are absent, or whose workers have another irops, in messages."""

import socket
import sys
from contextlib import suppress
from threading import Thread

import pytest
from libraries import needs
from waiting import free_port

import irops
from irops.work import cluster
from irops.work.cluster import Identity, connected, objection, unseen
from irops.work.workers import ClusterError

pytestmark = needs("distributed")


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


@pytest.mark.slow("a busy machine may answer too late")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "no scheduler answers at {} within 1 seconds; dask scheduler starts one"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "cannot connect to {}, which may be no scheduler: "),
        ((1 << 50).to_bytes(8, "little"), "cannot connect to {}, which may be no scheduler: "),
    ],
)
def test_another_server_in_place_of_a_scheduler_is_an_error(answer, said, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    accepted = []

    def answering():
        with suppress(OSError):  # the server is closed
            while True:
                accepted.append(server.accept()[0])
                accepted[-1].sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        Thread(target=answering, daemon=True).start()
        with pytest.raises(ClusterError, match=f"^{said.format(address)}"):
            connected(address)


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    match = r"^dask.distributed is not installed; pip install 'irops\[cluster\]'"
    with pytest.raises(ClusterError, match=match):
        connected("tcp://host:1")


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
    assert objection(Identity("", "", "3.9", "there")).startswith("runs Python 3.9, but this is 3.")


def test_a_worker_names_the_first_file_that_it_does_not_see_as_it_is_here(tmp_path):
    sizes = {"a": 0, "b": 3, "c": 3}
    files = [(tmp_path / name, size) for name, size in sizes.items()]
    for path, size in files:
        path.write_bytes(bytes(size))
    pairs = [(str(path), size) for path, size in files]
    assert unseen(tuple(pairs)) == ""
    files[1][0].write_bytes(bytes(4))
    files[2][0].unlink()
    assert [unseen(tuple(pairs)), unseen(tuple(pairs[2:]))] == [pairs[1][0], pairs[2][0]]
