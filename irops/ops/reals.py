"""Functions of real numbers on arrays of any type, block by block; the error function."""

from collections.abc import Callable, Iterator

import numpy as np

from irops.ops.conversion import as_numbers, low_bits, nearest
from irops.values.element import Array, element_type_of

BLOCK_ELEMENTS = 1 << 14
"""The elements of a block: few enough for the cache, enough that the calls of NumPy cost little."""


def in_blocks(formula: Callable[[Array], Array], data: Array) -> Array:
    """Apply an elementwise formula to data. The result has the type of data."""
    if data.size <= BLOCK_ELEMENTS:
        return np.asarray(formula(data), data.dtype)
    result = np.empty(data.shape, data.dtype)
    elements, results = data.reshape(-1), result.reshape(-1)
    for block in blocks(data.size, 1):
        results[block] = formula(elements[block])
    return result


def blocks(items: int, elements: int, of: int = BLOCK_ELEMENTS) -> Iterator[slice]:
    """Slices that divide items into blocks.

    elements: of an item; of: the elements of a block, which has at least one item
    """
    each = max(of // max(elements, 1), 1)
    return (slice(start, start + each) for start in range(0, items, each))


Function = Callable[[Array], Array]


def on_reals(function: Function, data: Array) -> Array:
    """Apply a function of real numbers to each element. For integers it is computed in f64, and the result is
    rounded to the nearest integer of their type, halves to even.
    """
    kind = element_type_of(data)
    return nearest(function(as_numbers(data).astype("f8")), kind) if kind.integral else function(data)


def on_numbers(function: Function, data: Array) -> Array:
    """Apply to each element a function that maps integers to integers. Integers are computed as integers, and
    wrap around.
    """
    kind = element_type_of(data)
    return low_bits(function(as_numbers(data)), kind) if kind.integral else function(data)


def elements_at(maps: Array, y: Array, x: Array, inside: Array) -> Array:
    """The elements of maps[C, H, W] at rows y and columns x, in every channel: [C, ...]. 0 where `inside` is
    False; there, too, y and x are indices of elements.
    """
    channels, height, width = maps.shape
    elements: Array = maps.reshape(channels, height * width).take(y * width + x, axis=1)
    return elements if inside.all() else np.where(inside, elements, elements.dtype.type(0))


# The error function, for whole arrays, without SciPy.


def _coefficients(above: str, below: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(map(float, above.split())), tuple(map(float, below.split()))


_NEAR = _coefficients(
    "0.1283791670955126 -0.3171606336534957 -0.047948714774163875 -0.008755028920049146"
    " -0.0004862738344467199 -2.029955528683424e-05",
    "1 0.45930937793412957 0.09325302973969972 0.010582353560685183 0.0006812436819785099"
    " 2.029955528683424e-05",
)
"""Numerator and denominator, lowest power first, of erf(x) / x - 1 as a function of x², on 0..1; within
3e-18.
"""
_FAR = _coefficients(
    "1.0000000040359602 2.061955520865204 2.0992593823337997 1.3455554538253134 0.5886354962875683"
    " 0.1797075609580054 0.03757058056463302 0.004978896516372382 0.0003303856283625327",
    "1 3.1903347308491155 4.699166407972569 4.209915713927801 2.5397866492904284 1.0763323272817893"
    " 0.32293580156458074 0.06688491638773214 0.008824864315677411 0.0005855932791244992",
)
"""Numerator and denominator of exp(x²) * (1 - erf(x)) as a function of x, on 1..6; within 9e-18."""
_FURTHEST = 6.0
"""From this argument on erf is 1 in f64."""


_NARROW = _coefficients(
    "1.1283791670861367 0.2003450098666348 0.058118615524517914 0.004962224346272773"
    " 0.000513046082217673 2.1787622062281538e-05 7.527891332203066e-07 3.0047504943060838e-09",
    "1 0.5108844750217508 0.12180111070457524 0.01771909065753355 0.0017152368891592538"
    " 0.00011151678250840514 4.5191615182113375e-06 7.329879591627896e-08",
)
"""Numerator and denominator of erf(x) / x as a function of x², on 0..4; within 9e-12 of its value."""
_FURTHEST_NARROW = 4.0
"""From this argument on erf is 1 in f32."""


def erf(x: Array) -> Array:
    """2 / sqrt(pi) times the integral of exp(-t²) from 0 to x, in the type of x, which is f32 or f64.

    Accuracy:  in f64, 3e-16 relative to the value, at most; in f32, 0.501 units in the last place, at most
    Source:    rational functions fitted for irops in 60 digits at Chebyshev nodes, that of f32 by weighted
        least squares; see tests/ops/test_error_function.py
    """
    return in_blocks(_erf_f64 if x.dtype == np.float64 else _erf_f32, x)


def _erf_f64(x: Array) -> Array:
    size = np.minimum(np.abs(x), _FURTHEST)
    square = size * size
    near = size + size * _ratio(_NEAR, np.minimum(square, 1.0))  # adding the small part rounds only once
    far = 1.0 - np.exp(-square) * _ratio(_FAR, np.maximum(size, 1.0))
    return np.asarray(np.copysign(np.where(size < 1.0, near, far), x))


def _erf_f32(x: Array) -> Array:
    """Computed in f64 by one rational function, and rounded once by the caller."""
    size = np.clip(x, -_FURTHEST_NARROW, _FURTHEST_NARROW).astype(np.float64)
    return size * _ratio(_NARROW, size * size)


def _ratio(fraction: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    """One polynomial over another, both by Horner's rule."""
    above, below = (np.asarray(_polynomial(coefficients, x)) for coefficients in fraction)
    return np.asarray(above / below)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    value = coefficients[-1] * x
    value += coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        value *= x
        value += coefficient
    return value


def inverse_erf(y: Array) -> Array:
    """The x whose erf is y, in the type of y, which is f32 or f64; infinite at -1 and 1, NaN beyond.

    Accuracy:  1e-15 relative to the value, at most; f32 is computed in f64 and rounded once
    Source:    Winitzki's approximation, with an error of 0.002, refined by Halley's method, which cubes the
        error with every step
    """
    size = np.abs(y.astype(np.float64))
    inside = np.where(size < 1.0, size, 0.0)
    # Winitzki's approximation
    a = 0.147
    log = np.log1p(-inside * inside)
    middle = 2 / (np.pi * a) + log / 2
    x = np.asarray(np.sqrt(np.maximum(np.sqrt(middle * middle - log / a) - middle, 0.0)))
    for _ in range(3):
        near, far = x < 1.0, np.maximum(x, 1.0)
        over = np.where(
            near, erf(np.minimum(x, 1.0)) - inside, (1.0 - inside) - np.exp(-far * far) * _ratio(_FAR, far)
        )
        step = over * (np.sqrt(np.pi) / 2) * np.exp(x * x)
        x = np.minimum(x - step / (1.0 + x * step), _FURTHEST)
    x = np.where(size < 1.0, x, np.where(size == 1.0, np.inf, np.nan))
    return np.asarray(np.copysign(x, y), y.dtype)
