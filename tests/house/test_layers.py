"""Imports go down only, and heavy third parties stay behind their doors."""

from __future__ import annotations

import ast
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from commands import python_process

import irops

PACKAGE = Path(irops.__file__).parent
LEVELS = {
    "environment": -2, "files": -1, "values": 0, "diagnostics": 0, "spec": 1, "ir": 1, "pages": 1, "work": 2,
    "ops": 2, "graph": 2, "dialects": 3, "analysis": 5, "backends": 6, "verdicts": 6, "runtime": 7,
    "editing": 8, "drawing": 9, "debugging": 10, "conformance": 11, "document": 12, "surveys": 12,
    "server": 13, "cli": 14, "testing": 14,
}  # fmt: skip
"""The order in which parts may know one another; parts of one level may not."""
DOORS = {
    "lxml": ("spec/load.py", "ir/"),
    "networkx": ("graph/",),
    "jinja2": ("document/", "pages/"),
    "sphinx": ("document/sphinx/",),
    "docutils": ("document/sphinx/",),
    "rich": ("cli/", "diagnostics/"),
    "openvino": ("backends/", "debugging/", "conformance/"),
    "onnx": ("dialects/", "backends/", "debugging/", "conformance/"),
    "onnxruntime": ("backends/", "debugging/", "conformance/"),
    "torch": ("backends/", "conformance/", "runtime/torch_gradients.py"),
    "hypothesis": ("conformance/",),
    "fsspec": ("ir/remote.py",),
    "numba": ("backends/",),
    "pytest": ("testing/",),
    "fast_sugiyama": ("drawing/",),
    "dask": ("work/cluster.py",),
    "distributed": ("work/cluster.py",),
    "pygls": ("server/",),
    "lsprotocol": ("server/",),
    "pyarrow": ("surveys/",),
    "pandas": ("surveys/",),
    "argcomplete": ("cli/completion.py",),
}
STRANGERS = [("spec", "ir"), ("ir", "spec"), ("ops", "ir"), ("values", "diagnostics")]


def _is_code(path: Path) -> bool:
    return path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))


PARTS = sorted(path.name.removesuffix(".py") for path in PACKAGE.iterdir() if _is_code(path))


@cache
def imports_of(part: str) -> tuple[tuple[str, str, int], ...]:
    """Every file of a part, with a module that it imports, wherever in it, and the line; those under
    TYPE_CHECKING too.
    """
    files = [PACKAGE / f"{part}.py"] if (PACKAGE / f"{part}.py").exists() else (PACKAGE / part).rglob("*.py")
    return tuple(
        (path.relative_to(PACKAGE).as_posix(), module, line)
        for path in files
        for module, line in _imports(ast.parse(path.read_text()))
    )


def _imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, node.lineno
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)


@pytest.mark.parametrize("part", [part for part in PARTS if part not in ("__init__", "__main__")])
def test_imports_go_down_only(part: str) -> None:
    assert part in LEVELS, f"{part} has no level"
    others = [
        (file, module.split(".")[1], line)
        for file, module, line in imports_of(part)
        if module.startswith("irops.")
    ]
    wrong = [
        f"{file}:{line}: {part} imports {other}"
        for file, other, line in others
        if other != part and (LEVELS[other] >= LEVELS[part] or (part, other) in STRANGERS)
    ]
    assert wrong == []


@pytest.mark.parametrize("part", PARTS)
def test_heavy_libraries_stay_behind_their_doors(part: str) -> None:
    wrong = [
        f"{file}:{line} imports {module}"
        for file, module, line in imports_of(part)
        if not file.startswith(DOORS.get(module.split(".")[0], ("",)))
    ]
    assert wrong == []


def test_importing_irops_imports_nothing_heavy():
    code = (
        "import sys, irops; irops.read; heavy = {'lxml', 'networkx', 'rich', 'jinja2', 'openvino', 'onnx',"
        " 'numba', 'ml_dtypes'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = python_process("-c", code, check=True)
    assert done.stdout.strip() == "[]"


def test_the_picture_of_the_parts_is_todays() -> None:
    docs = PACKAGE.parent / "docs"
    drawn = runpy.run_path(str(docs / "rooms.py"))["picture"]()
    assert (docs / "rooms.svg").read_text("utf-8") == drawn, "run python docs/rooms.py"
