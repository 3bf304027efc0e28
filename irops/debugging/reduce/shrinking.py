"""Shorter axes: of all tensors at once where they have the same size, then of single tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from irops.debugging.reduce.arrays import axes_of, may_be_parameters, shorter, sliced
from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.case import Case, computes
from irops.debugging.reduce.tensors import tensors, with_tensors
from irops.registry import Registry
from irops.values.element import Array, element_type_of


def shrunk(case: Case, attempts: Attempts) -> Case:
    """The case with shorter axes, as long as it fails."""
    for size in sorted({n for array in tensors(case).values() for n in array.shape}, reverse=True):
        case = _shortened(case, size, attempts)
    for number in tensors(case):
        for axis in range(tensors(case)[number].ndim):
            case = _shortened_alone(case, number, axis, attempts)
    return case


def _shortened(case: Case, size: int, attempts: Attempts) -> Case:
    """The case with all axes of a size shortened."""
    while size > 1:
        for cut in shorter(size, 1):
            smaller = next(filter(attempts.fails, _cut_everywhere(case, size, cut, attempts.registry)), None)
            if smaller is not None:
                case, size = smaller, cut.stop - cut.start
                break
        else:
            break
    return case


def _shortened_alone(case: Case, number: int, axis: int, attempts: Attempts) -> Case:
    """The case with one axis of one tensor shortened."""
    array = tensors(case)[number]
    for cut in shorter(array.shape[axis], 1):
        smaller = with_tensors(case, {number: sliced(array, {axis}, cut)}, attempts.registry)
        if attempts.fails(smaller):
            return smaller
    return case


def _cut_everywhere(case: Case, size: int, cut: slice, registry: Registry | None) -> Iterator[Case]:
    """All axes of a size cut; then also such numbers in vectors, which may be shapes, and in attributes."""
    arrays = tensors(case)
    cuts = {n: sliced(a, axes_of(a, size), cut) for n, a in arrays.items() if size in a.shape}
    yield with_tensors(case, cuts, registry)
    length = cut.stop - cut.start
    vectors = {n: _renumbered(a, size, length) for n, a in arrays.items() if _has_number(a, size)}
    if vectors:
        yield with_tensors(case, {**cuts, **vectors}, registry)
    data = dict(_renumbered_attributes(case, size, length))
    if data:
        yield with_tensors(case, {**cuts, **vectors}, registry, data)


def _has_number(array: Array, number: int) -> bool:
    return element_type_of(array).integral and may_be_parameters(array) and number in array.tolist()


def _renumbered(array: Array, old: int, new: int) -> Array:
    changed = array.copy()
    changed[array == old] = new
    return changed


def _renumbered_attributes(case: Case, old: int, new: int) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The attributes of layers in which a number occurs, with another one."""
    number = re.compile(rf"(?<![\w.-]){old}(?![\w.])")
    for layer in case.model.layers:
        if computes(layer):
            data = {name: number.sub(str(new), text) for name, text in layer.data.items()}
            if data != layer.data:
                yield layer.id, data
