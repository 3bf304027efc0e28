"""Tables of cases that stand beside a test, in the TOML file of its name."""

import tomllib
from pathlib import Path
from typing import Any

from irops.spec.load import value_of
from irops.values.element import Array, element_type
from irops.values.shape import Shape


def table(test: str, name: str) -> list[Any]:
    """The rows of a table. test: the file of the test; name: that of the test without test_"""
    rows: list[Any] = tomllib.loads(Path(test).with_suffix(".toml").read_text("utf-8"))[name]
    return rows


def tensor(text: str) -> Array:
    """An array from its type, shape and elements, such as "f32[2] 1 nan"."""
    kind, shape, elements = text.replace("[", "]").split("]", 2)
    return value_of(elements, element_type(kind), Shape.parse(shape).to_tuple())
