"""What threads share cannot be changed, and no attribute is invented: dataclasses are frozen, with slots."""

import ast
from pathlib import Path

import irops

FOLDER = Path(irops.__file__).parent
OTHERS = Path(__file__).with_name("dataclasses.txt")
"""The dataclasses that are not, each with the arguments of its decorator; they belong to one thread."""


def dataclasses_of(path):
    """Name and arguments of the decorator of every dataclass of a module."""
    for item in ast.walk(ast.parse(path.read_text("utf-8"))):
        for decorator in item.decorator_list if isinstance(item, ast.ClassDef) else ():
            if ast.unparse(decorator).startswith("dataclass"):
                keywords = sorted(ast.unparse(keyword) for keyword in getattr(decorator, "keywords", ()))
                yield f"{path.relative_to(FOLDER).as_posix()} {item.name}: {', '.join(keywords)}".rstrip(": ")


def test_a_dataclass_is_frozen_and_has_slots_unless_it_is_listed():
    found = [line for path in sorted(FOLDER.rglob("*.py")) for line in dataclasses_of(path)]
    others = [line for line in found if not line.endswith(": frozen=True, slots=True")]
    assert others == OTHERS.read_text("utf-8").splitlines()
    assert len(found) > 3 * len(others)
