"""Count what the other tests of this folder bound, for docs/testing.md and for comparing two versions.

    python tests/house/counts.py [--list] [FOLDER]

FOLDER is a checkout, by default this one; --list also prints each thing that is counted.
"""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

import test_cycles
import test_dialects_apart
import test_words

MAX_COLUMNS = 110
STEPS = {
    "bind": "bind",
    "named_inputs": "named inputs",
    "with_normal_axes": "normal axes",
    "taken": "keywords",
    "positional": "positional",
}
"""The functions that apply an op to inputs step by step, under the names that they have had."""
HOMES = ("ops/invocation.py", "spec/domains.py")
"""Where these functions are defined and combined to an Invocation."""


def protocol(package: Path) -> dict[str, list[str]]:
    """The steps of the protocol that each module outside its home calls itself."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        if calls & STEPS.keys() and not name.startswith(HOMES):
            found[name] = [what for step, what in STEPS.items() if step in calls]
    return found


def dialects(package: Path) -> list[str]:
    """The files outside their homes that name a dialect other than OpenVINO's."""
    named = []
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package).as_posix()
        if path.is_file() and "__pycache__" not in name and not name.startswith("schemas/"):
            names_one = test_dialects_apart.NAMED.search(name.encode() + path.read_bytes())
            if names_one and not name.startswith(test_dialects_apart.HOMES):
                named.append(name)
    return named


def long_lines(root: Path) -> list[str]:
    """Lines of Python that are too long."""
    return [
        f"{path.relative_to(root)}:{number}"
        for folder in ("irops", "tests", "examples")
        for path in sorted((root / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > MAX_COLUMNS
    ]


def words(root: Path) -> list[str]:
    """Private idiom in code, definitions and pages."""
    test_words.ROOT = root
    pages = [*sorted((root / "docs").rglob("*.md")), root / "README.md", root / "CHANGELOG.md"]
    texts = [*sorted((root / "schemas").rglob("*.xml")), *(page for page in pages if page.exists())]
    return [
        *(o for p in (root / "irops").rglob("*.py") for o in dict.fromkeys(test_words.offences_in_module(p))),
        *(o for p in texts for o in test_words.offences_in_text(p, p.read_text())),
    ]


def counts(root: Path) -> dict[str, list[str]]:
    """Everything that is counted, each thing by its name."""
    package = root / "irops"
    late = test_cycles.all_late_imports(package)
    return {
        "modules outside irops/ops/invocation that apply an op step by step": [
            f"{name}: {', '.join(steps)}" for name, steps in protocol(package).items()
        ],
        "files outside their homes that name a dialect": dialects(package),
        "circles of imports": [" ".join(circle) for circle in test_cycles.circles(package)],
        "late imports of irops' own modules": [
            f"{name}:{line}" for name, lines in late.items() for line in lines
        ],
        "late imports without a reason": [
            f"{name}:{line}" for name, lines in late.items() for line in lines if name not in test_cycles.LATE
        ],
        f"lines over {MAX_COLUMNS} columns": long_lines(root),
        "words and names that are private idiom": words(root),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count what the tests of this folder bound.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("--list", action="store_true", help="print each thing that is counted")
    args = parser.parse_args()
    for what, found in counts(args.folder.resolve()).items():
        print(f"{len(found):5}  {what}")
        if args.list and found:
            print("\n".join(f"         {one}" for one in found))
