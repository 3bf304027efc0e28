"""Models on web servers: ranges, sizes, changes, errors, and what is printed of their URLs."""

import asyncio
import gc
import os
import socket
import tempfile
from types import SimpleNamespace

import numpy as np
import pytest
from libraries import Late, needs
from remote_servers import serving
from tables import table

import irops
from irops.files.storage import bytes_fetched, bytes_read

pytestmark = [needs("fsspec", "aiohttp")]
fsspec = Late("fsspec")
GIGABYTES = 10 << 30
X = np.ones((2, 6), np.float32)
CHANGED = "m.bin was changed after the model was read; read the model again"


@pytest.fixture
def server(tmp_path):
    (tmp_path / "www").mkdir()
    with serving(tmp_path / "www") as server:
        yield server


@pytest.fixture
def model(net, server):
    """A model that reshapes by a constant, on the server."""
    layers = "x: f32[2,6]; a: Multiply x scale; b: Reshape a shape special_zero=false; y: Result b"
    model = net(layers, scale=np.arange(6, dtype=np.float32), shape=np.array([3, 4]))
    irops.write(model, server.folder / "m.xml")
    return server.folder / "m.xml"


def messages(report):
    return [finding.message for finding in report]


def test_a_check_reads_the_constants_that_it_folds_and_no_others(server, model):
    weights = model.with_suffix(".bin")
    offset = weights.stat().st_size
    with weights.open("ab") as file:
        file.truncate(GIGABYTES)
    text = model.read_text()
    assert offset < 100
    assert text.count('type="Const"') == 2
    read, fetched = bytes_read(), bytes_fetched()
    report = irops.check(f"{server.url}/m.xml")
    assert messages(report) == []
    assert bytes_read() - read == len(text) + 16
    assert bytes_fetched() - fetched == server.sent == len(text) + (1 << 16)


def test_blocks_and_whole_weights_are_sent_once_to_a_model(server, model):
    found = irops.read(f"{server.url}/m.xml")
    size = model.with_suffix(".bin").stat().st_size
    first = server.sent
    for _ in range(2):
        irops.check(found)
        assert server.sent == first + size  # one block
    for _ in range(2):
        irops.run(found, {"x": np.ones((2, 6), np.float32)})
        assert server.sent == first + 2 * size


def test_whole_weights_are_a_temporary_file_that_is_removed_with_the_model(
    server, model, tmp_path, monkeypatch
):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    found = irops.read(f"{server.url}/m.xml")
    irops.run(found, {"x": np.ones((2, 6), np.float32)})
    [folder] = (tmp_path / "tmp").iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in folder.iterdir()] == ["weights.bin"]
    del found
    gc.collect()
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_cache_of_fsspec_keeps_whole_files(server, model, tmp_path, monkeypatch):
    monkeypatch.setitem(fsspec.config.conf, "filecache", {"cache_storage": str(tmp_path / "kept")})
    url, x = f"filecache::{server.url}/m.xml", {"x": np.ones((2, 6), np.float32)}
    expected = irops.run(url, x)["y"].tolist()
    first = server.sent
    fsspec.get_filesystem_class("filecache").clear_instance_cache()  # as in another process
    assert irops.run(url, x)["y"].tolist() == expected
    assert server.sent == first


@pytest.mark.parametrize("has_tags", [True, False])
def test_what_changed_is_read_again(server, model, has_tags):
    server.has_tags = has_tags
    url = f"{server.url}/m.xml"
    x = np.ones((2, 6), np.float32)
    assert irops.run(url, {"x": x})["y"].ravel()[:3].tolist() == [0.0, 1.0, 2.0]
    weights = model.with_suffix(".bin")
    changed = np.frombuffer(weights.read_bytes(), np.uint8).copy()
    changed[:24] = np.arange(10, 16, dtype=np.float32).view(np.uint8)
    status = weights.stat()
    weights.write_bytes(changed.tobytes())
    if not has_tags:  # of the same size, within the same second
        os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert irops.run(url, {"x": x})["y"].ravel()[:3].tolist() == [10.0, 11.0, 12.0]


def test_weights_that_change_while_they_are_read_are_reported(server, model):
    found = irops.read(f"{server.url}/m.xml")
    weights = model.with_suffix(".bin")
    weights.write_bytes(weights.read_bytes() + b"more")
    assert messages(irops.check(found))[0].endswith(CHANGED)
    with pytest.raises(irops.DiagnosticError, match="was changed after the model was read"):
        irops.run(found, {"x": np.ones((2, 6), np.float32)})


@pytest.mark.parametrize("task", [irops.check, lambda model: irops.run(model, {"x": X})])
def test_weights_that_are_replaced_while_they_are_fetched_are_reported(server, model, task):
    found = irops.read(f"{server.url}/m.xml")

    def replace(path):
        if server.requests[-1][:2] == ("GET", "/m.bin"):
            os.utime(path, (1, len(server.requests)))

    server.before_answer = replace
    try:
        report = task(found)
    except irops.DiagnosticError as error:
        report = error.diagnostics
    assert messages(report)[0].endswith(CHANGED)


