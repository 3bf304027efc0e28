"""Imports go down only, and heavy third parties stay behind their doors."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import irops

PACKAGE = Path(irops.__file__).parent
LEVELS = {
    "files": -1,
    "values": 0,
    "diagnostics": 0,
    "work": 1,
    "spec": 1,
    "ir": 1,
    "ops": 2,
    "dialects": 3,
    "expansion": 3,
    "differentiation": 4,
    "registry": 4,
    "analysis": 5,
    "backends": 6,
    "verdicts": 6,
    "runtime": 7,
    "editing": 8,
    "drawing": 9,
    "viewing": 10,
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
    "networkx": ("ir/order.py",),
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
    "model_explorer": ("viewing/",),
    "dask": ("work/cluster/",),
    "distributed": ("work/cluster/",),
    "pygls": ("server/",),
    "lsprotocol": ("server/",),
    "pyarrow": ("surveys/", "dialects/onnx/ops/text.py"),  # which has RE2
    "pandas": ("surveys/",),
}
STRANGERS = [("spec", "ir"), ("ir", "spec"), ("ops", "ir"), ("values", "diagnostics")]


@cache
def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if "schemas" not in p.parts)


def part_of(path: Path) -> str:
    inside = path.relative_to(PACKAGE)
    return inside.parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> list[tuple[str, int]]:
    """Every module that a file imports, wherever in it; those under TYPE_CHECKING too."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.append((node.module, node.lineno))
        elif isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
    return found


PARTS = sorted({part_of(path) for path in modules()})


def of_part(part: str) -> list[Path]:
    return [path for path in modules() if part_of(path) == part]


@pytest.mark.parametrize("part", [part for part in PARTS if part not in ("__init__", "__main__")])
def test_imports_go_down_only(part):
    assert part in LEVELS, f"{part} has no level"
    wrong = []
    for path in of_part(part):
        for module, line in imports(path):
            other = module.split(".")[1] if module.startswith("irops.") else part
            if other != part and (LEVELS[other] >= LEVELS[part] or (part, other) in STRANGERS):
                wrong.append(f"{path.relative_to(PACKAGE)}:{line}: {part} imports {other}")
    assert wrong == []


@pytest.mark.parametrize("part", PARTS)
def test_heavy_libraries_stay_behind_their_doors(part):
    wrong = []
    for path in of_part(part):
        inside = path.relative_to(PACKAGE).as_posix()
        for module, line in imports(path):
            doors = DOORS.get(module.split(".")[0])
            if doors is not None and not inside.startswith(doors):
                wrong.append(f"{inside}:{line} imports {module}")
    assert wrong == []


def test_importing_irops_imports_nothing_heavy():
    code = (
        "import sys, irops; irops.read; heavy = {'lxml', 'networkx', 'rich', 'jinja2', 'openvino', 'onnx',"
        " 'numba', 'ml_dtypes'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
