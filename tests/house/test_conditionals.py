"""Conditional expressions are not chained: `a if x else b if y else c` reads better as `if` or `match`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import irops

PACKAGE = Path(irops.__file__).parent


def chained(source: str) -> list[int]:
    """The lines of conditional expressions of which a part is another one."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.IfExp)
        and any(isinstance(part, ast.IfExp) for part in (node.test, node.body, node.orelse))
    ]


@pytest.mark.parametrize("text", ["a if x else b if y else c", "(a if y else b) if x else c"])
def test_chained_conditional_expressions_are_found(text):
    assert chained(f"first = 1 if x else 2\nsecond = {text}") == [2]


def test_no_conditional_expressions_are_chained():
    found = {
        path.relative_to(PACKAGE.parent).as_posix(): chained(path.read_text())
        for path in PACKAGE.rglob("*.py")
    }
    assert {name: lines for name, lines in found.items() if lines} == {}
