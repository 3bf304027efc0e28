"""What all commands share: help, exit codes, one sentence for what goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from irops.cli.main import COMMANDS

Irops = Callable[..., Any]  # words in; status, out and err back: see conftest.py
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, irops: Irops) -> None:
    told = irops(command, "--help")
    assert told.status == 0
    assert "example:\n  irops " + command in told.out
    assert "--quiet" in told.out or command == "explain"
    assert all(len(line) <= 80 for line in told.out.splitlines())


def test_the_overview_lists_every_command(irops: Irops) -> None:
    told = irops("--help")
    assert told.status == 0
    assert all(f"  {name} " in told.out for name in COMMANDS)


def test_no_command_is_wrong_usage(irops: Irops) -> None:
    assert irops().status == 2


def test_the_version_is_told(irops: Irops) -> None:
    assert irops("--version").out.startswith("irops ")


def test_a_command_that_is_none_brings_the_nearest(irops: Irops) -> None:
    told = irops("chekc")
    assert (told.status, told.out) == (2, "")
    assert (
        told.err
        == "irops chekc: there is no command 'chekc'; did you mean check?; irops --help lists them all\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["check", "a.xml", "--nonsense"],
        ["run", "m.xml", "--fill", "sevens"],
        ["infer", "m", "--input", "x"],
    ],
)
def test_wrong_usage_is_2(words: list[str], irops: Irops) -> None:
    told = irops(*words)
    assert told.status == 2
    assert "usage: irops " + words[0] in told.err


def test_an_internal_error_is_a_sentence_and_how_to_report_it(
    irops: Irops, monkeypatch: pytest.MonkeyPatch, broken: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the wheels came off\nand more")

    monkeypatch.setattr(import_module("irops.cli.many"), "check", fail)
    told = irops("check", broken)
    assert told.status == 2
    assert told.err.startswith("irops check: internal error: RuntimeError: the wheels came off\n")
    assert "Please report it" in told.err
    assert "Traceback" not in told.err
    with pytest.raises(RuntimeError):
        irops("check", broken, "--debug")
    monkeypatch.setenv("IROPS_DEBUG", "1")
    with pytest.raises(RuntimeError):
        irops("check", broken)


def test_an_interrupted_command_ends_with_130(
    irops: Irops, monkeypatch: pytest.MonkeyPatch, broken: Path
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("irops.cli.many"), "check", interrupt)
    assert irops("check", broken) == (130, "", "irops check: interrupted\n")


def python(*words: str | Path, **more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_a_reader_that_leaves_early_is_no_error(sound: Path) -> None:
    process = python("-m", "irops", "inspect", sound, "--output-format", "json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == 128 + signal.SIGPIPE
    assert process.stderr.read() == ""
    process.stderr.close()


def test_text_that_the_terminal_cannot_say_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    layer = '<layer id="0" name="été" type="Sigmoide" version="opset1"/>'
    path.write_text(f'<net name="m" version="11"><layers>{layer}</layers></net>', "utf-8")
    out, err = python("-m", "irops", "check", path, PYTHONIOENCODING="ascii").communicate()
    assert 'layer 0 "\\xe9t\\xe9"' in out
    assert err == ""


HEAVY = ("rich", "networkx", "jinja2", "importlib.metadata", "asyncio")


@pytest.mark.parametrize("form", ["full", "concise", "json"])
def test_checking_a_graph_loads_little(form: str, tmp_path: Path) -> None:
    """networkx is for cycles, rich for terminals."""
    path = tmp_path / "m.xml"
    path.write_text('<net name="m" version="11"><layers/><edges/></net>')
    script = (
        f"import sys; from irops.cli.main import main; main(['check', {str(path)!r}, '--output-format',"
        f" {form!r}]);print(*(n for n in {HEAVY!r} if n in sys.modules), file=sys.stderr)"
    )
    assert python("-c", script).communicate()[1].split() == []


def test_importing_irops_loads_nothing_heavy() -> None:
    script = f"import sys, irops; print(*(n for n in {('numpy', 'argparse', *HEAVY)!r} if n in sys.modules))"
    assert python("-c", script).communicate()[0].split() == []
