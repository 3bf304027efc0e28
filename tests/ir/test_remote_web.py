"""Models on web servers: ranges, sizes, changes, errors, and what is printed of their URLs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from libraries import needs
from remote_servers import FileServer, serving

import irops
from irops.ir.traffic import bytes_fetched, bytes_read

pytestmark = [needs("fsspec"), needs("aiohttp")]
GIGABYTES = 10 << 30


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("IROPS_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def server(tmp_path) -> FileServer:
    (tmp_path / "www").mkdir()
    with serving(tmp_path / "www") as server:
        yield server


@pytest.fixture
def model(server) -> Path:
    """A model that reshapes by a constant, on the server."""
    graph = irops.Graph("shaped")
    x = graph.parameter("x", "f32", "2,6")
    scaled = x * graph.constant(np.arange(6, dtype=np.float32))
    graph.result(graph.ops.Reshape(scaled, graph.constant(np.array([3, 4])), special_zero=False), "y")
    irops.write(graph.model(), server.folder / "m.xml")
    return server.folder / "m.xml"


def messages(report) -> list[str]:
    return [finding.message for finding in report]


def test_a_check_reads_the_constants_that_it_folds_and_no_others(server, model):
    weights = model.with_suffix(".bin")
    offset = weights.stat().st_size
    with weights.open("ab") as file:
        file.truncate(GIGABYTES)
    text = model.read_text()
    assert offset < 100
    assert text.count("<data element_type") == 2
    read, fetched = bytes_read(), bytes_fetched()
    report = irops.check(f"{server.url}/m.xml")
    assert messages(report) == []
    assert bytes_read() - read == len(text) + 16
    assert bytes_fetched() - fetched == server.sent == len(text) + (1 << 16)


def test_what_did_not_change_is_not_sent_again(server, model):
    url = f"{server.url}/m.xml"
    irops.check(url)
    first = server.sent
    irops.check(url)
    assert server.sent == first
    irops.run(url, {"x": np.ones((2, 6), np.float32)})
    whole = server.sent
    irops.run(url, {"x": np.ones((2, 6), np.float32)})
    assert server.sent == whole == first + model.with_suffix(".bin").stat().st_size


@pytest.mark.parametrize("has_tags", [True, False])
def test_what_changed_is_never_served_from_the_cache(server, model, has_tags):
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
    assert messages(irops.check(found))[0].endswith(
        "m.bin was changed after the model was read; read the model again"
    )
    with pytest.raises(irops.DiagnosticError, match="was changed after the model was read"):
        irops.run(found, {"x": np.ones((2, 6), np.float32)})


def test_a_model_that_changes_between_two_requests_is_reported(server, model):
    def change(path: Path) -> None:
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


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (404, "does not exist (HTTP 404)"),
        (403, "cannot be read: access is denied (HTTP 403)"),
        (401, "cannot be read: access is denied, the server asks for credentials (HTTP 401)"),
        (503, "cannot be read: the server answers HTTP 503"),
    ],
)
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


def test_weights_that_the_cache_cannot_keep_are_refused_before_they_are_sent(server, model, monkeypatch):
    with model.with_suffix(".bin").open("ab") as file:
        file.truncate(GIGABYTES)
    monkeypatch.setenv("IROPS_REMOTE_CACHE_BYTES", "1000000")
    with pytest.raises(irops.DiagnosticError, match="IROPS_REMOTE_CACHE_BYTES"):
        irops.run(f"{server.url}/m.xml", {"x": np.ones((2, 6), np.float32)})
    assert server.sent < 1 << 20
    monkeypatch.setenv("IROPS_REMOTE_CACHE_BYTES", "many")
    [message] = messages(irops.check(f"{server.url}/m.xml"))[:1]
    assert "IROPS_REMOTE_CACHE_BYTES is 'many', must be a number of bytes" in message


def test_no_report_shows_credentials(server, model, cache):
    host = server.url.removeprefix("http://")
    url = f"http://user:secret@{host}/m.xml?X-Amz-Signature=5ec3e7"
    found = irops.read(url)
    report = irops.check(url)
    server.status = 403
    failed = irops.check(url)
    texts = [repr(found.weights), str(found.source.path), found.weights.path, str(failed), str(report.path)]
    texts += [str(path) for path in cache.rglob("*")]
    assert f"http://{host}/m.xml?…" in str(failed)
    assert not [text for text in texts if "secret" in text or "5ec3e7" in text]
    assert ("GET", "/m.xml", "X-Amz-Signature=5ec3e7") in server.requests


@pytest.mark.slow("many processes")
def test_processes_that_run_a_model_at_the_same_time_fetch_its_weights_once(server, model):
    with model.with_suffix(".bin").open("ab") as file:
        file.write(bytes(3 << 20))
    code = (
        "import numpy, irops, sys;"
        "print(irops.run(sys.argv[1], {'x': numpy.ones((2, 6), numpy.float32)})['y'].sum())"
    )
    words = [sys.executable, "-c", code, f"{server.url}/m.xml"]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in processes] == ["30.0"] * 3
    assert server.sent < 2 * model.with_suffix(".bin").stat().st_size
