"""A folder of strangers' files: a module of every name that irops or its processes may import lies beside the
model, and none is run by any command.
"""

from __future__ import annotations

import ast
import asyncio
import importlib.metadata
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_words import SUCCESS
from editor import make_editor
from server_process import ServerProcess
from tiers import slow, some_first

import irops
from irops.cli.command import commands

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "reversing"
MODEL = (EXAMPLE / "model.xml").read_text("utf-8")
TRAP = """
import os
open(os.path.join({folder!r}, f"sprung-{{os.path.basename(__file__)}}-by-{{os.getpid()}}"), "w").close()
"""
SCRIPT = "import sys\nfrom irops.cli.main import main\nsys.exit(main())\n"
"""What an installer writes as the command irops."""
WORDS: dict[str, list[tuple[str, ...]]] = {
    **{name: [tuple(word.replace("MODEL", "model.xml") for word in rest)] for name, rest in SUCCESS.items()},
    "check": [("model.xml",), ("model.xml", "other.xml", "-j", "2"), ("model.xml", "--trust-settings")],
    "run": [("model.xml", "--fill", "ones"), ("model.xml", "--fill", "ones", "--backend", "numba")],
    "diff": [("model.xml", "other.xml")],
    "compare": [
        ("model.xml", "--fill", "ones", "--b", "numpy"),
        ("model.xml", "--fill", "ones", "--b", "openvino:CPU"),
        ("model.xml", "--fill", "ones", "--b", "model:other.xml"),
    ],
    "view": [("model.xml", "--no-open", "--absent")],
    "translate": [("model.xml", "--to", "onnx", "--output", "OUT.onnx")],
    "survey": [(".", "--output", "OUT", "-j", "2", "--tasks", "check,run")],
    "explain": [("IR202",), ("ReverseSequence-1",), ("TEAM001",)],
    "server": [("--help",)],
}
"""Arguments of each command; a session with the server has a test of its own. OUT: outside of the folder"""


STATUS = {
    ("model.xml", "--no-open", "--absent"): 2,
    ("TEAM001",): 2,
    ("model.xml", "--fill", "ones", "--b", "openvino:CPU"): 1,  # it differs from the reference
}
"""Exit codes other than 0."""
EXTRAS = {"numba": "numba", "openvino:CPU": "openvino", "onnx": "onnx", "check,run": "pyarrow"}
"""Words that need a library."""


