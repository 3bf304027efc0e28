"""Fixtures that run the command line in this process."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from irops.cli.main import main

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
    path.write_text(REVERSING)
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


REVERSING = """<?xml version="1.0"?>
<net name="reversing" version="11">
  <layers>
    <layer id="0" name="x" type="Parameter" version="opset1">
      <data shape="?,3" element_type="f32"/>
      <output><port id="0" precision="FP32" names="x,data"><dim>-1</dim><dim>3</dim></port></output>
    </layer>
    <layer id="1" name="lengths" type="Parameter" version="opset1">
      <data shape="?" element_type="i32"/>
      <output><port id="0" precision="I32"><dim>-1</dim></port></output>
    </layer>
    <layer id="2" name="reversed" type="ReverseSequence" version="opset1">
      <data batch_axis="0" seq_axis="1"/>
      <input>
        <port id="0"><dim>-1</dim><dim>3</dim></port>
        <port id="1"><dim>-1</dim></port>
      </input>
      <output><port id="2" precision="FP32"><dim>-1</dim><dim>3</dim></port></output>
    </layer>
    <layer id="3" name="y" type="Result" version="opset1">
      <input><port id="0"><dim>-1</dim><dim>3</dim></port></input>
    </layer>
  </layers>
  <edges>
    <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
    <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
    <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
  </edges>
</net>
"""
