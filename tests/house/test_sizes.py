"""Functions stay small enough to be read at once; files hold a topic, however long; the whole stays small. A
class is known by its name alone, and conditional expressions are not chained: `a if x else b if y else c`
reads better as `if` or `match`.

`python tests/house/test_sizes.py` prints what is counted.
"""

import ast
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import irops

PACKAGE = Path(irops.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
MOST_LINES = 60
"""Of a function, with its signature and docstring."""
BUDGETS = {
    "lines of irops": 71_200,
    "lines of imports in a thousand": 75,
    "parts at the top": 24,
    "lines of tests": 50_100,
}
"""What may be lowered, and is raised by an issue alone: what is added takes the place of something."""


def counts() -> dict[str, int]:
    """The sizes that the budgets bound."""
    files = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    nodes = [node for text in files.values() for node in ast.walk(ast.parse(text))]
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = sum(text.count("\n") for text in files.values())
    parts = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))]
    return {
        "lines of irops": lines,
        "lines of imports in a thousand": 1000 * sum(n.end_lineno - n.lineno + 1 for n in imports) // lines,
        "parts at the top": sum(not path.name.startswith("__") for path in parts),
        "lines of tests": sum(
            path.read_text("utf-8").count("\n")
            for path in TESTS.rglob("*.py")
            if "benchmarks" not in path.relative_to(TESTS).parts
        ),
    }


def test_the_whole_is_within_its_budgets():
    assert {what: count for what, count in counts().items() if count > BUDGETS[what]} == {}


AT_THE_ROOT = {
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "docs",
    "examples",
    "irops",
    "pyproject.toml",
    "schemas",
    "tests",
}
"""Beside them only names that begin with a dot."""


def test_nothing_else_lies_at_the_root():
    root = TESTS.parent
    if not (root / ".git").exists():
        pytest.skip("not a checkout of git")
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    names = {line.split("/")[0] for line in listed.splitlines()}
    assert {name for name in names if not name.startswith(".")} == AT_THE_ROOT


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


def test_no_docstring_begins_with_what():
    wrong = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in PACKAGE.rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if line.lstrip().startswith('"""What ')
    ]
    assert wrong == []


if __name__ == "__main__":
    for what, count in counts().items():
        print(f"{count:8,}  {what}, at most {BUDGETS[what]:,}")
