"""Count how irops is divided: modules, lines, imports, rooms, and calls from lower rooms to higher ones.

    python tests/house/proportions.py [--list] [FOLDER]

FOLDER is a checkout, by default this one; --list also prints what is counted, one by one. Calls are counted
in this checkout alone, since its code is run for it.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import test_cycles
import test_layers

import irops

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "digit_classifier"
Count = tuple[float, list[str]]
"""A number, and what was counted."""


def sources(package: Path) -> dict[str, str]:
    """The text of every module, by its name."""
    return {name: path.read_text() for name, path in test_cycles.modules(package).items()}


def import_lines(text: str) -> int:
    """The number of lines that import statements take, those inside functions included."""
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )


def importers(package: Path) -> dict[str, set[str]]:
    """The modules of irops that import a module, by its name."""
    known = test_cycles.modules(package)
    users: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text())):
            for other in test_cycles.imported(node, known) - {name}:
                users[other].add(name)
    return users


def single_importers(package: Path) -> list[str]:
    """Modules that one module alone imports, which lies in the same folder."""
    folders = {name for name, path in test_cycles.modules(package).items() if path.name == "__init__.py"}

    def folder(name: str) -> str:
        return name if name in folders else name.rpartition(".")[0]

    return [
        f"{name} <- {next(iter(users))}"
        for name, users in importers(package).items()
        if len(users) == 1 and name not in folders and folder(next(iter(users))) == folder(name)
    ]


def repeated_class_names(package: Path) -> list[str]:
    """Names that classes of several modules have; private ones included."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, text in sources(package).items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(name)
    return [f"{name}: {', '.join(modules)}" for name, modules in sorted(homes.items()) if len(modules) > 1]


def rooms(package: Path) -> list[str]:
    """Packages and modules at the top of irops."""
    found = (
        path.name
        for path in sorted(package.iterdir())
        if path.suffix == ".py" or (path / "__init__.py").exists()
    )
    return [name for name in found if name not in ("__init__.py", "__main__.py")]


def climbs(action: Callable[[], Any]) -> list[str]:
    """Calls from a room to one that may import it, during an action: CALLER -> CALLEE, each pair once."""
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_back is None:
            return
        caller, callee = _level(frame.f_back), _level(frame)
        if caller is not None and callee is not None and caller < callee:
            found[f"{_module(frame.f_back)} -> {_module(frame)}"] = None

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return sorted(found)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _level(frame: FrameType) -> int | None:
    """The level of a function's room; None outside irops and while a module is imported."""
    package, _, inner = _module(frame).partition(".")
    if package != "irops" or frame.f_code.co_name == "<module>":
        return None
    return test_layers.LEVELS.get(inner.split(".")[0])


def climbs_of_commands() -> dict[str, Count]:
    """The climbs of a check and of a run of a small model, once everything is imported."""
    with np.load(EXAMPLE / "inputs.npz") as arrays:
        inputs = dict(arrays)
    actions: dict[str, Callable[[], Any]] = {
        "check": lambda: irops.check(EXAMPLE / "model.xml"),
        "run": lambda: irops.run(EXAMPLE / "model.xml", inputs),
    }
    counted: dict[str, Count] = {}
    for name, action in actions.items():
        action()
        pairs = climbs(action)
        counted[f"calls from a room to a higher one in irops.{name}"] = len(pairs), pairs
    return counted


def proportions(root: Path) -> dict[str, Count]:
    """Everything that is counted in the code of a checkout."""
    package = root / "irops"
    texts = sources(package)
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    imports = sum(map(import_lines, texts.values()))
    single, repeated, top = single_importers(package), repeated_class_names(package), rooms(package)
    return {
        "modules": (len(texts), []),
        "lines": (sum(lines.values()), []),
        "per cent of lines that import": (round(100 * imports / sum(lines.values()), 1), []),
        "modules with a single importer, in their own folder": (len(single), single),
        "class names in several modules": (len(repeated), repeated),
        "rooms at the top": (len(top), top),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count how irops is divided.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--list", action="store_true", help="print each thing that is counted")
    args = parser.parse_args()
    counted = proportions(args.folder.resolve())
    if args.folder.resolve() == ROOT:
        counted |= climbs_of_commands()
    for what, (number, items) in counted.items():
        print(f"{number:8,}  {what}")
        if args.list:
            print("".join(f"            {item}\n" for item in items), end="")
