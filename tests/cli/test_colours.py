"""When output has colours; the help of commands has none."""

import io
import re

import pytest

from irops.cli.streams import uses_colour

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("variables", "on_a_terminal", "in_a_pipe"),
    [
        ({}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR_FORCE": "0"}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
    ],
)
def test_variables_of_the_environment_decide(variables, on_a_terminal, in_a_pipe, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (uses_colour(Terminal()), uses_colour(io.StringIO())) == (on_a_terminal, in_a_pipe)


@pytest.mark.parametrize("words", [("--help",), ("check", "--help"), ("check", "--strit")])
def test_help_and_usage_have_no_colours(words, irops, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = irops(*words)
    assert "usage: irops" in result.out + result.err
    assert not ESCAPE.search(result.out + result.err)
