"""The help of commands has colours on a terminal, and the same text without them elsewhere."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from irops.cli.command import commands
from irops.cli.parser import coloured
from irops.cli.streams import uses_colour

Irops = Callable[..., Any]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
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
def test_variables_of_the_environment_decide(
    variables: dict[str, str], on_a_terminal: bool, in_a_pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (uses_colour(Terminal()), uses_colour(io.StringIO())) == (on_a_terminal, in_a_pipe)


@pytest.mark.parametrize("command", ["", *commands()])
def test_colours_do_not_change_the_text(command: str, irops: Irops, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [command, "--help"] if command else ["--help"]
    plain = irops(*words).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    in_colour = irops(*words).out
    assert ESCAPE.sub("", in_colour) == plain
    assert not ESCAPE.search(plain)
    assert "\x1b[1;33musage:\x1b[0m \x1b[1mirops\x1b[0m" in in_colour
    assert "\x1b[36m--help\x1b[0m" in in_colour
    assert all(line.count("\x1b[0m") * 2 == line.count("\x1b") for line in in_colour.splitlines())


def test_headings_options_and_values_have_colours_of_their_own() -> None:
    text = "options:\n  --output, -o FILE  as --input does; see --limit NAME=VALUE\n"
    assert coloured(text) == (
        "\x1b[1;33moptions:\x1b[0m\n"
        "  \x1b[36m--output\x1b[0m, \x1b[36m-o\x1b[0m \x1b[32mFILE\x1b[0m"
        "  as \x1b[36m--input\x1b[0m does; see \x1b[36m--limit\x1b[0m NAME=VALUE\n"
    )


def test_wrong_usage_is_in_colour_too(irops: Irops, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    error = irops("check", "--strit").err
    assert "\x1b[1;31merror: \x1b[0munrecognized arguments" in error


def test_help_in_plain_text_imports_no_rich() -> None:
    script = (
        "import sys; from irops.cli.main import main; main(['check', '--help']);"
        "print('rich' in sys.modules, file=sys.stderr)"
    )
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stderr == "False\n"
    assert not ESCAPE.search(done.stdout)
