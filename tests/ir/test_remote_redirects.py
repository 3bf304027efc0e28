"""Redirects of web servers: another host gets a request only if the user allows it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from libraries import needs
from remote_servers import FileServer, serving

import irops

pytestmark = [needs("fsspec"), needs("aiohttp")]
MODEL = Path(__file__).parents[2] / "examples" / "reversing" / "model.xml"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IROPS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("IROPS_REDIRECT_HOSTS", raising=False)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[FileServer, FileServer]]:
    """A server and a stranger's, both with the same files."""
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "m.xml").write_text(MODEL.read_text())
    with zipfile.ZipFile(tmp_path / "www" / "m.zip", "w") as archive:
        archive.writestr("m.xml", MODEL.read_text())
    with serving(tmp_path / "www") as server, serving(tmp_path / "www") as stranger:
        yield server, stranger


def messages(url: str) -> list[str]:
    return [finding.message for finding in irops.check(url)]


def test_a_redirect_on_one_server_is_followed(servers: tuple[FileServer, FileServer]):
    server, _ = servers
    server.redirects = {"/latest.xml": "/m.xml", "/first.xml": f"{server.url}/latest.xml"}
    assert messages(f"{server.url}/latest.xml") == []
    assert messages(f"{server.url}/first.xml") == []


@pytest.mark.parametrize("url", ["{}/latest.xml", "zip://m.xml::{}/latest.xml"])
def test_a_redirect_to_another_server_is_refused_and_named(servers: tuple[FileServer, FileServer], url: str):
    server, stranger = servers
    secret = stranger.url.replace("http://", "http://user:secret@")
    server.redirects = {"/latest.xml": f"{secret}/m.{'zip' if 'zip' in url else 'xml'}?token=abc"}
    (message,) = messages(url.format(server.url))
    assert "the server redirects to http://" in message
    assert f"127.0.0.1:{stranger.server_address[1]}/m." in message
    assert "IROPS_REDIRECT_HOSTS=127.0.0.1 allows redirects to that host" in message
    assert "secret" not in message
    assert "abc" not in message
    assert stranger.requests == []


@pytest.mark.parametrize(
    "target",
    [
        "http://localhost:{port}/m.xml",
        "//localhost:{port}/m.xml",
        "file:///etc/passwd",
        "https://[",
        "ftp://x/y",
    ],
)
def test_another_name_another_protocol_and_what_is_no_url_are_refused(
    servers: tuple[FileServer, FileServer], target: str
):
    server, stranger = servers
    server.redirects = {"/latest.xml": target.format(port=stranger.server_address[1])}
    (message,) = messages(f"{server.url}/latest.xml")
    assert "the server redirects to" in message
    assert stranger.requests == []


def test_a_chain_of_redirects_does_not_lead_away(servers: tuple[FileServer, FileServer]):
    server, stranger = servers
    server.redirects = {"/a.xml": "/b.xml", "/b.xml": f"{stranger.url}/m.xml"}
    assert "redirects to" in messages(f"{server.url}/a.xml")[0]
    assert stranger.requests == []


@pytest.mark.parametrize("hosts", ["*", "example.org, 127.0.0.*", "127.0.0.1"])
def test_hosts_that_the_user_names_are_allowed(
    servers: tuple[FileServer, FileServer], hosts: str, monkeypatch: pytest.MonkeyPatch
):
    server, stranger = servers
    server.redirects = {"/latest.xml": f"{stranger.url}/m.xml"}
    monkeypatch.setenv("IROPS_REDIRECT_HOSTS", "example.org,,127.0.0")
    assert len(messages(f"{server.url}/latest.xml")) == 1
    monkeypatch.setenv("IROPS_REDIRECT_HOSTS", hosts)
    assert messages(f"{server.url}/latest.xml") == []
    assert stranger.requests != []
