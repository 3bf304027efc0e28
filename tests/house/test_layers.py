"""Imports go down only and in no circle, heavy third parties stay behind their doors, few modules are
imported late, and collecting the tests loads no library that only some of them need.

Files of others are opened in one place, where devices and pipes are refused and sizes are bounded; processes
are started in one place, where modules of the current folder are not found.
What does otherwise is listed here, with the reason.
"""

import ast
import re
import runpy
from functools import cache
from pathlib import Path

import networkx
import pytest
from commands import python_process
from tables import table

import irops

PACKAGE = Path(irops.__file__).parent
LEVELS = {
    "environment": -2, "files": -1, "values": 0, "diagnostics": 0, "spec": 1, "ir": 1, "pages": 1, "work": 2,
    "ops": 2, "graph": 2, "dialects": 3, "analysis": 5, "backends": 6, "verdicts": 6, "runtime": 7,
    "editing": 8, "drawing": 9, "debugging": 10, "conformance": 11, "document": 12, "surveys": 12,
    "server": 13, "cli": 14, "testing": 14,
}  # fmt: skip
"""The order in which parts may know one another; parts of one level may not."""
DOORS = {library: tuple(parts) for library, parts in table(__file__, "doors")}
STRANGERS = [("spec", "ir"), ("ir", "spec"), ("ops", "ir"), ("values", "diagnostics")]
LATE = dict(table(__file__, "late"))
"""Modules that import other modules of irops late, and why."""


@cache
def modules() -> dict[str, Path]:
    """The modules of irops by name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        if "schemas" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imported(node: ast.AST) -> set[str]:
    """The modules that an import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom) and node.module:
        inner = {f"{node.module}.{alias.name}" for alias in node.names}
        return (inner & modules().keys()) or {node.module}
    return set()


@cache
def imports() -> list[tuple[str, str, int, bool]]:
    """Every import: the module that has it, the module that it names, the line, and whether a function or a
    condition on type checkers holds it.
    """
    found = []
    for name, path in modules().items():
        ahead: list[tuple[ast.AST, bool]] = [(tree_of(path), False)]
        while ahead:
            node, is_late = ahead.pop()
            found += [(name, other, node.lineno, is_late) for other in imported(node)]
            is_late = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            is_late = is_late or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
            if isinstance(node, ast.stmt | ast.Module | ast.ExceptHandler | ast.match_case):
                ahead += [(child, is_late) for child in ast.iter_child_nodes(node)]
    return found


def part_of(module: str) -> str:
    return module.split(".")[1]


def is_allowed(part: str, other: str) -> bool:
    return part == other or (LEVELS[other] < LEVELS[part] and (part, other) not in STRANGERS)


def test_imports_go_down_only():
    inner = [each for each in imports() if each[0] not in ("irops", "irops.__main__")]
    assert {part_of(name) for name, *_ in inner} <= LEVELS.keys()
    wrong = [
        f"{name}:{line} imports {other}"
        for name, other, line, _ in inner
        if other.startswith("irops.") and not is_allowed(part_of(name), part_of(other))
    ]
    assert wrong == []


def test_heavy_libraries_stay_behind_their_doors():
    files = {name: path.relative_to(PACKAGE).as_posix() for name, path in modules().items()}
    wrong = [
        f"{files[name]}:{line} imports {other}"
        for name, other, line, _ in imports()
        if not files[name].startswith(DOORS.get(other.split(".")[0], ("",)))
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle():
    """Late imports and those for type checkers alone included."""
    graph = networkx.DiGraph()
    graph.add_edges_from((name, other) for name, other, *_ in imports() if other in modules().keys() - {name})
    assert [group for group in networkx.strongly_connected_components(graph) if len(group) > 1] == []


def test_modules_of_irops_are_imported_late_only_for_a_reason():
    late = {modules()[name] for name, other, _, is_late in imports() if is_late and other in modules()}
    assert {path.relative_to(PACKAGE.parent).as_posix() for path in late} == LATE.keys()
    assert len(LATE) <= 15


def test_importing_irops_imports_nothing_heavy():
    code = (
        "import sys, irops; irops.read; heavy = {'lxml', 'networkx', 'rich', 'jinja2', 'openvino', 'onnx',"
        " 'numba', 'ml_dtypes'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = python_process("-c", code, check=True)
    assert done.stdout.strip() == "[]"


def test_the_picture_of_the_parts_is_todays() -> None:
    docs = PACKAGE.parent / "docs"
    drawn = runpy.run_path(str(docs / "rooms.py"))["picture"]()
    assert (docs / "rooms.svg").read_text("utf-8") == drawn, "run python docs/rooms.py"


HEAVY = ("torch", "openvino", "onnx", "onnxruntime", "numba", "jinja2", "matplotlib")
COLLECT = """
import sys
import pytest


class Report:
    def pytest_collection_finish(self, session):
        print("loaded:", *sorted(set({heavy}) & set(sys.modules)))
        print("collected:", len(session.items) > 1000)


sys.exit(pytest.main(["--collect-only", "-qq", "-n0", "-p", "no:cacheprovider", "tests"], plugins=[Report()]))
"""


@pytest.mark.slow("collects all tests")
def test_collecting_all_tests_loads_no_heavy_library():
    done = python_process("-c", COLLECT.format(heavy=HEAVY), cwd=PACKAGE.parent)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("loaded:", "collected:"))]
    assert lines == ["loaded:", "collected: True"], done.stdout[-2000:]


READING = {"open", "read_text", "read_bytes", "memmap", "fromfile"}
STARTING = {"Popen", "fork", "system", "execv", "spawnv", "import_module", "exec_module"}
LISTED = {key: (why, count) for key, why, count in table(__file__, "listed")}
"""By module, and by the function that starts a process or runs code: why it has its own way, and how many."""


def test_no_module_has_a_way_of_its_own_to_files_processes_and_code():
    found: dict[str, int] = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and (way := _way(node.func)):
                key = f"{name}: {way}" if way not in READING else name
                found[key] = found.get(key, 0) + 1
    assert found == {key: count for key, (_, count) in LISTED.items()}


def _way(function: ast.expr) -> str:
    """The name of a function that opens a file, starts a process or runs code; "" for others."""
    if isinstance(function, ast.Name):
        return function.id if function.id in ("open", "Popen", "import_module", "eval", "exec") else ""
    if not isinstance(function, ast.Attribute):
        return ""
    starts = ast.unparse(function).startswith(("subprocess.", "pickle.load")) or function.attr in STARTING
    return function.attr if starts or function.attr in READING else ""


HOMES = ("dialects/", "backends/onnx", "debugging/sources/onnx", "editing/translation/")
ASKED_AFTER = re.compile(
    r"""\.type(?:\.lower\(\))? (?:==|!=|in|not\ in) \(?["'](?:parameter|result|const|constant|assign)["']""",
    re.IGNORECASE,
)


def test_layers_are_asked_for_their_kind_not_for_their_type():
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in modules().values()}
    asking = [
        f"{name}: {found[0]}"
        for name, text in files.items()
        if not name.startswith(HOMES)
        for found in ASKED_AFTER.finditer(text)
        if "definition" not in text[max(0, found.start() - 12) : found.start()]
    ]
    assert asking == []
