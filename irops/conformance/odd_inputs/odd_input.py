"""An unusual input of an op, and the reply of irops or a runtime to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from irops.values.element import CODED, Array, element_type, element_type_of, tagged

ELEMENT_TYPES = "Element types"
"""The group of inputs that are unusual only in their element type."""


@dataclass(frozen=True, slots=True)
class OddInput:
    """An invalid, extreme or unspecified input of an op.

    attributes: as texts, by the names of the OpenVINO op; constants: the indices of constant inputs;
    unranked: the indices of inputs whose rank is unknown before the model runs.
    """

    group: str
    name: str
    inputs: tuple[Array, ...] = field(compare=False)
    attributes: Mapping[str, str] = field(default_factory=dict, compare=False)
    constants: tuple[int, ...] = ()
    unranked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """An unusual input in one dialect. inputs: arrays with the names of their element types, because pickling
    loses the type tags of arrays.
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
    """What irops or a runtime does with an unusual input.

    kind: computes (an array), accepts (by a checker, without a result), refuses, crashes, hangs, or
    unsupported (not representable there)
    loaded: the model was accepted and its run refused; text: the error message; warnings: those of irops
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


def serialized(array: Array) -> tuple[Array, str]:
    """An array in a form that can be pickled, and the name of its element type."""
    kind = element_type_of(array).name
    return (array.view("u1") if kind in CODED else array), kind
