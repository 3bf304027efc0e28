"""A picture of a movement: the elements of the inputs above, those of the outputs below, lines between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from irops.document.elements import elements_text
from irops.document.movement import Movement
from irops.spec.definition import Tensor
from irops.values.element import Array

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
