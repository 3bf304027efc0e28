"""Fixtures that run the command line in this process."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from irops.cli.main import main
from tests.conftest import net_text

ROOT = Path(__file__).parents[2]


class Result(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


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
    return ROOT / "irops" / "diagnostics" / "rules" / "IR401.xml"


@pytest.fixture
def valid_model() -> Path:
    return ROOT / "examples" / "bidirectional_encoder" / "model.xml"


@pytest.fixture
def reversing(tmp_path: Path) -> Path:
    """A model of ReverseSequence with inputs x f32[?,3] and lengths i32[?], result y."""
    path = tmp_path / "reversing.xml"
    inputs, op = "x: f32[?,3]; lengths: i32[?]", "ReverseSequence x lengths batch_axis=0 seq_axis=1"
    text = net_text(f"{inputs}; reversed: {op}; y: Result reversed").replace("x.0", "x,data")
    path.write_text(re.sub(r' names="\w+\.0"', "", text))
    return path


FAULTY = '<layer type="Odd" version="extension" category="sort"><summary>Odd.</summary></layer>'


@pytest.fixture
def places(tmp_path: Path, reversing: Path, broken: Path) -> dict[str, Path]:
    """The files that words in capital letters stand for in the lines of tests."""
    faulty, folder = tmp_path / "faulty", tmp_path / "folder"
    faulty.mkdir()
    (faulty / "Odd-extension.xml").write_text(FAULTY)
    folder.mkdir()
    (folder / "note.txt").write_text("a user's file")
    (tmp_path / "malformed.xml").write_text("<net><layers><layer id='0'/></layers>")
    files = {"MALFORMED": "malformed.xml", "ABSENT": "absent.xml", "OUT": "out"}
    here = {"MODEL": reversing, "BROKEN": broken, "FOLDER": folder, "FAULTY": faulty}
    return {**here, "PIPE": Path("/dev/null"), **{name: tmp_path / file for name, file in files.items()}}


@pytest.fixture
def words(places: dict[str, Path]) -> Callable[[str], list[str]]:
    """The words of a line, with the names of files in place of words in capital letters."""
    pattern = re.compile("|".join(places))
    return lambda line: [pattern.sub(lambda found: str(places[found[0]]), w) for w in shlex.split(line)]
