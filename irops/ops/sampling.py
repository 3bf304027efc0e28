"""Elements of maps at positions that differ from point to point, shared by the ops that sample."""

import numpy as np

from irops.values.element import Array


def elements_at(maps: Array, y: Array, x: Array, inside: Array) -> Array:
    """The elements of maps[C, H, W] at rows y and columns x, in every channel: [C, ...]. 0 where `inside` is
    False; there, too, y and x are indices of elements.
    """
    channels, height, width = maps.shape
    elements: Array = maps.reshape(channels, height * width).take(y * width + x, axis=1)
    return elements if inside.all() else np.where(inside, elements, elements.dtype.type(0))
