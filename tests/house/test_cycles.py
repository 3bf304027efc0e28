"""No module imports itself through others: late imports and those for type checkers alone included."""

from __future__ import annotations

import ast
from pathlib import Path

import networkx

import irops

PACKAGE = Path(irops.__file__).parent
LATE = {
    "irops/__init__.py": "public names are imported when first used",
    "irops/cli/main.py": "a command is imported when it is called",
    "irops/cli/new.py": "its help and its refusals need neither the registry nor NumPy",
    "irops/backends/numba/__init__.py": "the compiled loops import numba",
    "irops/conformance/kit.py": "strategies are defined with Hypothesis, which may be missing",
    "irops/dialects/onnx/dialect.py": "twenty modules that read and write ONNX files; most commands use none",
}
"""Modules that import other modules of irops late, and why."""


def modules() -> dict[str, Path]:
    """The modules of irops by name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "schemas" in path.parts:
            continue
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(node: ast.AST, known: dict[str, Path]) -> set[str]:
    """The modules of irops that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if alias.name in known}
    if isinstance(node, ast.ImportFrom) and node.module:
        inner = {f"{node.module}.{alias.name}" for alias in node.names}
        return (inner & known.keys()) or ({node.module} & known.keys())
    return set()


def test_no_modules_import_each_other_in_a_circle():
    known = modules()
    graph = networkx.DiGraph()
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text())):
            graph.add_edges_from((name, other) for other in imported(node, known) if other != name)
    assert [sorted(c) for c in networkx.strongly_connected_components(graph) if len(c) > 1] == []


def late_imports(path: Path, known: dict[str, Path]) -> list[int]:
    """The lines of imports of irops' own modules within functions, or for type checkers alone."""
    tree = ast.parse(path.read_text())
    lines = []
    for outer in ast.walk(tree):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)) or (
            isinstance(outer, ast.If) and "TYPE_CHECKING" in ast.unparse(outer.test)
        ):
            lines += [node.lineno for node in ast.walk(outer) if imported(node, known)]
    return sorted(set(lines))


def test_modules_of_irops_are_imported_late_only_for_a_reason():
    known = modules()
    found = {
        path.relative_to(PACKAGE.parent).as_posix(): late_imports(path, known) for path in known.values()
    }
    assert {name: lines for name, lines in found.items() if lines and name not in LATE} == {}
    assert {name for name in LATE if not found[name]} == set(), "the table lists only modules that need it"
