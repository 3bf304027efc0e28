"""Programs of the system are found in the absolute folders of PATH alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from irops.work.processes.python import program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs of POSIX")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program."""
    (tmp_path / "dot").write_text("#!/bin/sh\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("path", ["", ".", ":", "bin:.", "./"])
def test_the_current_folder_does_not_count(path: str, folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", path)
    assert program("dot") is None


def test_a_program_has_an_absolute_path(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", os.pathsep.join(("absent", str(folder))))
    assert program("dot") == str(folder / "dot")
    (folder / "dot").chmod(0o644)
    assert program("dot") is None
