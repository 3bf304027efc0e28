"""Functions stay short enough to be read at once; a module is a topic and may be as long as its topic."""

from __future__ import annotations

import ast
from pathlib import Path

import irops

PACKAGE = Path(irops.__file__).parent
LONGEST = 80
"""Lines of a function, with its docstring."""


def test_no_function_is_long():
    long = {
        f"{path.relative_to(PACKAGE).as_posix()}:{node.name}": length
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST
    }
    assert long == {}


def test_no_module_is_named_for_nothing():
    assert [
        p.name
        for p in PACKAGE.rglob("*.py")
        if p.stem in ("utils", "util", "helpers", "helper", "common", "manager", "misc")
    ] == []
