"""Sessions of a terminal as they were read: transcripts/*.txt have commands after a $ and what they print."""

from pathlib import Path
from shutil import copytree

import pytest
from commands import output_of, session
from networks import folders
from stored import assert_stored

ROOT = Path(__file__).parents[2]
FILES = sorted(Path(__file__).with_name("transcripts").glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_commands_print_what_they_printed(file, tmp_path, monkeypatch):
    """In a folder of models: the examples, those that break a rule, and networks as they are converted."""
    if file.stem == "survey":
        pytest.importorskip("jinja2", reason="reports of surveys are templates")
    copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    copytree(ROOT / "irops" / "diagnostics" / "rules", tmp_path / "rules")
    for name, network in folders().items():
        (tmp_path / name).symlink_to(network)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    commands = [command for command, _ in session(file.read_text("utf-8"))]
    assert_stored("".join(f"$ {command}\n{output_of(command)}" for command in commands), file)
