"""No command writes over what it reads, or a report over a model."""

import os
import re
import shutil
from pathlib import Path

import pytest
from tables import table

from irops.cli.main import COMMANDS, command_named
from irops.files.output import TargetRefused, local_target, noting_files_read
from irops.files.storage import open_regular

EXAMPLE = Path(__file__).parents[2] / "examples" / "digit_classifier"
FILL = ("--fill", "ones")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with two models, inputs, a baseline, and links to some of them."""
    for name, source in (("m.xml", "model.xml"), ("m.bin", "model.bin"), ("in.npz", "inputs.npz")):
        shutil.copy(EXAMPLE / source, tmp_path / name)
    (tmp_path / "empty.xml").touch()
    for name in ("xml", "bin"):
        shutil.copy(EXAMPLE / f"model.{name}", tmp_path / f"other.{name}")
    os.link(tmp_path / "m.bin", tmp_path / "hard.npz")
    (tmp_path / "soft.html").symlink_to("m.xml")
    (tmp_path / "baseline.json").write_text('{"version": 1, "findings": {}}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


REFUSED = dict(table(__file__, "refused"))


@pytest.mark.parametrize("case", REFUSED)
def test_a_target_that_users_do_not_expect_is_refused_and_no_file_changes(irops, folder, case):
    before = contents(folder)
    result = irops(*REFUSED[case].split())
    assert result.status == 2, result.err
    assert "Traceback" not in result.err
    assert "internal error" not in result.err
    assert result.err.strip()
    assert contents(folder) == before


ACCEPTED = {
    "results over earlier ones": ("run", "m.xml", *FILL, "--save-outputs", "out.npz"),
    "a report over an earlier one": ("compare", "m.xml", "--b", "reference", *FILL, "--output", "report.txt"),
    "a JUnit report": (
        *("compare", "m.xml", "--b", "reference", *FILL, "--output-format", "junit"),
        *("--output", "junit.xml"),
    ),
    "a baseline over an earlier one": ("check", "m.xml", "--write-baseline", "baseline.json"),
    "a converted model over an earlier one": ("convert", "m.xml", "--target", "2025.0", "-o", "other.xml"),
    "fixes": ("check", "m.xml", "--fix"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_users_expect_is_written_twice(irops, folder, case):
    for _ in range(2):
        result = irops(*ACCEPTED[case])
        assert result.status == 0, result.err


OUTPUTS = {tuple(option): tuple(rest) for option, rest in table(__file__, "outputs")}
"""Every option that names a file or a folder to write, and what its command needs besides a model."""
FOLDERS = {(name, "--output") for name in ("reduce", "survey", "docs", "new")} | {
    ("compare", "--save-values")
}


def test_every_option_that_names_an_output_is_known():
    named = {
        (command, action.option_strings[0])
        for command in COMMANDS
        for action in command_named(command)[1]._actions
        if re.search("output$|write|save", action.dest) and action.metavar != "N"
    }
    assert named == OUTPUTS.keys()


@pytest.mark.parametrize("command", OUTPUTS, ids=" ".join)
@pytest.mark.parametrize("target", ["https://me:secret@host/out.json?sig=5ec3e7", "other.onnx"])
def test_a_wrong_target_is_refused_before_any_work(irops, folder, command, target):
    name, option = command
    if target == "other.onnx":
        if name in ("convert", "extract"):
            pytest.skip("models may replace models")
        shutil.copy(EXAMPLE / "model.xml", folder / "other.onnx")
    before = contents(folder)
    model = () if name == "docs" else ("Sorted" if name == "new" else "absent.xml",)
    result = irops(name, *model, *OUTPUTS[command], option, target)
    assert (result.status, result.out) == (2, "")
    why = "holds a model or its weights"
    if "://" in target:
        target, why = "https://host/out.json?…", "is a URL; irops writes local files only"
    elif command in FOLDERS:
        why = "is a file, must be a folder"
    assert f"argument {option}" in result.err
    assert f"{target} {why}" in result.err
    assert "secret" not in result.err
    assert contents(folder) == before


def test_files_are_noted_while_a_command_runs_and_no_longer(tmp_path):
    path = tmp_path / "report.txt"
    path.write_text("read")
    with noting_files_read():
        open_regular(str(path)).close()
        with pytest.raises(TargetRefused, match="is read by this command, and would be replaced"):
            local_target(path)
        assert local_target(path, may_replace=(path,)) == path
    assert local_target(path) == path


def test_a_large_baseline_is_refused(irops, folder):
    with (folder / "large.json").open("wb") as file:
        file.truncate((1 << 28) + 1)
    result = irops("check", "m.xml", "--baseline", "large.json")
    assert result.status == 2
    assert "has more than 268,435,456 bytes" in result.err


BEGINNINGS = {"full": "1 of 1 result agrees", "json": '{\n  "', "html": "<!doctype html>", "junit": "<?xml"}


@pytest.mark.parametrize(
    ("target", "more", "written"),
    [
        ("report.html", (), "html"),
        ("report.JSON", (), "json"),
        ("report.xml", (), "junit"),
        ("report.txt", (), "full"),
        ("report.html", ("--output-format", "json"), "json"),
    ],
)
def test_a_report_has_the_format_of_its_suffix_unless_another_is_named(folder, irops, target, more, written):
    found = irops("compare", "m.xml", *FILL, "--b", "reference", "-o", target, *more)
    assert (folder / target).read_text().startswith(BEGINNINGS[written])
    assert (found.out, f"{target}: written as {written}\n" in found.err) == ("", True)


def test_a_format_that_a_command_lacks_is_not_that_of_a_suffix(folder, irops):
    assert irops("diff", "m.xml", "other.xml", "-o", "report.html", "-q").err == ""
    assert (folder / "report.html").read_text().startswith(BEGINNINGS["html"])
    assert irops("diff", "m.xml", "other.xml", "-o", "new.xml").status == 0
    assert not (folder / "new.xml").read_text().startswith(BEGINNINGS["junit"])
