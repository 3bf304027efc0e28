"""irops server: its arguments. tests/server has its sessions."""

import pytest


@pytest.fixture
def served(monkeypatch):
    """What the server is started with, which then ends at once."""
    calls = []
    monkeypatch.setattr("irops.server.features.serve", lambda *arguments: calls.append(arguments))
    return calls


def test_options_reach_the_server(irops, served):
    words = ("--stdio", "--limit", "seconds=7", "--docs", "https://example.org/irops")
    assert irops("server", *words).status == 0
    ((options,),) = served
    assert (options.limits.seconds, options.docs) == (7, "https://example.org/irops")
