"""Files of others are opened in one place, where devices and pipes are refused and sizes are bounded.

Processes are started in one place, where modules of the current folder are not found. What opens a file or
starts a process otherwise is listed here, with the reason.
"""

import ast
from pathlib import Path

import irops

PACKAGE = Path(irops.__file__).parent
READING = {"open", "read_text", "read_bytes", "memmap", "fromfile"}
STARTING = {"Popen", "fork", "system", "execv", "spawnv"}
OF_IROPS = "a file of irops itself, or one that this process has written"
LISTED = {
    "backends/numba/reversing.py": (OF_IROPS, 1),
    "backends/numba/vectors.py": (OF_IROPS, 1),
    "cli/guard.py: fork": ("the command itself, which is watched", 1),
    "cli/new.py": ("the table of opsets that it adds to; files that must not exist", 2),
    "cli/streams.py": ("the null device, in place of closed streams", 2),
    "debugging/reduce/attempts.py": ("the tries, which it has just written, to add to them", 1),
    "debugging/reduce/attempts.py: Popen": ("the command of --command, which is trusted", 1),
    "debugging/reduce/reduction.py": (OF_IROPS, 1),
    "debugging/reduce/reproduction.py": (OF_IROPS, 4),
    "diagnostics/rules/__init__.py": (OF_IROPS, 1),
    "document/site.py": (OF_IROPS, 3),
    "drawing/arrange.py: run": ("dot of Graphviz, which gets the text of irops alone", 1),
    "drawing/drawing.py": (OF_IROPS, 1),
    "files/limits.py": ("what the system says of memory", 1),
    "files/output.py": ("the one place that writes; what it finds beside a target", 6),
    "files/storage.py": ("the one place that reads", 1),
    "ir/numpy_files.py": ("members of an archive that is open", 3),
    "ir/remote.py": ("a URL, and a temporary file", 2),
    "pages/render.py": (OF_IROPS, 1),
    "server/navigation.py": ("a definition, which is loaded already", 1),
    "spec/extension.py": ("code of custom ops, which is trusted", 1),
    "surveys/store.py": ("the lock of a report", 1),
    "surveys/tasks.py": ("code of custom ops, which is trusted", 1),
    "work/child.py": ("what the system says of a process", 1),
    "work/cluster.py": ("code of custom ops, which is trusted", 1),
    "work/python.py: Popen": ("the one place that starts Python", 1),
}
"""By module, and by the function that starts a process: why it has a way of its own, and how many."""


def test_no_module_has_a_way_of_its_own_to_files_and_processes():
    found: dict[str, int] = {}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and (way := _way(node.func)):
                key = f"{name}: {way}" if way not in READING else name
                found[key] = found.get(key, 0) + 1
    assert found == {key: count for key, (_, count) in LISTED.items()}


def _way(function: ast.expr) -> str:
    """The name of a function that opens a file or starts a process; "" for others."""
    if isinstance(function, ast.Name):
        return function.id if function.id in ("open", "Popen") else ""
    if not isinstance(function, ast.Attribute):
        return ""
    is_process = ast.unparse(function.value) == "subprocess" or function.attr in STARTING
    return function.attr if is_process or function.attr in READING else ""
