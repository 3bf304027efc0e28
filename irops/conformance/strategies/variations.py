"""Trials of any op: its examples, varied. What the definition then forbids by types and shapes is no
trial.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from irops.backends.requirements import MOVING
from irops.conformance.strategies.tensors import kinds, layouts, tensors
from irops.conformance.trial import Given, Trial
from irops.spec.definition import PortSpec
from irops.spec.op import Op
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged


@dataclass(frozen=True, slots=True)
class Changes:
    """Element types by type variable, and sizes by what they were: the same wherever they stand."""

    types: dict[str, ElementType]
    sizes: dict[int, int]

    def shape(self, before: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([self.sizes.get(size, size) for size in before])


@st.composite
def variations(draw: st.DrawFn, op: Op, starts: list[Trial]) -> Trial:
    """An example with other element types, sizes, elements and layouts; never all that different."""
    start = draw(st.sampled_from(starts))
    types = {
        name: draw(kinds(variable.allowed))
        for name, variable in op.definition.types.items()
        if draw(st.booleans())
    }
    sizes = sorted({size for given in start.inputs if given is not None for size in given.array.shape})
    changes = Changes(
        types, {size: draw(st.integers(0, 9)) for size in sizes if draw(st.integers(0, 3)) == 3}
    )
    return Trial(
        op,
        tuple(draw(_varied(op, place, given, changes)) for place, given in enumerate(start.inputs)),
        start.attributes,
    )


def retyped(op: Op, starts: list[Trial]) -> Iterator[Trial]:
    """Every example in every element type of each of its type variables."""
    for start in starts:
        for variable in op.definition.types.values():
            for name in sorted(variable.allowed):
                kind = element_type(name, foreign=True)
                yield Trial(
                    op,
                    tuple(
                        (
                            None
                            if given is None
                            else Given(_retyped(given.array, kind))
                            if port.type == variable.name
                            else given
                        )
                        for given, port in zip(start.inputs, _ports(op, len(start.inputs)))
                    ),
                    start.attributes,
                )


def _ports(op: Op, count: int) -> list[PortSpec]:
    ports = op.definition.inputs
    return [ports[min(k, len(ports) - 1)] for k in range(count)]


@st.composite
def _varied(draw: st.DrawFn, op: Op, place: int, given: Given | None, changes: Changes) -> Given | None:
    if given is None:
        return None
    port = _ports(op, place + 1)[place]
    kind = changes.types.get(port.type, element_type_of(given.array))
    leads_out = any(port.type == output.type for output in op.definition.outputs)
    if not leads_out and not kind.floating:
        return Given(_retyped(given.array, kind), draw(layouts()))  # axes, sizes, indices: as they are
    shape = changes.shape(given.array.shape)
    if op.definition.category in MOVING:
        return draw(tensors(kind, shape))
    if draw(st.booleans()) and kind is not STRING:
        quarters = np.random.default_rng(draw(st.integers(0, 2**16))).integers(-32, 33, shape)
        return Given(_retyped(quarters / 4 if kind.floating else quarters, kind), draw(layouts()))
    return Given(_retyped(np.resize(given.array, shape), kind), draw(layouts()))


def _retyped(numbers: Array, kind: ElementType) -> Array:
    """The same numbers in another type, as far as it has them."""
    array = np.asarray(numbers)  # NumPy makes scalars of arrays without axes on the way
    if element_type_of(array) is kind or kind is STRING or array.dtype == object:
        return array
    with np.errstate(all="ignore"):
        parts = array.real if array.dtype.kind == "c" and kind.kind != "complex" else array
        wide: Array = parts.astype({"float": np.float64, "complex": np.complex128}.get(kind.kind, np.int64))
        if kind.bits < 8 and not kind.floating:
            wide = wide % 2**kind.bits if kind.kind == "lookup" else np.asarray(np.clip(wide, *kind.extent))
        return tagged(wide.astype(kind.dtype), kind)
