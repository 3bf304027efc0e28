"""Many files and folders at once: all of them, in order, whatever becomes of one."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from irops.cli.models import found_in
from irops.cli.processes import Died, Failed, cores, shared_out

Irops = Callable[..., Any]
SOUND = (
    '<net version="11"><layers><layer id="0" name="%s" type="Parameter" version="opset1"><data shape="1"'
    ' element_type="f32"/><output><port id="0" precision="FP32"><dim>1</dim></port></output></layer><layer'
    ' id="1" name="y" type="Result" version="opset1"><input><port'
    ' id="0"/></input></layer></layers><edges><edge from-layer="0" from-port="0" to-layer="1"'
    ' to-port="0"/></edges></net>'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """b.xml is faulty, a.xml and c/d.xml are sound; there are other things, too."""
    models = tmp_path / "models"
    (models / "c").mkdir(parents=True)
    (models / ".hidden").mkdir()
    (models / "a.xml").write_text(SOUND % "a")
    (models / "b.xml").write_text(SOUND.replace('to-layer="1"', 'to-layer="7"') % "b")
    (models / "c" / "d.xml").write_text(SOUND % "d")
    (models / "c" / "pom.xml").write_text('<?xml version="1.0"?>\n<!-- no model -->\n<project/>')
    (models / "c" / "notes.txt").write_text("none")
    (models / ".hidden" / "e.xml").write_text("<net/>")
    return models


def test_a_folder_is_all_its_models_in_order(folder: Path) -> None:
    found = found_in([str(folder), str(folder / "a.xml")])
    assert found.files == tuple(str(folder / name) for name in ("a.xml", "b.xml", "c/d.xml"))
    assert (found.empty, found.others) == ((), 1)


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        (b"", False),
        (b"<net", False),
        (b"<NET/>", False),
        (b"\x00\x01", False),
        (b"<a", True),
        (b"<?xml?><!-- <net> --><a>", True),
        (b"<!--" * 1000, False),
        (b"<!--a-->" * 3000 + b"x", False),
        (b" " * 70_000 + b"<a>", False),
        (b"<!DOCTYPE a><a/>", True),
    ],
)
def test_only_xml_of_another_kind_is_passed_by(text: bytes, is_other: bool, tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_bytes(text)
    assert found_in([str(tmp_path)]).others == is_other


def test_what_has_weights_beside_it_is_no_xml_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "m.xml").write_text("<mess/>")
    (tmp_path / "m.bin").write_bytes(b"")
    assert found_in([str(tmp_path)]).files == (str(tmp_path / "m.xml"),)


def test_links_to_folders_are_not_followed(folder: Path) -> None:
    (folder / "c" / "again").symlink_to(folder)
    (folder / "c" / "z.xml").symlink_to(folder / "a.xml")
    assert [Path(file).name for file in found_in([str(folder)]).files] == ["a.xml", "b.xml", "d.xml", "z.xml"]


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_the_report_is_the_same_however_many_processes_make_it(jobs: str, folder: Path, irops: Irops) -> None:
    told = irops("check", folder, folder / "absent.xml", "-j", jobs, "--output-format", "json")
    assert (told.status, told.err) == (1, "")
    files = json.loads(told.out)["files"]
    assert [Path(file["path"]).name for file in files] == ["a.xml", "b.xml", "d.xml", "absent.xml"]
    assert [{d["code"] for d in file["diagnostics"]} for file in files] == [
        set(),
        {"IR202", "IR204", "IR206"},
        set(),
        {"IR001"},
    ] or [bool(file["diagnostics"]) for file in files] == [False, True, False, True]


def test_the_summary_tells_what_was_passed_by(folder: Path, irops: Irops) -> None:
    assert irops("check", folder).out.endswith("in 1 of 3 files; omitted: 1 other .xml file in folders\n")


def test_a_folder_without_models_is_an_error(tmp_path: Path, irops: Irops) -> None:
    told = irops("check", tmp_path, "--output-format", "concise", "-q")
    assert (told.status, told.out) == (
        1,
        f"{tmp_path}: error IR001 the folder {tmp_path} holds no file of a model\n",
    )


def test_weights_go_with_the_one_model_of_a_folder(folder: Path, irops: Irops) -> None:
    assert irops("check", folder, "--weights", "w.bin").status == 2
    assert irops("check", folder / "c", "--weights", "w.bin").status == 0


def working() -> Callable[[Any], Any]:
    return work


def work(piece: Any) -> Any:
    if piece == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if piece == "leave":
        os._exit(3)
    if piece == "raise":
        raise ValueError("no")
    if piece == "hang":
        time.sleep(600)
    return piece, os.getpid()


PIECES = ["a", "die", "b", "raise", "c", "leave", "d"]


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_a_process_that_dies_takes_one_piece_of_work_with_it(processes: int) -> None:
    found = dict(shared_out(working, (), PIECES, processes))
    assert [found[k][0] for k in (0, 2, 4, 6)] == ["a", "b", "c", "d"]
    assert len({found[k][1] for k in (0, 2, 4, 6)} - {os.getpid()}) >= 1
    assert [(type(found[k]), str(found[k])) for k in (1, 3, 5)] == [
        (Died, "ended by SIGKILL"),
        (Failed, "ValueError: no"),
        (Died, "ended with status 3"),
    ]


def test_a_piece_of_work_that_takes_too_long_is_ended() -> None:
    found = dict(shared_out(working, (), ["hang", "a"], 2, patience=8))
    assert str(found[0]) == "ended since it took too long"
    assert found[1][0] == "a"


def unprepared() -> Callable[[Any], Any]:
    os._exit(5)


def test_processes_that_cannot_begin_are_told_for_each_piece() -> None:
    assert [str(result) for _, result in shared_out(unprepared, (), [1, 2, 3], 2)] == [
        "ended with status 5"
    ] * 3


def test_there_are_cores() -> None:
    assert cores() >= 1


def test_a_file_that_irops_fails_on_does_not_keep_the_others_from_being_checked(
    folder: Path, irops: Irops, monkeypatch: pytest.MonkeyPatch
) -> None:
    from irops.cli import many

    real = many.check

    def check(path: str, *rest: Any, **more: Any) -> Any:
        if path.endswith("b.xml"):
            raise RuntimeError("oh")
        return real(path, *rest, **more)

    monkeypatch.setattr(many, "check", check)
    told = irops("check", folder, "--output-format", "concise")
    assert told.status == 2
    assert "b.xml: error IR020" in told.out
    assert "irops failed: RuntimeError: oh" in told.out
    assert told.out.count("\n") == 2


def test_exit_zero_is_0_whatever_is_found(folder: Path, irops: Irops) -> None:
    told = irops("check", folder, "--exit-zero")
    assert told.status == 0
    assert "IR202" in told.out


def test_what_comes_in_is_checked_as_the_file_that_it_will_be(
    folder: Path, irops: Irops, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rest in ((), ("-",)):
        monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": (folder / "b.xml").open("rb")}))
        told = irops("check", "--stdin-filename", folder / "a.xml", "--output-format", "concise", *rest)
        assert told.status == 1
        assert told.out.startswith(f"{folder / 'a.xml'}:1:")


def test_what_comes_in_is_bounded_too(irops: Irops, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/zero").open("rb") as endless:
        monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": endless}))
        told = irops("check", "--stdin-filename", "m.xml", "--limit", "xml_bytes=1000")
    assert told.status == 1
    assert "IR018" in told.out


def test_models_and_what_comes_in_do_not_go_together(folder: Path, irops: Irops) -> None:
    assert irops("check", folder, "--stdin-filename", "a.xml").status == 2
    assert irops("check").status == 2


def test_findings_go_where_they_are_sent_while_a_bar_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from irops.cli import progress

    made = {}
    monkeypatch.setattr(progress, "looked_at", lambda stream: stream is sys.stderr)
    monkeypatch.setattr("rich.progress.Progress.__init__", partial(_noted, made))
    monkeypatch.setattr("rich.progress.Progress.add_task", lambda *a, **k: 0)
    monkeypatch.setattr("rich.progress.Progress.stop", lambda self: None)
    with progress.counted("checking"):
        assert made["redirect_stdout"] is False


def _noted(made: dict[str, Any], *_: Any, **options: Any) -> None:
    made.update(options)


def test_a_folder_that_may_not_be_entered_is_not_told_to_be_empty(
    irops: Irops, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from irops.cli import check

    monkeypatch.setattr(check.os, "access", lambda *_: False)
    told = irops("check", tmp_path)
    assert told.status == 1
    assert f"error IR003 the folder {tmp_path} cannot be read: Permission denied" in told.out


def test_what_comes_in_must_be_named(irops: Irops) -> None:
    told = irops("check", "-")
    assert told.status == 2
    assert "--stdin-filename FILE" in told.err
