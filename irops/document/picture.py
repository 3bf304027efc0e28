"""A picture of a movement: which element of an input each element of an output comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from irops.conformance.cases import expected_outputs, inputs_of
from irops.document.texts import elements_text
from irops.invocation import Invocation, OpFault
from irops.spec.cases import examples
from irops.spec.definition import ExampleCase, Tensor
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


def _of_case(op: Op, case: ExampleCase) -> Movement | None:
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
    op: Op, case: ExampleCase, tensors: list[Tensor | None], moved: list[Tensor]
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
    sources = np.concatenate([np.ravel(source) for source in made.sources])
    return bool((sources == np.arange(sources.size)).all())


CELL, GAP, MARGIN, HEIGHT = 34, 14, 4, 30
"""Pixels: the width of a cell, the space between rows of a tensor, around all, and of a cell's height."""
TOP, BOTTOM = 24, 130
"""Where the cells of the inputs and of the outputs begin."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of some tensors, one after the other. centers: x of each cell."""

    parts: tuple[str, ...]
    centers: tuple[int, ...]
    width: int


def picture(movement: Movement) -> str:
    """The picture as SVG."""
    above = _line(movement.inputs, TOP, TOP - 10)
    below = _line(movement.outputs, BOTTOM, BOTTOM + HEIGHT + 14)
    width, height = max(above.width, below.width), BOTTOM + HEIGHT + 28
    names = " and ".join(dict.fromkeys(t.name for t in movement.outputs))
    title = f"Where the elements of {names} come from{': ' if movement.title else ''}{movement.title}"
    return "\n".join(
        (
            f'<svg class="movement" role="img" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>',
            *above.parts,
            *below.parts,
            *_lines(movement, above, below),
            "</svg>",
        )
    )


def _line(tensors: tuple[Tensor, ...], y: int, y_name: int) -> _Line:
    """The cells of tensors from left to right, with a space between the rows of each."""
    parts: list[str] = []
    centers: list[int] = []
    x = MARGIN
    for tensor in tensors:
        if tensor.value is None:
            continue
        parts.append(f'<text class="name" x="{x}" y="{y_name}">{escape(tensor.name)}</text>')
        for row in _rows(tensor.value):
            for text in row:
                parts.append(f'<rect class="cell" x="{x}" y="{y}" width="{CELL}" height="{HEIGHT}"/>')
                parts.append(f'<text x="{x + CELL // 2}" y="{y + HEIGHT // 2}">{escape(text)}</text>')
                centers.append(x + CELL // 2)
                x += CELL
            x += GAP
    return _Line(tuple(parts), tuple(centers), x - GAP + MARGIN + CELL)


def _rows(array: Array) -> Iterator[list[str]]:
    """The texts of the elements, row by row along the last axis."""
    width = array.shape[-1] if array.ndim else 1
    for row in array.reshape(-1, max(width, 1)):
        yield [_text(row[k, ...]) for k in range(len(row))]


def _text(array: Array) -> str:
    text = str(array[()]) if array.dtype == object else elements_text(array)
    return text if len(text) <= 4 else f"{text[:3]}…"


def _lines(movement: Movement, above: _Line, below: _Line) -> Iterator[str]:
    """The line from each element to where it goes: dashed if it stays at its place."""
    y1, y2 = TOP + HEIGHT, BOTTOM
    same_shape = [t.shape for t in movement.inputs] == [t.shape for t in movement.outputs]
    for place, source in enumerate(np.concatenate([np.ravel(one) for one in movement.sources])):
        if source < 0:
            continue
        x1, x2 = above.centers[source], below.centers[place]
        kind = "kept" if same_shape and source == place else "moved"
        middle = (y1 + y2) // 2
        yield f'<path class="{kind}" d="M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}"/>'
