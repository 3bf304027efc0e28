"""Several files and folders in one call: all are checked, in order, whatever happens to one of them."""

import os
import sys
from pathlib import Path

import pytest
from hostile_models import net, parameter, result
from waiting import wait_until

from irops.cli.models import find_models
from irops.work.workers import Workers


def sound(name, to=1):
    return net([parameter(0, name), result(1)], [(0, 0, to, 0)])


@pytest.fixture
def folder(tmp_path):
    """b.xml is faulty, a.xml and c/d.xml are sound; there are other things, too."""
    models = tmp_path / "models"
    (models / "c").mkdir(parents=True)
    (models / ".hidden").mkdir()
    (models / "a.xml").write_text(sound("a"))
    (models / "b.xml").write_text(sound("b", to=7))
    (models / "c" / "d.xml").write_text(sound("d"))
    (models / "c" / "pom.xml").write_text('<?xml version="1.0"?>\n<!-- no model -->\n<project/>')
    (models / "c" / "notes.txt").write_text("none")
    (models / ".hidden" / "e.xml").write_text("<net/>")
    return models


def test_a_folder_stands_for_its_models_in_order(folder):
    found = find_models([str(folder), str(folder / "a.xml")])
    assert found.files == tuple(str(folder / name) for name in ("a.xml", "b.xml", "c/d.xml"))
    assert (found.empty, found.others) == ((), 1)
    assert find_models([f"{folder}/**/*.xml", f"{folder}/*.onnx"]).files == (*found.files, f"{folder}/*.onnx")


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
def test_only_other_xml_files_are_skipped(text, is_other, tmp_path):
    (tmp_path / "m.xml").write_bytes(text)
    assert find_models([str(tmp_path)]).others == is_other


def test_an_xml_file_with_weights_next_to_it_is_not_skipped(tmp_path):
    (tmp_path / "m.xml").write_text("<mess/>")
    (tmp_path / "m.bin").write_bytes(b"")
    assert find_models([str(tmp_path)]).files == (str(tmp_path / "m.xml"),)


def test_links_to_folders_are_not_followed(folder):
    (folder / "c" / "again").symlink_to(folder)
    (folder / "c" / "z.xml").symlink_to(folder / "a.xml")
    names = [Path(file).name for file in find_models([str(folder)]).files]
    assert names == ["a.xml", "b.xml", "d.xml", "z.xml"]


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_the_report_does_not_depend_on_the_number_of_processes(jobs, folder, irops):
    result = irops("check", folder, folder / "absent.xml", "-j", jobs, "--output-format", "json")
    assert (result.status, result.err) == (2, "")
    files = result.json["files"]
    assert [Path(file["path"]).name for file in files] == ["a.xml", "b.xml", "d.xml", "absent.xml"]
    codes = [{d["code"] for d in file["diagnostics"]} for file in files]
    assert codes == [set(), {"IR202"}, set(), {"IR001"}]


def test_the_summary_counts_skipped_files(folder, irops):
    assert irops("check", folder).out.endswith("in 1 of 3 files; omitted: 1 other .xml file in folders\n")


def test_weights_apply_to_the_only_model_of_a_folder(folder, irops):
    assert irops("check", folder, "--weights", "w.bin").status == 2
    assert irops("check", folder / "c", "--weights", "w.bin").status == 0


def working():
    return work


def work(item):
    if isinstance(item, Path):
        wait_until(item.exists)
    return item, os.getpid()


def test_each_result_arrives_before_the_next_item_is_done(tmp_path):
    items = [*range(30), tmp_path / "arrived", *range(30)]
    arrived = []
    for number, _ in Workers(1, copied=True).run(working, (), items):
        arrived.append(number)
        if number == 29:
            (tmp_path / "arrived").touch()
    assert arrived == list(range(61))


def unprepared():
    os._exit(5)


def test_processes_that_cannot_start_fail_every_item():
    expected = ["ended with exit code 5"] * 3
    assert [str(result) for _, result in Workers(2, copied=True).run(unprepared, (), [1, 2, 3])] == expected


def test_an_internal_error_on_one_file_does_not_affect_others(folder, irops, monkeypatch):
    from irops.cli import check as command

    real = command.check

    def check(path, *rest, **more):
        if path.endswith("b.xml"):
            raise RuntimeError("oh")
        return real(path, *rest, **more)

    monkeypatch.setattr(command, "check", check)
    result = irops("check", folder, "--output-format", "concise")
    assert result.status == 2
    assert "b.xml: error IR020" in result.out
    assert "irops failed: RuntimeError: oh" in result.out
    assert result.out.count("\n") == 2


def test_standard_input_is_reported_under_its_file_name(folder, irops, monkeypatch):
    for rest in ((), ("-",)):
        monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": (folder / "b.xml").open("rb")}))
        result = irops("check", "--stdin-filename", folder / "a.xml", "--output-format", "concise", *rest)
        assert result.status == 1
        assert result.out.startswith(f"{folder / 'a.xml'}:2:")


def test_standard_input_respects_the_size_limit(irops, monkeypatch):
    with Path("/dev/zero").open("rb") as endless:
        monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": endless}))
        result = irops("check", "--stdin-filename", "m.xml", "--limit", "xml_bytes=1000")
    assert result.status == 1
    assert "IR018" in result.out


def test_redirected_findings_are_unchanged_while_a_bar_is_shown(monkeypatch):

    from irops.cli import display

    made = {}
    monkeypatch.setattr(display, "is_interactive", lambda stream: stream is sys.stderr)
    monkeypatch.setattr("rich.progress.Progress.__init__", lambda *_, **options: made.update(options))
    monkeypatch.setattr("rich.progress.Progress.add_task", lambda *a, **k: 0)
    monkeypatch.setattr("rich.progress.Progress.stop", lambda self: None)
    with display.progress_bar("checking"):
        assert made["redirect_stdout"] is False


def test_an_unreadable_folder_is_not_reported_as_empty(irops, tmp_path, monkeypatch):
    from irops.cli import check

    monkeypatch.setattr(check.os, "access", lambda *_: False)
    result = irops("check", tmp_path)
    assert result.status == 2
    assert f"error IR003 the folder {tmp_path} cannot be read: Permission denied" in result.out
