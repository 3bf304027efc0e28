"""Commands in processes of their own, and sessions of a terminal in this one."""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from irops.cli.main import main

ROOT = Path(__file__).parents[2]


def process(*words: str | Path, check: bool = False, **more: Any) -> subprocess.CompletedProcess[str]:
    """How a command ends, and what it wrote. check: it may not fail; more: as subprocess.run takes them"""
    return subprocess.run(words, capture_output=True, text=True, check=check, **more)


def python_process(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command of this Python."""
    return process(sys.executable, *words, **more)


def started(*words: object, env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[str]:
    """Python with irops of this folder and the words of a line, whose outputs are read as texts. env: further
    variables
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    command = [sys.executable, *map(str, words)]
    return subprocess.Popen(command, text=True, env=environment, **(pipes | options))


def python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """How Python with irops of this folder ends, and what it wrote."""
    with started(*words, **options) as running:
        out, err = running.communicate()
    return subprocess.CompletedProcess(running.args, running.returncode, out, err)


def session(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a session, each after a $, and what each one prints there."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def output_of(command: str) -> str:
    """What a command prints, run in this process and in the current folder: one of irops, or cat FILE."""
    name, *words = shlex.split(command)
    if name == "cat":
        return Path(*words).read_text("utf-8")
    assert name == "irops"
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        main(words)
    return printed.getvalue()
