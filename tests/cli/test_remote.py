"""Commands on models at URLs: what they take, what they refuse, and that they show no credentials."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from libraries import needs
from remote_servers import serving
from tables import table

import irops
from irops.cli.main import main
from irops.diagnostics.formats import FORMATS

pytestmark = [needs("fsspec", "aiohttp")]
QUERY = "X-Amz-Credential=AKIA&X-Amz-Signature=5ec3e7"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


@pytest.fixture
def server(net, tmp_path):
    (tmp_path / "www").mkdir()
    model = net(
        "x: f32[2,3]; scaled: Multiply x scale; y: Result scaled", scale=np.arange(3, dtype=np.float32)
    )
    irops.write(model, tmp_path / "www" / "m.xml")
    with serving(tmp_path / "www") as server:
        yield server


@pytest.fixture
def url(server):
    """With a user, a password and a signature, which nothing may show."""
    return f"http://user:secret@{server.url.removeprefix('http://')}/m.xml?{QUERY}"


@pytest.mark.parametrize("words", table(__file__, "a_command_takes_a_url_and_shows_no_credentials"))
def test_a_command_takes_a_url_and_shows_no_credentials(url, capfd, words, folder):
    assert main([word.replace("URL", url) for word in words.split()]) == 0
    shown = "".join(capfd.readouterr())
    written = [path.read_bytes() for path in folder.iterdir()]
    assert not [secret for secret in ("secret", "AKIA", "5ec3e7") if secret in shown]
    assert not [text for text in written if b"secret" in text or b"5ec3e7" in text]


@pytest.mark.parametrize("style", FORMATS)
def test_no_format_shows_credentials(url, server, capfd, style):
    server.status = 403
    assert main(["check", url, "--output-format", style]) == 2
    shown = "".join(capfd.readouterr())
    assert "m.xml" in shown
    assert "HTTP 403" in shown
    assert not [secret for secret in ("secret", "AKIA", "5ec3e7") if secret in shown]


def test_fixes_of_a_remote_file_are_not_written(server, url, capfd):
    model = server.folder / "m.xml"
    model.write_text(model.read_text().replace('type="Multiply"', 'type="multiply"'))
    assert main(["check", url, "--fix"]) == 2
    assert "is a URL; irops writes local files only" in capfd.readouterr().out
    assert 'type="multiply"' in model.read_text()


def test_functions_write_no_urls_either(url):
    model = irops.read(url)
    with pytest.raises(OSError, match="is a URL; irops writes local files only"):
        irops.write(model, url)


def test_inputs_are_not_read_from_urls(url, capfd):
    assert main(["run", url, "--load-inputs", url]) == 2
    assert "only models and their weights are read from URLs" in capfd.readouterr().err


def test_weights_at_a_url_serve_a_local_model(server, url, capfd, folder):
    Path("m.xml").write_bytes((server.folder / "m.xml").read_bytes())
    weights = url.replace("m.xml", "m.bin")
    assert main(["run", "m.xml", "--weights", weights, "--fill", "ones"]) == 0
    assert main(["check", "m.xml", "--weights", weights.replace("m.bin", "none.bin")]) == 1
    assert "none.bin does not exist (HTTP 404)" in capfd.readouterr().out


def test_a_check_of_remote_weights_asks_again(server, url, capfd):
    Path("m.xml").write_bytes((server.folder / "m.xml").read_bytes())
    words = ["check", "m.xml", "--weights", url.replace("m.xml", "m.bin")]
    assert main(words) == 0
    (server.folder / "m.bin").write_bytes(b"")
    assert main(words) == 1


def test_findings_of_a_remote_file_are_accepted_by_a_baseline(url, capfd, server):
    server.status = 404
    assert main(["check", url, "--write-baseline", "accepted.json"]) == 0
    assert list(json.loads(Path("accepted.json").read_text())["findings"]) == [f"{server.url}/m.xml?…"]
    assert main(["check", url, "--baseline", "accepted.json"]) == 0


def test_a_url_of_the_protocol_file_is_a_local_file(server, capfd):
    assert main(["check", (server.folder / "m.xml").as_uri()]) == 0
    assert main(["check", server.folder.as_uri()]) == 0
    assert os.fspath(server.folder / "m.xml") in capfd.readouterr().out


def test_a_source_of_a_comparison_at_a_url_is_written_with_a_prefix(url, capfd):
    assert main(["compare", url, "--fill", "ones", "--a", "reference", "--b", url]) == 2
    assert "a model there is written model:" in capfd.readouterr().err
    assert main(["compare", url, "--fill", "ones", "--a", "reference", "--b", f"onnxruntime:{url}"]) == 2
    assert "must be a local file" in capfd.readouterr().err