def importable_names() -> set[str]:
    """Every module of Python and of the packages here, and what irops imports if it is installed."""
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name) or ""
        for path in Path(irops.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    names = {name.partition(".")[0] for name in imported} | {
        "sitecustomize",
        "usercustomize",
        "conftest",
        "conf",
    }
    names |= set(sys.stdlib_module_names) | set(importlib.metadata.packages_distributions())
    return {name for name in names if name.isidentifier()} - {"__main__"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two models and a trap for each name; its settings name a trap, too."""
    folder = tmp_path_factory.mktemp("strangers")
    for name in ("model", "other"):
        for suffix in (".xml", ".bin"):
            if (EXAMPLE / f"model{suffix}").is_file():
                (folder / f"{name}{suffix}").write_bytes((EXAMPLE / f"model{suffix}").read_bytes())
    for name in importable_names():
        (folder / f"{name}.py").write_text(TRAP.format(folder=str(folder)))
    (folder / "irops").mkdir()
    (folder / "irops" / "__init__.py").write_text(TRAP.format(folder=str(folder)))
    (folder / "irops.toml").write_text('rules = ["team.py", "numpy"]\n')
    (folder / "team.py").write_text(TRAP.format(folder=str(folder)))
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {folder / 'compiled'}\n")
    return folder


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "irops").write_text(SCRIPT)
    return tmp_path / "bin" / "irops"


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def sprung(folder: Path) -> list[str]:
    """The traps that were run; they are set again."""
    marks = sorted(folder.glob("sprung-*"))
    for mark in marks:
        mark.unlink()
    return sorted({mark.name.removeprefix("sprung-").partition("-by-")[0] for mark in marks})


def test_a_trap_works(folder: Path):
    subprocess.run([sys.executable, "-c", "import numpy, team"], cwd=folder, check=True, env=environment())
    assert sprung(folder) == ["numpy.py", "team.py"]


def test_every_command_is_tried():
    assert WORDS.keys() == commands().keys()


QUICK = [(name, rest) for name, many in WORDS.items() if name != "docs" for rest in many]
PAGES = [("docs", rest) for rest in WORDS["docs"]]


@pytest.mark.parametrize(
    ("command", "rest"), [*some_first(QUICK, of=lambda call: call[0]), *map(slow, PAGES)]
)
def test_no_command_runs_a_module_of_the_current_folder(
    command: str, rest: tuple[str, ...], folder: Path, script: Path, tmp_path: Path
):
    for word in EXTRAS.keys() & set(rest):
        pytest.importorskip(EXTRAS[word])
    words = [word.replace("OUT", str(tmp_path / "out")) for word in rest]
    done = subprocess.run(
        [sys.executable, script, command, *words],
        cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "internal error" not in done.stderr
    assert not (folder / "compiled").exists()
    if "--trust-settings" in rest:
        assert sprung(folder) == ["team.py"]
    else:
        assert sprung(folder) == []
        assert done.returncode == STATUS.get(rest, 0), done.stderr


@pytest.mark.parametrize("words", [("check", "model.xml"), ("run", "model.xml", "--fill", "ones")])
def test_python_m_irops_runs_none_but_what_python_imports_before_irops(
    folder: Path, tmp_path: Path, words: tuple[str, ...]
):
    listing = [sys.executable, "-I", "-c", "import runpy, sys; print(*sys.modules)"]
    by_python = subprocess.run(listing, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for path in folder.iterdir():
        if path.is_file() and path.stem not in ("irops", *by_python):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    command = [sys.executable, "-m", "irops", *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, check=False)
    assert sprung(folder) == []
    assert done.returncode == 0


@pytest.mark.asyncio
async def test_a_session_with_the_server_runs_none(
    folder: Path, script: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(folder)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    with ServerProcess(command=[sys.executable, str(script), "server"]) as server:
        editor = make_editor()
        await editor.start_tcp(*server.address)
        await editor.start_session(token=server.token)
        uri = editor.open(folder / "model.xml")
        assert await editor.checked(uri) == []
        line = next(k for k, one in enumerate(MODEL.splitlines()) if 'name="turned"' in one)
        assert await editor.hover(uri, line, 6) is not None
        await editor.shutdown_session()
        await asyncio.to_thread(server.process.wait, 60)
        await editor.stop()
    assert sprung(folder) == []


ALONE = (
    ("work/processes/python.py", "Popen"),
    ("drawing/engines.py", "run"),
    ("debugging/reduce/judges.py", "Popen"),
)
"""Where a program is started: Python in one place, dot of Graphviz, and the command of a user."""


def starts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            if text.rpartition(".")[0] == "subprocess" or text in ("Popen", "os.system", "os.popen"):
                yield text.rpartition(".")[2]
            if text.startswith(("os.exec", "os.spawn", "os.posix_spawn")) or text.endswith(
                "create_subprocess_exec"
            ):
                yield text


def test_programs_are_started_in_three_places():
    package = Path(irops.__file__).parent
    found = {
        (path.relative_to(package).as_posix(), start)
        for path in package.rglob("*.py")
        for start in starts(ast.parse(path.read_text("utf-8")))
    }
    assert found == set(ALONE)


def test_a_folder_that_a_person_names_is_searched(tmp_path: Path):
    """PYTHONPATH=. is a wish; an empty entry, and the folder that -c adds, are not."""
    (tmp_path / "wanted.py").touch()
    code = "from irops.work.processes.python import *\nprint(*paths_of_children(), sep='\\n')"

    def paths(more: str) -> list[str]:
        variables = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{more}"}
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    assert str(tmp_path) not in paths("")
    assert str(tmp_path) in paths(".")
    code = f"import wanted\n{code}"
    assert str(tmp_path) in paths("")


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bool]:
    from irops.work.processes.python import child_environment

    def is_passed(name: str) -> bool:
        monkeypatch.setenv(name, "1")
        return name in child_environment()

    return is_passed


def test_variables_of_python_that_run_code_are_not_passed(passed: Callable[[str], bool]):
    for name in ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONPLATLIBDIR", "PYTHONCASEOK"):
        assert not passed(name)
    for name in ("PYTHONUTF8", "PYTHONWARNINGS", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES"):
        assert passed(name)
