"""Gelu: the Gaussian error linear unit, exact with erf or approximated with tanh."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from irops.ops.blocks import in_blocks
from irops.ops.error_function import erf
from irops.spec.binding import kernel
from irops.values.element import Array


@kernel("Gelu-7", widen=True)
def gelu(data: Array, *, approximation_mode: str) -> Array:
    return in_blocks(by_tanh if approximation_mode == "tanh" else by_erf, data)


@kernel("Gelu-2", widen=True)
def gelu_2(data: Array) -> Array:
    return in_blocks(by_erf, data)


def by_erf(x: Array) -> Array:
    result: Array = x / 2 * (1 + erf(np.asarray(x / sqrt(2))))
    return result


def by_tanh(x: Array) -> Array:
    result: Array = x / 2 * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))
    return result
