"""Trials of any op: variations of its examples. Variations with invalid types or shapes are discarded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from irops.backends.requirements import MOVING
from irops.conformance.strategies.tensors import kinds, layouts, tensors
from irops.conformance.trial import Trial, TrialInput
from irops.spec.definition import PortSpec
from irops.spec.op import Op
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged


@dataclass(frozen=True, slots=True)
class Changes:
    """New element types by type variable, and new sizes by old size, applied everywhere in a trial."""

    types: dict[str, ElementType]
    sizes: dict[int, int]

    def shape(self, before: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([self.sizes.get(size, size) for size in before])


@st.composite
def variations(draw: st.DrawFn, op: Op, starts: list[Trial]) -> Trial:
    """An example with other element types, sizes, elements and layouts."""
    start = draw(st.sampled_from(starts))
    types = {
        name: draw(kinds(variable.allowed))
        for name, variable in op.definition.types.items()
        if draw(st.booleans())
    }
    sizes = sorted(
        {size for trial_input in start.inputs if trial_input is not None for size in trial_input.array.shape}
    )
    changes = Changes(
        types, {size: draw(st.integers(0, 9)) for size in sizes if draw(st.integers(0, 3)) == 3}
    )
    return Trial(
        op,
        tuple(
            draw(_varied(op, index, trial_input, changes)) for index, trial_input in enumerate(start.inputs)
        ),
        start.attributes,
    )


def retyped(op: Op, starts: list[Trial]) -> Iterator[Trial]:
    """Every example in every element type of each type variable."""
    for start in starts:
        for variable in op.definition.types.values():
            for name in sorted(variable.allowed):
                kind = element_type(name, foreign=True)
                yield Trial(
                    op,
                    tuple(
                        TrialInput(_retyped(trial_input.array, kind))
                        if trial_input is not None and port.type == variable.name
                        else trial_input
                        for trial_input, port in zip(start.inputs, _ports(op, len(start.inputs)))
                    ),
                    start.attributes,
                )


def _ports(op: Op, count: int) -> list[PortSpec]:
    ports = op.definition.inputs
    return [ports[min(k, len(ports) - 1)] for k in range(count)]


@st.composite
def _varied(
    draw: st.DrawFn, op: Op, index: int, trial_input: TrialInput | None, changes: Changes
) -> TrialInput | None:
    if trial_input is None:
        return None
    port = _ports(op, index + 1)[index]
    kind = changes.types.get(port.type, element_type_of(trial_input.array))
    shares_output_type = any(port.type == output.type for output in op.definition.outputs)
    if not shares_output_type and not kind.floating:
        return TrialInput(
            _retyped(trial_input.array, kind), draw(layouts())
        )  # axes, sizes and indices keep their values
    shape = changes.shape(trial_input.array.shape)
    if op.definition.category in MOVING:
        return draw(tensors(kind, shape))
    if draw(st.booleans()) and kind is not STRING:
        quarters = np.random.default_rng(draw(st.integers(0, 2**16))).integers(-32, 33, shape)
        return TrialInput(_retyped(quarters / 4 if kind.floating else quarters, kind), draw(layouts()))
    return TrialInput(_retyped(np.resize(trial_input.array, shape), kind), draw(layouts()))


def _retyped(numbers: Array, kind: ElementType) -> Array:
    """The same numbers in another type, as far as it can represent them."""
    array = np.asarray(numbers)  # NumPy turns arrays without axes into scalars
    if element_type_of(array) is kind or kind is STRING or array.dtype == object:
        return array
    with np.errstate(all="ignore"):
        parts = array.real if array.dtype.kind == "c" and kind.kind != "complex" else array
        wide: Array = parts.astype({"float": np.float64, "complex": np.complex128}.get(kind.kind, np.int64))
        if kind.bits < 8 and not kind.floating:
            wide = np.asarray(wide % 2**kind.bits if kind.kind == "lookup" else np.clip(wide, *kind.extent))
        return tagged(wide.astype(kind.dtype), kind)
