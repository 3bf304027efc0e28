"""Type checkers find the wrong ones among a user's calls, and the pages have no spelling that they refuse."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from graph_stub import PLACE

ROOT = Path(__file__).parents[2]
CALLS = Path(__file__).with_name("user_calls.py")
CHECKERS = {
    "mypy": (sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-error-summary"),
    "pyright": (str(Path(sys.executable).with_name("pyright")), "--pythonpath", sys.executable),
}


@pytest.mark.slow("type checkers read NumPy, torch and irops")
@pytest.mark.parametrize("checker", CHECKERS)
def test_a_type_checker_finds_the_wrong_calls_and_no_other(checker, tmp_path):
    if shutil.which(CHECKERS[checker][0]) is None:
        pytest.skip(f"{checker} is not installed")
    shutil.copy(CALLS, tmp_path)
    done = subprocess.run(
        [*CHECKERS[checker], CALLS.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    found = {int(line) for line in re.findall(r"user_calls\.py:(\d+)(?::\d+)?(?: -|:) error", done.stdout)}
    wrong = {number for number, line in enumerate(CALLS.read_text().splitlines(), 1) if "# wrong" in line}
    assert found == wrong, done.stdout + done.stderr


def test_there_are_sixty_calls_of_which_twenty_are_wrong():
    text = CALLS.read_text()
    statements = [node for node in ast.parse(text).body if not isinstance(node, ast.Import)]
    assert (len(statements) - 1, text.count("# wrong")) == (60, 20)


def test_the_stub_has_each_op_that_the_pages_name():
    names = set(re.findall(r"    (?:def )?(\w+)(?:\(| = )", PLACE.read_text())) | {"X", "MyReverse"}
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "examples").rglob("*.py")]
    used = {name for page in pages for name in re.findall(r"\b\w+\.ops\.([A-Z]\w*)\b", page.read_text())}
    assert {"Convolution", "ReLU"} <= used <= names
