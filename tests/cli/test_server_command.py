"""irops server: its arguments. tests/server has its sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from irops.server.records import ServerOptions

Irops = Callable[..., Any]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[ServerOptions, Any]]:
    """What the server is started with, which then ends at once."""
    calls: list[tuple[ServerOptions, Any]] = []
    monkeypatch.setattr("irops.server.features.serve", lambda *arguments: calls.append(arguments))
    return calls


def test_a_missing_extra_is_named(irops: Irops, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("irops.environment._is_installed", lambda library: library != "pygls")
    message = "irops server: pygls is not installed; pip install 'irops[server]' installs it\n"
    assert irops("server") == (2, "", message)


def test_options_reach_the_server(irops: Irops, served: list[Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("irops.server.features.listening", lambda *address: address)
    words = ("--tcp", "[::1]:2087", "--limit", "seconds=7", "--docs", "https://example.org/irops")
    assert irops("server", *words).status == 0
    ((options, address),) = served
    assert address == ("::1", 2087)
    assert (options.limits.seconds, options.docs) == (7, "https://example.org/irops")


@pytest.mark.parametrize("address", ["localhost", "localhost:", ":80", "localhost:65536", "localhost:²"])
def test_what_is_no_address_is_refused(irops: Irops, served: list[Any], address: str):
    result = irops("server", "--tcp", address)
    assert result.status == 2
    assert "must be HOST:PORT such as localhost:2087" in " ".join(result.err.split())
    assert served == []


def test_standard_input_and_a_port_exclude_each_other(irops: Irops, served: list[Any]):
    assert irops("server", "--stdio", "--tcp", "localhost:2087").status == 2
    assert served == []
