"""Sessions of a terminal, as they were read: transcripts/*.txt have commands after a $, and what they print.
`python tests/cli/test_transcripts.py` runs the commands and writes the files anew.
"""

import os
import tempfile
from pathlib import Path
from shutil import copytree

import pytest
from commands import output_of, session
from networks import folders

ROOT = Path(__file__).parents[2]
FILES = sorted(Path(__file__).with_name("transcripts").glob("*.txt"))


def prepared(folder):
    """A folder of models to work in: the examples, those that break a rule, and networks as converted."""
    copytree(ROOT / "examples", folder, dirs_exist_ok=True)
    copytree(ROOT / "irops" / "diagnostics" / "rules", folder / "rules")
    for name, network in folders().items():
        (folder / name).symlink_to(network)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_commands_print_what_they_printed(file, tmp_path, monkeypatch):
    if file.stem == "survey":
        pytest.importorskip("jinja2", reason="reports of surveys are templates")
    prepared(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for command, shown in session(file.read_text("utf-8")):
        assert output_of(command) == shown, command


if __name__ == "__main__":
    for file in FILES:
        with tempfile.TemporaryDirectory() as name:
            prepared(Path(name))
            os.chdir(name)
            os.environ["COLUMNS"] = "80"
            ran = [f"$ {command}\n{output_of(command)}" for command, _ in session(file.read_text("utf-8"))]
            file.write_text("".join(ran), "utf-8")
