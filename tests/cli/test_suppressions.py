"""Findings that the settings accept for a reason; entries that accept none; check --add-ignores."""

import json
import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
ENTRY = (
    '[[suppress]]\nrules = ["IR4", "unconnected-input", "dangling-edge"]\nfiles = "old/*"\nreason = "old"\n'
)
UNUSED = '[[suppress]]\nrules = ["IR208"]\nreason = "was removed"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, example in (("old", "broken"), ("new", "broken"), ("sound", "digit_classifier")):
        shutil.copytree(EXAMPLES / example, tmp_path / name)
    return tmp_path


def codes(result) -> dict[str, list[str]]:
    files = json.loads(result.out)["files"]
    return {Path(file["path"]).parent.name: [d["code"] for d in file["diagnostics"]] for file in files}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_findings_are_accepted_by_file_and_rule(irops, folder, jobs):
    words = ("check", ".", "--output-format", "json", "--jobs", jobs)
    before = codes(irops(*words))
    (folder / "irops.toml").write_text(ENTRY)
    after = codes(irops(*words))
    assert after["new"] == before["new"] == before["old"]
    assert after["old"] == [code for code in before["old"] if code not in ("IR401", "IR202")]
    assert len(after["old"]) < len(before["old"])
    assert "omitted: 2 known findings" in irops("check", "old").out


@pytest.mark.parametrize(("layer", "left"), [("rev", 0), ("re?", 0), ("[rev]", 1), ("*", 0), ("scores", 1)])
def test_findings_are_accepted_by_the_name_of_the_layer(irops, folder, layer, left):
    (folder / "irops.toml").write_text(f'{ENTRY}layer = "{layer}"\n')
    assert codes(irops("check", "old", "--output-format", "json"))["old"].count("IR401") == left


def test_an_entry_that_accepts_nothing_is_reported_where_its_files_were_checked(irops, folder):
    (folder / "irops.toml").write_text(ENTRY + UNUSED)
    result = irops("check", "sound", "old", "--strict", "--output-format", "concise")
    assert (
        f"{folder / 'irops.toml'}:5:3: warning IR706 no finding is accepted because of 'was removed'"
        in result.out
    )
    for words in (("sound/model.xml",), ("sound", "--select", "IR3"), ("sound", "--ignore", "IR311")):
        assert irops("check", *words, "--strict").status == 0


def test_a_file_that_cannot_be_read_is_never_accepted(irops, folder):
    (folder / "irops.toml").write_text('[[suppress]]\nrules = ["ALL"]\nreason = "no"\n')
    assert irops("check", "absent.xml").status == 2
    assert irops("check", "old").status == 0


def test_all_findings_are_accepted_by_an_option(irops, folder):
    (folder / "pyproject.toml").write_text("[tool.irops]\nstrict = true\n")
    result = irops("check", ".", "--add-ignores", 'the "old" exporter')
    assert (result.status, result.out) == (0, f"10 findings accepted in {folder / 'pyproject.toml'}\n")
    assert "[[tool.irops.suppress]]" in (folder / "pyproject.toml").read_text()
    assert irops("check", ".").status == 0
    assert irops("check", ".", "--select", "IR3").out.endswith("omitted: 6 known findings\n")


@pytest.mark.parametrize("text", ["[tool]\nirops = {strict = true}\n", "[tool.irops]\nsuppress = []\n"])
def test_settings_that_cannot_be_extended_stay_as_they_are(irops, folder, text):
    (folder / "pyproject.toml").write_text(text)
    assert irops("check", ".", "--add-ignores", "why").status == 2
    assert (folder / "pyproject.toml").read_text() == text
