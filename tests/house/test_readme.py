"""The README runs from top to bottom: each step works after those before it, and prints what is shown."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from irops.cli.command import commands

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
CHECKOUT = ("irops", "schemas", "examples", "pyproject.toml", "README.md", "LICENSE")
"""What pip needs of the checkout, and what the README names."""
BLOCK = re.compile(r"(?:<!-- (\w+) -->\n)?^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A command of the README as a line of a shell, and what it prints, or None where that is not shown."""

    line: str
    shown: str | None = None

    @property
    def failure(self) -> str:
        """What else a shell takes for success: sessions show commands that report findings."""
        return "[ $? = 1 ] || " if self.line.startswith("irops ") and self.shown else ""


def steps() -> Iterator[Step]:
    """All commands in order, but for the one that runs these tests."""
    for marker, language, text in BLOCK.findall(README):
        if marker == "test":
            continue
        if language == "sh":
            yield from map(Step, text.splitlines())
        elif language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                yield Step(command, shown)
        elif language == "python":
            printed = re.findall(r"^ *print\(.*?\) *# (.*)$", text, re.MULTILINE)
            yield Step(f"python -c {shlex.quote(text)}", "".join(f"{line}\n" for line in printed))


def run_in_order(chosen: list[Step], folder: Path, **environment: str) -> list[str]:
    """What each step prints, in one shell that keeps what earlier steps set."""
    script = "".join(
        f"{{ {step.line}\n}} >{folder}/out{k} 2>&1 || {step.failure}{{ cat {folder}/out{k}; exit 1; }}\n"
        for k, step in enumerate(chosen)
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return [(folder / f"out{k}").read_text("utf-8") for k in range(len(chosen))]


def assert_shown(step: Step, printed: str) -> None:
    """What is shown is printed; a line of dots stands for any lines, … for the rest of one."""
    assert "Traceback" not in printed, (step.line, printed)
    if step.shown is not None:
        parts = re.split(r"^\.\.\.\n", step.shown, flags=re.MULTILINE)
        pattern = ".*".join("[^\n]*".join(map(re.escape, part.split("…"))) for part in parts)
        assert re.fullmatch(pattern, printed, re.DOTALL), (step.line, printed)


def copy_of_checkout(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)


def test_what_the_readme_shows_is_printed(tmp_path: Path) -> None:
    """The commands that need no extra, in the environment of the tests."""
    copy_of_checkout(tmp_path, ("examples",))
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, words in (("irops", "-m irops"), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    chosen = [step for step in steps() if step.shown is not None]
    path = f"{programs}:{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    variables.pop("COLUMNS", None)
    for step, printed in zip(chosen, run_in_order(chosen, tmp_path, **variables)):
        assert_shown(step, printed)
    assert len(chosen) >= 5


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_readme_runs_in_a_new_environment(tmp_path: Path) -> None:
    """In a folder with the checkout alone, with what the README installs and nothing else."""
    copy_of_checkout(tmp_path, CHECKOUT)
    kept = re.compile(r"HOME|LANG|TMPDIR|PIP_.*|.*_PROXY|.*_proxy|SSL_.*|REQUESTS_.*")
    variables = {name: value for name, value in os.environ.items() if kept.fullmatch(name)}
    folders = [f for f in os.environ["PATH"].split(os.pathsep) if not (Path(f) / "irops").exists()]
    base = Path(sys.executable).resolve().parent  # of the Python that virtual environments are made with
    path = os.pathsep.join([str(base), *folders])
    chosen = list(steps())
    for step, printed in zip(chosen, run_in_order(chosen, tmp_path, PATH=path, **variables)):
        assert_shown(step, printed)
    for name in ("changed.xml", "turned_rows.onnx", "model.svg", "older.xml"):
        assert (tmp_path / name).stat().st_size > 100


def test_the_commands_of_the_table_are_those_that_exist() -> None:
    table = README.partition("| to | commands |")[2].partition("\n\n")[0]
    named = {words.split()[0] for words in re.findall(r"`([^`]+)`", table) if words != "irops.Graph"}
    assert named - set(commands()) == set()
    assert set(commands()) - named <= {"completion", "gradient"}


def test_the_first_excerpt_is_what_irops_says_of_the_model() -> None:
    """It stands before the installation, so it is no session."""
    command = [sys.executable, "-m", "irops", "check", "examples/broken/refused.xml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert BLOCK.findall(README)[1][2] == done.stdout


def test_the_readme_is_short_and_its_first_screen_shows_a_refused_model() -> None:
    lines = README.splitlines()
    assert len(lines) <= 120
    first = "\n".join(lines[:32])
    assert "Cannot create ReLU layer" in first
    assert "fix: irops check --fix" in first


def test_openvino_refuses_the_model_with_the_words_of_the_readme() -> None:
    pytest.importorskip("openvino", reason="openvino is not installed")
    code = "import openvino, sys; openvino.Core().read_model(sys.argv[1])"
    model = ROOT / "examples" / "broken" / "refused.xml"
    done = subprocess.run([sys.executable, "-c", code, model], capture_output=True, text=True, check=False)
    assert BLOCK.findall(README)[0][2].strip() in done.stderr
