"""irops check --fix and --diff."""

import os
from pathlib import Path

import pytest

from irops.analysis.checks import declared

NET = (Path(__file__).parents[1] / "analysis" / "sound.xml").read_text()


@pytest.fixture
def faulty(tmp_path):
    """A model one port of which declares another size than follows."""
    path = tmp_path / "m.xml"
    path.write_text(NET.replace("<dim>2</dim>", "<dim>7</dim>", 1))
    return path


def test_fix_applies_fixes_and_reports_them(irops, faulty):
    result = irops("check", faulty, "--fix")
    assert result.status == 0
    expected = f"{faulty}:9:11: fixed IR405 declare the dimensions 2,3\n1 fixed, no findings in {faulty}\n"
    assert result.out == expected
    assert faulty.read_text() == NET
    assert irops("check", faulty, "--fix").out == f"no findings in {faulty}\n"


def test_a_diff_changes_no_file_and_sets_the_exit_code(irops, faulty):
    before = faulty.read_bytes(), faulty.stat().st_mtime_ns
    result = irops("check", faulty, "--diff")
    assert result.status == 1
    assert f"--- {faulty}\n+++ {faulty}\n@@ " in result.out
    assert (
        "\n-          <dim>7</dim>   <!-- rows -->\n+          <dim>2</dim>   <!-- rows -->\n" in result.out
    )
    assert (faulty.read_bytes(), faulty.stat().st_mtime_ns) == before
    faulty.write_text(NET)
    assert irops("check", faulty, "--diff") == (0, "", "")


def test_a_finding_mentions_its_fix(irops, faulty):
    assert "    fix: irops check --fix: declare the dimensions 2,3\n" in irops("check", faulty).out
    assert '"fix": "declare the dimensions 2,3"' in irops("check", faulty, "--output-format", "json").out
    assert '"deletedRegion"' in irops("check", faulty, "--output-format", "sarif").out


def test_only_selected_new_findings_are_fixed(irops, faulty, tmp_path):
    before = faulty.read_bytes()
    irops("check", faulty, "--fix", "--ignore", "IR405")
    irops("check", faulty, "--write-baseline", tmp_path / "known.json")
    irops("check", faulty, "--fix", "--baseline", tmp_path / "known.json")
    assert faulty.read_bytes() == before


def test_fix_keeps_weights_and_file_mode(irops, faulty):
    faulty.with_suffix(".bin").write_bytes(b"123")
    faulty.chmod(0o640)
    stamp = faulty.with_suffix(".bin").stat()
    irops("check", faulty, "--fix")
    assert faulty.with_suffix(".bin").stat() == stamp
    assert faulty.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(faulty.parent)) == ["m.bin", "m.xml"]


def test_fix_writes_the_target_of_a_link_and_keeps_the_link(irops, faulty, tmp_path):
    link = tmp_path / "links" / "l.xml"
    link.parent.mkdir()
    link.symlink_to(faulty)
    irops("check", link, "--fix")
    assert link.is_symlink()
    assert faulty.read_text() == NET


def test_standard_input_can_be_diffed_and_not_fixed(irops, faulty, monkeypatch):
    assert irops("check", "--stdin-filename", faulty, "--fix").status == 2
    monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": faulty.open("rb")}))
    assert "+          <dim>2</dim>" in irops("check", "--stdin-filename", faulty, "--diff").out


def test_unwritable_fixes_are_reported(irops, faulty, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(declared.PendingFiles, "_commit", full)
    before = faulty.read_bytes()
    result = irops("check", faulty, "--fix", "--output-format", "concise")
    assert result.status == 2
    assert "error IR021 1 fix was not written to " in result.out
    assert "No space left on device" in result.out
    assert faulty.read_bytes() == before


@pytest.mark.parametrize(("end", "last"), [("\n", "\n"), ("\r\n", "\r\n"), ("\n", "")])
def test_a_diff_can_be_applied(irops, faulty, end, last):
    before = (faulty.read_text().rstrip("\n").replace("\n", end) + last).encode()
    faulty.write_bytes(before)
    lines = irops("check", faulty, "--diff").out.split("\n")
    old, new = (line.removesuffix("\r") for line in lines if line.startswith(("-  ", "+  ")))
    wanted = [f" {line}" for line in before.decode().split("\n")[5:12] if "<dim>7" not in line]
    assert [line for line in lines if line.startswith(" ")] == wanted
    irops("check", faulty, "--fix")
    assert faulty.read_bytes() == before.replace(old[1:].encode(), new[1:].encode())


def test_a_diff_escapes_control_characters(irops, faulty):
    faulty.write_text(faulty.read_text().replace("<!-- rows -->", "<!-- \u202e\u009b31m -->"))
    assert r"<!-- \u202e\x9b31m -->" in irops("check", faulty, "--diff").out


def test_a_diff_names_any_file_on_one_line(irops, faulty):
    sly = faulty.rename(faulty.with_name("a\n\x1b[2J.xml"))
    assert irops("check", sly, "--diff").out.splitlines()[0] == f"--- {faulty.parent}/a\\n\\x1b[2J.xml"
