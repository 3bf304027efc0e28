"""The recipes of docs/CONTRIBUTING.md are patches that apply to this tree."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import process, python_process

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "CONTRIBUTING.md").read_text()
LISTED = re.findall(r"^- \[[^]]+\]\(#([\w-]+)\)$", PAGE, re.MULTILINE)
SECTIONS = dict(re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", PAGE, re.DOTALL | re.MULTILINE))
PATCHES = {
    title.lower().replace(" ", "-"): found[1]
    for title, text in SECTIONS.items()
    if (found := re.search(r"```diff\n(.*?)```", text, re.DOTALL))
}
PYTEST = ("-m", "pytest", "-n", "2")


def test_every_recipe_is_listed():
    assert [title.lower().replace(" ", "-") for title in SECTIONS] == LISTED
    assert set(LISTED) - PATCHES.keys() == {"a-dialect"}


@pytest.mark.skipif(shutil.which("git") is None, reason="applies patches with git")
@pytest.mark.parametrize("recipe", PATCHES)
def test_a_recipe_applies_to_the_tree(recipe, tmp_path):
    for name in re.findall(r"^--- a/(.*)$", PATCHES[recipe], re.MULTILINE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    done = process("git", "apply", "-", input=PATCHES[recipe], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in re.findall(r"^\+\+\+ b/(.*)$", PATCHES[recipe], re.MULTILINE):
        assert (tmp_path / name).is_file()


@pytest.mark.slow("copies the tree, applies all recipes and runs tests on it")
@pytest.mark.skipif(shutil.which("git") is None, reason="applies patches with git")
def test_a_tree_with_all_recipes_passes_the_tests_that_they_name(tmp_path):
    for name in ("irops", "schemas", "examples", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for patch in PATCHES.values():
        subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, text=True, check=True)
    whole = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(tmp_path)}}
    for words in (
        ("tests/support/graph_stub.py",),
        ("tests/house/test_onnx_coverage.py",),
        ("-m", "irops", "conformance", "--source", "clipping", "--op", "ReLU-1", "--examples", "5"),
        ("-m", "irops", "conformance", "--source", "reference", "--op", "SoftSign-18", "--examples", "5"),
        ("-m", "irops", "releases", "--quiet"),
        ("-m", "irops", "explain", "IR213", "onnx:Softsign-1", "SoftSign-18"),
        (*PYTEST, "tests/diagnostics/test_rules.py", "tests/cli/test_main.py", "tests/spec"),
        (*PYTEST, "tests/ops", "tests/editing/test_pairs.py", "-k", "Softsign or SoftSign"),
        (*PYTEST, "tests/cli/test_exit_codes.py", "tests/cli/test_traps.py"),
    ):
        done = python_process(*words, **whole)
        assert done.returncode == 0, f"{words}: {done.stdout[-3000:]}{done.stderr[-1000:]}"
