"""What users write works, what is wrong raises, and mypy distinguishes the two."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from libraries import needs

pytestmark = needs("torch")
ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("user_calls.py")
LINES = FILE.read_text("utf-8").splitlines()
FIRST = next(k for k, line in enumerate(LINES) if line.startswith("g = irops"))
WRONG = {k + 1 for k, line in enumerate(LINES) if line.endswith("# wrong")}


def test_each_call_works_or_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    exec("\n".join(LINES[:FIRST]), names)
    other_than_said = []
    for number, line in enumerate(LINES[FIRST:], FIRST + 1):
        try:
            exec(compile(line, f"line {number}", "exec"), names)
            is_wrong = False
        except Exception:
            is_wrong = True
        if is_wrong != (number in WRONG):
            other_than_said.append(line)
    assert other_than_said == []


def test_there_are_enough_of_both() -> None:
    assert len(LINES) - FIRST >= 60
    assert len(WRONG) >= 20


@pytest.mark.slow
def test_mypy_finds_the_wrong_calls_and_no_other() -> None:
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", str(FILE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = {int(n) for n in re.findall(r"user_calls\.py:(\d+): error", done.stdout)}
    assert found == WRONG, done.stdout
