"""Tables of cases that stand beside a test, in the TOML file of its name, and what their texts mean."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from irops.ir.model import Model
from irops.spec.load import value_of
from irops.values.element import Array, element_type
from irops.values.shape import Shape
from tests.conftest import model_of


def table(test: str, name: str) -> list[Any]:
    """The rows of a table. test: the file of the test; name: that of the test without test_"""
    rows: list[Any] = tomllib.loads(Path(test).with_suffix(".toml").read_text("utf-8"))[name]
    return rows


def tensor(text: str) -> Array:
    """An array from its type, shape and elements, such as "f32[2] 1 nan"."""
    kind, shape, elements = text.replace("[", "]").split("]", 2)
    return value_of(elements, element_type(kind), Shape.parse(shape).to_tuple())


def array_of(kind: str, shape: Sequence[int], numbers: Sequence[Any]) -> Array:
    """An array as a table gives it: its numbers are repeated until the shape is full."""
    return np.resize(np.array(numbers, element_type(kind).dtype), shape)


def model_of_texts(layers: str, constants: dict[str, Any]) -> Model:
    """A model of layers, one a line as in conftest.layer_of, with those of some constants that it names."""
    arrays = {name: array_of(*given) for name, given in constants.items() if name in layers.split()}
    return model_of(*layers.strip().splitlines(), **arrays)
