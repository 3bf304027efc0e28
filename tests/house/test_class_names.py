"""A class is known by its name alone: no two modules define classes of one name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import irops

PACKAGE = Path(irops.__file__).parent
SHARED = {"Graph": ["editing/graiphic.py", "editing/graph/graph.py"]}
"""irops.Graph, and irops.editing.graiphic.Graph for the same purpose in Graiphic's dialect."""


def test_no_two_modules_define_classes_of_one_name():
    places = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(path.relative_to(PACKAGE).as_posix())
    assert {name: sorted(found) for name, found in places.items() if len(found) > 1} == SHARED