def test_a_model_that_changes_between_two_requests_is_reported(server, model):
    def change(path):
        if server.requests[-1][0] == "GET":
            os.utime(model, (1, len(server.requests)))

    server.before_answer = change
    [message] = messages(irops.check(f"{server.url}/m.xml"))
    assert message.endswith("m.xml cannot be read: it was changed while it was read; read the model again")


def test_a_server_that_sends_no_parts_is_asked_for_the_whole_file(server, model):
    server.knows_ranges = False
    url = f"{server.url}/m.xml"
    assert messages(irops.check(url)) == []
    y = irops.run(url, {"x": np.ones((2, 6), np.float32)})["y"]
    assert y.ravel()[:3].tolist() == [0.0, 1.0, 2.0]


def test_a_server_that_gives_no_size_sends_the_model_but_not_the_weights(server, model):
    server.gives_sizes = False
    report = irops.check(f"{server.url}/m.xml")
    assert [finding.name for finding in report] == ["missing-weights"]
    assert "m.bin cannot be read: the server does not say how large it is" in messages(report)[0]


@pytest.mark.parametrize(("status", "sentence"), table(__file__, "a_status_of_the_server_is_a_sentence"))
def test_a_status_of_the_server_is_a_sentence(server, model, status, sentence):
    server.status = status
    url = f"{server.url}/m.xml"
    assert messages(irops.check(url)) == [f"{url} {sentence}"]


def test_a_server_that_does_not_answer_is_given_up(server, model):
    server.delay = 2.0
    url = f"{server.url}/m.xml"
    [message] = messages(irops.check(url, limits=irops.Limits(remote_seconds=0.3)))
    assert message.startswith(f"{url} cannot be read: the server did not answer within 0.3 seconds")
    assert "remote_seconds" in message


def test_a_server_that_is_not_there_is_a_sentence():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # a port on which nobody listens
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/m.xml"
        assert messages(irops.check(url)) == [f"{url} cannot be read: the server cannot be reached"]


def test_a_model_that_is_too_large_is_refused_before_it_is_sent(server, model):
    with model.open("ab") as file:
        file.truncate(GIGABYTES)
    report = irops.check(f"{server.url}/m.xml")
    assert [finding.name for finding in report] == ["oversized-file"]
    assert server.sent <= 1 << 20


def test_weights_that_the_disk_cannot_hold_are_refused_before_they_are_sent(server, model, monkeypatch):
    with model.with_suffix(".bin").open("ab") as file:
        file.truncate(GIGABYTES)
    monkeypatch.setattr("irops.ir.remote.shutil.disk_usage", lambda _: SimpleNamespace(free=7))
    with pytest.raises(irops.DiagnosticError, match=r"has 7 left; TMPDIR names another folder"):
        irops.run(f"{server.url}/m.xml", {"x": np.ones((2, 6), np.float32)})
    assert server.sent < 1 << 20


def test_no_report_shows_credentials(server, model):
    host = server.url.removeprefix("http://")
    url = f"http://user:secret@{host}/m.xml?X-Amz-Signature=5ec3e7"
    found = irops.read(url)
    report = irops.check(url)
    server.status = 403
    failed = irops.check(url)
    texts = [repr(found.weights), str(found.source.path), found.weights.path, str(failed), str(report.path)]
    assert f"http://{host}/m.xml?…" in str(failed)
    assert not [text for text in texts if "secret" in text or "5ec3e7" in text]
    assert ("GET", "/m.xml", "X-Amz-Signature=5ec3e7") in server.requests


@pytest.fixture
def leading(server, tmp_path, monkeypatch):
    """A server that redirects to the other one, under another name of this machine."""
    monkeypatch.setattr("irops.ir.remote._reported", set())
    with serving(tmp_path) as leading:
        leading.leads_to = server.url.replace("127.0.0.1", "localhost")
        yield leading


def test_a_redirect_to_another_host_is_named_and_takes_no_credentials_along(leading, server, model, caplog):
    report = irops.check(leading.url.replace("//", "//anna:secret@") + "/m.xml")
    assert messages(report) == []
    assert leading.credentials[0].startswith("Basic ")
    assert set(server.credentials) == {None}
    assert caplog.messages == [f"{leading.url}/m.xml is redirected to {leading.leads_to}/m.xml"]


def test_a_redirect_into_a_private_network_is_refused(leading, server, model, monkeypatch):
    async def is_private(host):
        return host == "localhost"

    monkeypatch.setattr("irops.ir.remote._is_private", is_private)
    for url in (
        f"{leading.url}/m.xml",
        f"zip://m.xml::{leading.url}/a.zip",
        f"simplecache::{leading.url}/m.xml",
    ):
        (found,) = messages(irops.check(url))
        assert found.endswith("127.0.0.1 redirects to localhost, an address of a private network")
    assert server.requests == []


@pytest.mark.parametrize(
    ("host", "private"), [("127.0.0.1", True), ("::1", True), ("169.254.169.254", True), ("8.8.8.8", False)]
)
def test_addresses_of_private_networks_are_known(host, private):
    from irops.ir.remote import _is_private

    assert asyncio.run(_is_private(host)) is private
