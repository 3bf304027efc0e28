"""Imports go down only, and heavy third parties stay behind their doors."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import irops

PACKAGE = Path(irops.__file__).parent
LEVELS = {
    "process_setting": -1,
    "switches": -1,
    "html_table": -1,
    "urls": -1,
    "processes": -1,
    "cache": 0,
    "cluster": 1,
    "values": 0,
    "diagnostics": 0,
    "limits": 0,
    "spec": 1,
    "ir": 1,
    "ops": 2,
    "graph": 2,
    "dialects": 3,
    "registry": 4,
    "invocation": 4,
    "reading": 4,
    "analysis": 5,
    "writing": 6,
    "backends": 6,
    "verdicts": 6,
    "runtime": 7,
    "editing": 8,
    "drawing": 9,
    "debugging": 10,
    "conformance": 11,
    "document": 12,
    "surveys": 12,
    "server": 13,
    "cli": 14,
    "testing": 14,
}
"""The order in which parts may know one another; parts of one level may not."""
DOORS = {
    "lxml": ("spec/load.py", "spec/cases.py", "ir/"),
    "networkx": ("graph/",),
    "jinja2": ("document/",),
    "sphinx": ("document/sphinx/",),
    "docutils": ("document/sphinx/",),
    "rich": ("cli/", "diagnostics/"),
    "openvino": ("backends/", "debugging/", "conformance/"),
    "onnx": ("dialects/", "backends/", "debugging/", "conformance/"),
    "onnxruntime": ("backends/", "debugging/", "conformance/"),
    "torch": ("backends/", "conformance/", "runtime/torch_gradients.py"),
    "hypothesis": ("conformance/",),
    "fsspec": ("ir/remote/",),
    "numba": ("backends/",),
    "pytest": ("testing/",),
    "fast_sugiyama": ("drawing/",),
    "dask": ("cluster/",),
    "distributed": ("cluster/",),
    "pygls": ("server/",),
    "lsprotocol": ("server/",),
    "pyarrow": ("surveys/",),
    "pandas": ("surveys/",),
}
STRANGERS = [("spec", "ir"), ("ir", "spec"), ("ops", "ir"), ("values", "diagnostics")]


def modules():
    return sorted(p for p in PACKAGE.rglob("*.py") if "schemas" not in p.parts)


def part_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0].removesuffix(".py")


def imports(path: Path):
    """Every module that a file imports, wherever in it; those under TYPE_CHECKING too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, node.lineno
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)


@pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(PACKAGE))) for p in modules()])
def test_imports_go_down_only(path):
    part = part_of(path)
    if part in ("__init__", "__main__"):
        return
    assert part in LEVELS, f"{part} has no level"
    for module, line in imports(path):
        if not module.startswith("irops."):
            continue
        other = module.split(".")[1]
        if other == part:
            continue
        assert LEVELS[other] < LEVELS[part], f"{path.name}:{line}: {part} imports {other}"
        assert (part, other) not in STRANGERS, f"{path.name}:{line}: {part} must not know {other}"


@pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(PACKAGE))) for p in modules()])
def test_heavy_libraries_stay_behind_their_doors(path):
    inside = path.relative_to(PACKAGE).as_posix()
    for module, line in imports(path):
        doors = DOORS.get(module.split(".")[0])
        assert doors is None or inside.startswith(doors), f"{inside}:{line} imports {module}"


def test_importing_irops_imports_nothing_heavy():
    code = (
        "import sys, irops; irops.read; heavy = {'lxml', 'networkx', 'rich', 'jinja2', 'openvino', 'onnx',"
        " 'numba', 'ml_dtypes'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
