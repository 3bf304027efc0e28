"""Fixtures that run the command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from command_words import REVERSING

from irops.cli.main import main

ROOT = Path(__file__).parents[2]


class Result(NamedTuple):
    status: int
    out: str
    err: str


Irops = Callable[..., Result]


@pytest.fixture
def irops(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Irops:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR", "IROPS_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def call(*words: str | Path) -> Result:
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return call


@pytest.fixture
def broken() -> Path:
    return ROOT / "tests" / "rules" / "IR401.xml"


@pytest.fixture
def valid_model() -> Path:
    return ROOT / "examples" / "bidirectional_encoder" / "model.xml"


@pytest.fixture
def reversing(tmp_path: Path) -> Path:
    """A model of ReverseSequence with inputs x f32[?,3] and lengths i32[?], result y."""
    path = tmp_path / "reversing.xml"
    path.write_text(REVERSING)
    return path
