"""Functions stay small enough to be read at once; files hold a topic, however long it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import irops

PACKAGE = Path(irops.__file__).parent
MOST_LINES = 60
"""Of a function, with its signature and docstring."""


def functions() -> Iterator[tuple[str, int]]:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{path.relative_to(PACKAGE).as_posix()}: {node.name}"
                yield name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_function_is_long():
    assert {name: lines for name, lines in functions() if lines > MOST_LINES} == {}


def test_no_module_is_named_for_nothing():
    assert [
        p.name
        for p in PACKAGE.rglob("*.py")
        if p.stem in ("utils", "util", "helpers", "helper", "common", "manager", "misc")
    ] == []
