"""No module imports itself through others: late imports and those for type checkers alone included."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import networkx

import irops

PACKAGE = Path(irops.__file__).parent
LATE = {
    "irops/server/language_server.py": "the process that checks alone imports what checks",
    "irops/__init__.py": "public names are imported when first used",
    "irops/cli/main.py": "a command is imported when it is called",
    "irops/cli/check.py": "only --why needs the modules that explain, only many files multiprocessing",
    "irops/cli/completion.py": "a key is answered with what the value at the cursor needs, and no more",
    "irops/cli/explain.py": "rules are explained without the definitions of ops, and without NumPy",
    "irops/cli/server.py": "without pygls, which the server imports, the command names the missing extra",
    "irops/cli/new.py": "its help and its refusals need neither the registry nor NumPy",
    "irops/backends/numba/__init__.py": "the compiled loops import numba",
    "irops/runtime/call.py": "gradients of torch import torch",
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


@cache
def imports(package: Path = PACKAGE) -> dict[str, list[tuple[int, set[str], bool]]]:
    """The imports of irops' own modules in each module: line, names, and whether a function or a condition on
    type checkers holds them.
    """
    known = modules(package)
    found: dict[str, list[tuple[int, set[str], bool]]] = {name: [] for name in known}
    for name, path in known.items():
        ahead: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text()), False)]
        while ahead:
            node, is_late = ahead.pop()
            if names := imported(node, known):
                found[name].append((node.lineno, names, is_late))
            is_late = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            is_late = is_late or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
            if isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler | ast.match_case):
                ahead += [(child, is_late) for child in ast.iter_child_nodes(node)]
    return found


def circles(package: Path = PACKAGE) -> list[list[str]]:
    """The groups of modules that import each other, directly or through others."""
    graph = networkx.DiGraph()
    for name, entries in imports(package).items():
        graph.add_edges_from((name, other) for _, others, _ in entries for other in others if other != name)
    return [sorted(group) for group in networkx.strongly_connected_components(graph) if len(group) > 1]


def all_late_imports(package: Path = PACKAGE) -> dict[str, list[int]]:
    """The lines of late imports of each module that has some."""
    paths = modules(package)
    found = {
        paths[name].relative_to(package.parent).as_posix(): sorted(line for line, _, late in entries if late)
        for name, entries in imports(package).items()
    }
    return {name: lines for name, lines in found.items() if lines}


def test_no_modules_import_each_other_in_a_circle():
    assert circles() == []


def test_modules_of_irops_are_imported_late_only_for_a_reason():
    assert all_late_imports().keys() == LATE.keys()
    assert len(LATE) <= 15
