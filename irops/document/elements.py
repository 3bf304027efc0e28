"""Elements of small arrays as text, with all significant digits."""

from __future__ import annotations

from irops.values.element import STRING, Array, element_type_of

WIDEST = 16
"""Largest number of characters in a row of a grid."""


def tensor_text(array: Array) -> str:
    """f32[2,3]"""
    return f"{element_type_of(array)}[{','.join(map(str, array.shape))}]"


def elements_text(array: Array) -> str:
    """[[1, 0, 2], [5, 4, 3]]: numbers with as many digits as their type needs."""
    if array.ndim:
        return f"[{', '.join(elements_text(array[k, ...]) for k in range(len(array)))}]"
    return repr(array.item()) if element_type_of(array) is STRING else str(array[()]).removesuffix(".0")


def grid_text(array: Array) -> str:
    """The elements row by row, with higher axes stacked; long rows are written one element per line."""
    if not array.size:
        return "no elements"
    rows = [
        [elements_text(row[k, ...]) for k in range(len(row))]
        for row in array.reshape(-1, array.shape[-1] if array.ndim else 1)
    ]
    widest = max(len(cell) for row in rows for cell in row)
    if max(map(len, rows)) * (widest + 1) > WIDEST:
        return "\n".join(cell for row in rows for cell in row)
    return "\n".join(" ".join(cell.rjust(widest) for cell in row) for row in rows)
