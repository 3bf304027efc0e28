"""Pages of docs/ whose commands are run as they stand, and give what the page shows."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import python_process

pytestmark = pytest.mark.slow("runs the commands of all pages")

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PAGES = {
    "comparing": "openvino",
    "conversion": "onnx",
    "graphs": "numpy",
    "onnx": "onnx",
    "reducing": "openvino",
    "remote": "fsspec",
    "survey": "distributed",
    "why": "numpy",
}
"""Page, and the library that it needs. Blocks marked as console are sessions: commands after $, then what
they print.
"""


def sessions(page: str):
    """Every command of a page, and what the page says that it prints."""
    text = (DOCS / f"{page}.md").read_text()
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def output_of(command: str, folder: Path) -> str:
    words = shlex.split(command)
    assert words[0] == "irops"
    env = {**os.environ, "COLUMNS": "80", "PYTHONPATH": str(DOCS.parent)}
    words = [sys.executable, "-m", *words]
    whole = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "cwd": folder, "env": env}
    return subprocess.run(words, check=False, **whole).stdout


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_print_what_it_shows(page, tmp_path):
    pytest.importorskip(PAGES[page])
    for name in ("model.xml", "reversing.xml"):
        shutil.copy(DOCS.parent / "examples" / "reversing" / "model.xml", tmp_path / name)
    code = re.findall(r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.DOTALL)
    code = "\n".join(block for block in code if "BackendTest" not in block)
    python_process("-c", code, check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(DOCS.parent)})
    for command, shown in sessions(page):
        assert output_of(command, tmp_path) == shown, command


def test_the_tests_on_the_page_pass_for_a_new_op(tmp_path):
    assert "defines the op" in output_of("irops new MyOp --category movement --output my_ops", tmp_path)
    page = (DOCS / "writing-an-op.md").read_text()
    code = next(
        block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "incoherences" in block
    )
    (tmp_path / "test_my_op.py").write_text(code)
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_op.py")
    done = python_process(*words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(DOCS.parent)})
    assert "2 passed" in done.stdout, done.stdout


def test_the_commands_of_the_examples_work(tmp_path):
    text = (DOCS.parent / "examples" / "README.md").read_text()
    lines = [
        line
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
        if line.startswith("irops ")
    ]
    assert len(lines) == 9
    shutil.copytree(DOCS.parent / "examples", tmp_path / "examples")  # commands may write where they are
    for line in lines:
        command = line.partition("#")[0]
        done = python_process("-m", *shlex.split(command), cwd=tmp_path)
        assert done.returncode == (1 if "broken" in command else 0), (line, done.stdout, done.stderr)
        assert "internal error" not in done.stderr
