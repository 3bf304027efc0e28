"""Code that reads well. A class is known by its name alone: no two modules define classes of one name.
Conditional expressions are not chained: `a if x else b if y else c` reads better as `if` or `match`.
"""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import irops

PACKAGE = Path(irops.__file__).parent
SHARED = {"Graph": ["editing/graiphic.py", "editing/graph/graph.py"]}
"""irops.Graph, and irops.editing.graiphic.Graph for the same purpose in Graiphic's dialect."""


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


def test_no_two_modules_define_classes_of_one_name():
    places = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(path.relative_to(PACKAGE).as_posix())
    assert {name: sorted(found) for name, found in places.items() if len(found) > 1} == SHARED
