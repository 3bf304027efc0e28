"""Which element of an input each element of an output comes from, for ops that move elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irops.conformance.example import expected_outputs, inputs_of
from irops.invocation import Invocation, OpFault
from irops.spec.cases import examples
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import I64, Array
from irops.values.violation import Violation, collect_warnings

MAX_ELEMENTS = 16
"""Of all inputs that are moved, and of all outputs, in a picture."""
CODES = ((1, 1), (1000, 7))
"""Start and step of the numbers that stand for the elements in two runs: a source is the same in both."""


@dataclass(frozen=True, slots=True)
class Movement:
    """inputs: the tensors whose elements are moved; sources: for each output, the position of the source of
    each element among the elements of all inputs, -1 for a new element.
    """

    title: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    sources: tuple[Array, ...]


def movement(op: Op) -> Movement | None:
    """The movement in the first small example of an op; None for ops that compute."""
    definition = op.definition
    if definition.category != "movement" or not definition.outputs or op.functions.kernel is None:
        return None
    found = (_of_case(op, case) for case in examples(definition) if case.net is None)
    return next((one for one in found if one is not None), None)


def _of_case(op: Op, case: Case) -> Movement | None:
    tensors, expected = inputs_of(op, case), expected_outputs(op, case)
    moved = _moved(op, tensors)
    values = [t.value for t in (*moved, *expected) if t.value is not None]
    if not moved or len(values) < len(moved) + len(expected):
        return None
    sizes = [sum(v.size for v in part) for part in (values[: len(moved)], values[len(moved) :])]
    if min(sizes) < 2 or max(sizes) > MAX_ELEMENTS:
        return None
    sources = _sources(op, case, tensors, moved)
    if sources is None or len(sources) < len(expected):
        return None
    made = Movement(case.name or "", tuple(moved), tuple(expected), sources[: len(expected)])
    return made if _is_true(made) and not _is_identity(made) else None


def _moved(op: Op, tensors: list[Tensor | None]) -> list[Tensor]:
    """The inputs of the element type of the output, but for scalars."""
    kinds = {port.name for port in op.definition.inputs if port.type == op.definition.outputs[0].type}
    return [t for t in tensors if t is not None and t.name in kinds and t.shape.rank != 0]


def _sources(
    op: Op, case: Case, tensors: list[Tensor | None], moved: list[Tensor]
) -> tuple[Array, ...] | None:
    """The positions of the sources of all outputs; None if they are not the same for both codes."""
    found: list[list[Array]] = []
    for start, step in CODES:
        arrays: list[Array | None] = []
        first = 0
        for tensor in tensors:
            array = None if tensor is None else tensor.value
            if tensor is not None and array is not None and any(tensor is one for one in moved):
                numbers = start + step * np.arange(first, first + array.size)
                array, first = numbers.reshape(array.shape).astype(I64.dtype), first + array.size
            arrays.append(array)
        try:
            with collect_warnings():
                results = Invocation(op, case.attributes).compute(arrays)
        except (Violation, OpFault):
            return None
        found.append([_positions(np.asarray(result), start, step, first) for result in results])
    same = all(np.array_equal(a, b) for a, b in zip(*found))
    return tuple(found[0]) if same else None


def _positions(result: Array, start: int, step: int, count: int) -> Array:
    """The positions that the numbers of a result stand for, -1 for a number that stands for none."""
    position, rest = np.divmod(result.astype(np.int64) - start, step)
    return np.where((rest == 0) & (position >= 0) & (position < count), position, -1)


def _is_true(made: Movement) -> bool:
    """Whether the elements of the example are where the sources say."""
    flat = np.concatenate([np.ravel(t.value).astype(object) for t in made.inputs if t.value is not None])
    for tensor, sources in zip(made.outputs, made.sources):
        value = np.ravel(tensor.value).astype(object) if tensor.value is not None else flat[:0]
        from_input = np.ravel(sources) >= 0
        if sources.size != value.size or not from_input.any():
            return False
        if not (flat[np.ravel(sources)[from_input]] == value[from_input]).all():
            return False
    return True


def _is_identity(made: Movement) -> bool:
    sources = np.concatenate([np.ravel(one) for one in made.sources])
    return bool((sources == np.arange(sources.size)).all())
