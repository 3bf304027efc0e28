"""A folder of strangers' files: a module of every name that irops or its processes may import lies beside the
model, and no command runs one.
"""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import python

from irops.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "reversing"
TRAP = "import _io; _io.open({mark!r} + __name__.partition('.')[0], 'wb').close()"  # _io is built in
SCRIPT = "import sys\nfrom irops.cli.main import main\nsys.exit(main())\n"
"""What an installer writes as the command irops."""
NO_CACHE = {"PYTHONDONTWRITEBYTECODE": "1"}
LINES = re.findall(
    r"^irops (.*?)(  # fast)?$", Path(__file__).with_name("traps.txt").read_text("utf-8"), re.MULTILINE
)
SLOW = pytest.mark.slow("starts every command in a process")


def importable_names():
    """Modules of Python and of the packages here, and those that are imported where they are there."""
    names = {"sitecustomize", "usercustomize", "conftest", "conf", "team"}
    names |= set(sys.stdlib_module_names) | set(importlib.metadata.packages_distributions())
    return {name for name in names if name.isidentifier()} - {"__main__", "irops"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two models and a trap for each name; its settings name a trap, too."""
    folder = tmp_path_factory.mktemp("strangers")
    trap = TRAP.format(mark=str(folder / "sprung-"))
    for name in ("model", "other"):
        (folder / f"{name}.xml").write_bytes((EXAMPLE / "model.xml").read_bytes())
    for name in importable_names():
        (folder / f"{name}.py").write_text(trap)
    (folder / "irops").mkdir()
    (folder / "irops" / "__init__.py").write_text(trap)
    (folder / "irops.toml").write_text('rules = ["team.py", "numpy"]\n')
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {folder / 'compiled'}\n")
    return folder


def sprung(folder):
    """The traps that were run; they are set again."""
    marks = sorted(folder.glob("sprung-*"))
    for mark in marks:
        mark.unlink()
    return sorted(mark.name.split("-")[1] for mark in marks)


def test_a_trap_works(folder):
    (folder / "start.py").write_text("import numpy, team")  # with -c, Python itself imports linecache
    assert python("start.py", cwd=folder, env=NO_CACHE).returncode == 0
    assert sprung(folder) == ["numpy", "team"]


@SLOW
def test_the_current_folder_that_python_adds_is_left_out(folder, tmp_path):
    pytest.importorskip("jinja2")
    (tmp_path / "numpy.py").write_bytes((folder / "numpy.py").read_bytes())
    done = python("-m", "irops", "survey", folder / "model.xml", cwd=tmp_path, env=NO_CACHE)
    assert (sprung(folder), done.returncode) == ([], 0), done.stderr


def test_every_command_is_tried():
    assert {line.split()[0] for line, _ in LINES} == COMMANDS.keys()


@pytest.mark.parametrize("line", [pytest.param(line, marks=() if fast else SLOW) for line, fast in LINES])
def test_no_command_runs_a_module_of_the_current_folder(line, folder, tmp_path):
    for library in ("numba", "openvino", "onnx", "sphinx"):
        pytest.importorskip(library)
    script = tmp_path / "irops"
    script.write_text(SCRIPT)
    words = [word.replace("OUT", str(tmp_path / "out")) for word in line.split()]
    done = python(script, *words, cwd=folder, env=NO_CACHE, stdin=subprocess.DEVNULL)
    assert sprung(folder) == [], done.stderr
    assert not (folder / "compiled").exists()
    assert "internal error" not in done.stderr
    assert done.returncode in (0, 1, 2), done.stderr
