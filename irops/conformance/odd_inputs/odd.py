"""An odd input, and what irops or a runtime does with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from irops.values.element import CODED, Array, element_type, element_type_of, tagged

ELEMENT_TYPES = "Element types"
"""The group of inputs of which nothing is odd but the type of their elements."""


@dataclass(frozen=True, slots=True)
class Odd:
    """An input that is worth a look.

    attributes: as texts, by the names of OpenVINO's op; constants: which inputs are no Parameters; unranked:
        of which of them not even
    the rank is known before the model runs.
    """

    group: str
    name: str
    inputs: tuple[Array, ...] = field(compare=False)
    attributes: Mapping[str, str] = field(default_factory=dict, compare=False)
    constants: tuple[int, ...] = ()
    unranked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """An odd input as one dialect has it. inputs: arrays and the names of their types, since tags of arrays
    do not travel.
    """

    op: str
    names: tuple[str, ...]
    inputs: tuple[tuple[Array, str], ...]
    attributes: Mapping[str, str]
    constants: tuple[int, ...]
    unranked: tuple[int, ...]

    @property
    def arrays(self) -> list[Array]:
        return [tagged(array, element_type(kind, foreign=True)) for array, kind in self.inputs]


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of an odd input.

    kind: gives (an array), takes (a checker, which gives none), refuses, crashes, hangs, lacks (there is no
        way to say it there)
    loaded: whether the model was taken and its run refused; text: what was said; warnings: what irops told,
        though it gave a result
    """

    kind: str
    text: str = ""
    loaded: bool = False
    output: tuple[Array, str] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def array(self) -> Array | None:
        return (
            None
            if self.output is None
            else tagged(self.output[0], element_type(self.output[1], foreign=True))
        )


def sent(array: Array) -> tuple[Array, str]:
    """An array as it travels between processes, and the name of its type."""
    kind = element_type_of(array).name
    return (array.view("u1") if kind in CODED else array), kind
