"""Lines that no command accepts end with 2 and a sentence, suggest a mistyped word, and write nothing."""

import re
from pathlib import Path

import pytest
from commands import python
from tables import table

from irops.cli.main import COMMANDS

REFUSED = [
    (line, said.replace("$", "\n"))
    for line, said in re.findall(
        r"^irops (.*)\n    (.*)$", Path(__file__).with_name("refused.txt").read_text("utf-8"), re.MULTILINE
    )
]
"""Lines, and what is said of them."""


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_wrong_line_is_refused_with_a_sentence_and_nothing_is_written(
    line, said, irops, words, places, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    (tmp_path / "V.npz").write_bytes(b"PK\5\6" + bytes(18))
    before = sorted(tmp_path.rglob("*"))
    result = irops(*words(line))
    assert (result.status, result.out) == (2, "")
    assert said.format(**places) in result.err
    assert result.err.count("did you mean") == said.count("did you mean")
    assert not {"Traceback", "internal error"} & set(result.err.split(":"))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "said"), table(__file__, "a_file_that_cannot_be_read_is_a_finding_of_check")
)
def test_a_file_that_cannot_be_read_is_a_finding_of_check(line, said, irops, words, places):
    result = irops(*words(line))
    assert result.status == 2
    assert said.format(**places) in result.out
    assert result.out.count("error IR") == 1


@pytest.mark.parametrize(
    ("line", "missing", "extra"), table(__file__, "a_missing_library_is_named_with_its_extra_before_any_work")
)
def test_a_missing_library_is_named_with_its_extra_before_any_work(
    line, missing, extra, irops, words, monkeypatch
):
    monkeypatch.setattr("irops.environment._is_installed", lambda library: False)
    result = irops(*words(line))
    assert (result.status, result.out) == (2, "")
    said = f"irops {line.split()[0]}: {missing} not installed; pip install 'irops[{extra}]' installs "
    assert re.fullmatch(rf"{re.escape(said)}(it|them)\n", result.err)


def test_every_command_refuses_something():
    assert {line.split()[0] for line, _ in REFUSED if line} >= COMMANDS.keys()


@pytest.mark.parametrize(
    "line", ["draw MODEL --around revresed -o y.svg", "extract MODEL --to revresed -o y.xml"]
)
def test_a_mistyped_part_of_a_model_is_a_finding_with_a_suggestion(line, irops, words):
    result = irops(*words(line))
    assert (result.status, result.out) == (1, "")
    assert "did you mean 'reversed'?" in result.err


def test_a_module_run_by_python_gives_the_same_suggestions():
    done = python("-m", "irops", "explane", "IR202")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("irops explane: unknown command 'explane'; did you mean explain?")


def test_a_file_with_a_similar_name_is_suggested(irops, reversing, tmp_path):
    result = irops("check", tmp_path / "revresing.xml")
    assert result.status == 2
    assert f"note: did you mean {reversing}?" in result.out
    (tmp_path / "inputs.npz").write_bytes(b"")
    result = irops("run", reversing, "--load-inputs", tmp_path / "input.npz")
    assert result.status == 2
    assert f"did you mean {tmp_path / 'inputs.npz'}?" in result.err


def test_help_describes_a_command(irops):
    assert irops("help", "check") == irops("check", "--help")
    assert irops("help").out == irops("--help").out
    assert irops().status == 2
