"""What irops writes is old or new, or known to be unfinished, after a failure at any system call."""

from __future__ import annotations

from pathlib import Path

import pytest
from injection import needs_strace
from libraries import needs
from tiers import slow_but
from writers import WRITERS, Trials, Writer, short_choice

pytestmark = [needs_strace, needs("pyarrow"), needs("onnx")]


@pytest.mark.parametrize("name", slow_but(WRITERS, list(WRITERS)[::4]))
def test_a_failed_or_killed_writer_leaves_the_old_or_the_new(name: str, tmp_path: Path) -> None:
    left = []
    with Trials(name, tmp_path) as trials:
        assert len(trials.points) >= 8
        assert not trials.removed
        for point, how in short_choice(trials.points):
            try:
                left.append(trials.attempt(point, how))
            except AssertionError as error:
                raise AssertionError(f"{how} at {point}: {error}") from error
    assert {*left} & {"old", "new"}
    assert left.count("not reached") < len(left) / 4


def test_the_judge_finds_a_writer_that_writes_in_place_and_one_that_removes_files_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place = Writer("open('out.json', 'w').write('new')", "open('out.json', 'w').write('old')", "")
    cleaning = Writer("'m.xml.bak' in os.listdir() and os.unlink('m.xml.bak')", setup="import os")
    for name, writer, call, fault in (
        ("in place", in_place, "write", "neither old nor new"),
        ("cleaning", cleaning, "unlink", "m.xml.bak"),
    ):
        monkeypatch.setitem(WRITERS, name, writer)
        (tmp_path / name).mkdir()
        with pytest.raises(AssertionError, match=fault):
            _attempted(name, tmp_path / name, call)


def _attempted(name: str, folder: Path, call: str) -> None:
    with Trials(name, folder) as trials:
        assert not trials.removed, f"{trials.removed} are of the user"
        trials.attempt(next(point for point in trials.points if point.call == call), "KILL")
