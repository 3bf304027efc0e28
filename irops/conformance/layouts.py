"""Memory layouts of the same elements: kernels receive read-only constants, views and unaligned arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irops.values.element import CODED, Array, element_type_of, tagged


class Layout(NamedTuple):
    """make: convert an array to the layout; statement: the same as Python code for x."""

    make: Callable[[Array], Array]
    statement: str


def _read_only(x: Array) -> Array:
    x = x.copy()
    x.flags.writeable = False
    return x


def _unaligned(x: Array) -> Array:
    return np.frombuffer(bytes(1) + x.tobytes(), x.dtype, offset=1).reshape(x.shape)


LAYOUTS = {
    "plain": Layout(lambda x: x.copy(), ""),
    "read-only": Layout(_read_only, "x.flags.writeable = False"),
    "fortran": Layout(lambda x: x.copy(order="F"), "x = x.copy(order='F')"),
    "stepped": Layout(lambda x: np.repeat(x, 2, axis=-1)[..., ::2], "x = np.repeat(x, 2, axis=-1)[..., ::2]"),
    "backward": Layout(lambda x: x[..., ::-1].copy()[..., ::-1], "x = x[..., ::-1].copy()[..., ::-1]"),
    "unaligned": Layout(
        _unaligned, "x = np.frombuffer(bytes(1) + x.tobytes(), x.dtype, offset=1).reshape(x.shape)"
    ),
}
WRITEABLE = ("plain", "fortran", "stepped", "backward")
"""The layouts of arrays that can be written to."""


def in_layout(array: Array, layout: str) -> Array:
    """A new array of the same elements in a layout, or in the plain layout if the layout is impossible for
    the array, such as unaligned strings.
    """
    kind = element_type_of(array)
    bare = array.view(np.uint8) if kind.name in CODED else array  # NumPy drops the type tag
    return tagged(LAYOUTS[layout if fits(array, layout) else "plain"].make(bare), kind)


def fits(array: Array, layout: str) -> bool:
    """Whether the array can have the layout."""
    if layout in ("stepped", "backward"):
        return array.ndim > 0
    return layout != "unaligned" or (array.size > 0 and array.dtype != object)
