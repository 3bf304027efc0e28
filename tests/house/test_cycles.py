"""No module imports itself through others: late imports and those for type checkers alone included."""

from __future__ import annotations

import ast
from pathlib import Path

import networkx

import irops

PACKAGE = Path(irops.__file__).parent
LATE = {
    "irops/server/checks.py": "the process that checks alone imports what checks",
    "irops/__init__.py": "public names are imported when first used",
    "irops/cli/main.py": "a command is imported when it is called",
    "irops/cli/checking.py": "only --why needs the modules that explain, only many files multiprocessing",
    "irops/cli/completion.py": "a key is answered with what the value at the cursor needs, and no more",
    "irops/cli/explain.py": "rules are explained without the definitions of ops, and without NumPy",
    "irops/cli/server.py": "without pygls, which the server imports, the command names the missing extra",
    "irops/cli/new.py": "its help and its refusals need neither the registry nor NumPy",
    "irops/backends/numba/__init__.py": "the compiled loops import numba",
    "irops/runtime/foreign_call.py": "gradients of torch import torch",
    "irops/testing/__init__.py": "a test session that uses no assertion of irops imports none",
    "irops/testing/plugin.py": "pytest loads the plug-in in every session",
    "irops/conformance/kit.py": "strategies are defined with Hypothesis, which may be missing",
    "irops/ir/opening.py": "ten modules that read remote files; most models are local",
    "irops/dialects/onnx/dialect.py": "twenty modules that read and write ONNX files; most commands use none",
}
"""Modules that import other modules of irops late, and why."""


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """The modules of irops by name. package: the folder of irops"""
    found = {}
    for path in sorted(package.rglob("*.py")):
        if "schemas" in path.parts:
            continue
        parts = path.relative_to(package.parent).with_suffix("").parts
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


def circles(package: Path = PACKAGE) -> list[list[str]]:
    """The groups of modules that import each other, directly or through others."""
    known = modules(package)
    graph = networkx.DiGraph()
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text())):
            graph.add_edges_from((name, other) for other in imported(node, known) if other != name)
    return [sorted(group) for group in networkx.strongly_connected_components(graph) if len(group) > 1]


def late_imports(path: Path, known: dict[str, Path]) -> list[int]:
    """The lines of imports of irops' own modules within functions, or for type checkers alone."""
    lines = []
    for outer in ast.walk(ast.parse(path.read_text())):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)) or (
            isinstance(outer, ast.If) and "TYPE_CHECKING" in ast.unparse(outer.test)
        ):
            lines += [node.lineno for node in ast.walk(outer) if imported(node, known)]
    return sorted(set(lines))


def all_late_imports(package: Path = PACKAGE) -> dict[str, list[int]]:
    """The lines of late imports of each module that has some."""
    known = modules(package)
    found = {
        path.relative_to(package.parent).as_posix(): late_imports(path, known) for path in known.values()
    }
    return {name: lines for name, lines in found.items() if lines}


def test_no_modules_import_each_other_in_a_circle():
    assert circles() == []


def test_modules_of_irops_are_imported_late_only_for_a_reason():
    assert all_late_imports().keys() == LATE.keys()
    assert len(LATE) <= 15
