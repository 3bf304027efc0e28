"""RandomUniform: random numbers that are uniformly distributed in an interval."""

from __future__ import annotations

import numpy as np

from irops.ops.generation.random_bits import Bits, mersenne_twister, philox
from irops.spec.binding import kernel, shape
from irops.values.dim import ANY
from irops.values.element import DYNAMIC, Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.violation import require

FRACTION_BITS = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}


@shape("RandomUniform-8")
def random_uniform_shape(shape: Fact, minval: Fact, maxval: Fact, *, output_type: ElementType) -> Shape:
    for limit in (minval, maxval):
        require(limit.shape.size.can_be(1), "C1", limit)
        require(limit.element_type in (DYNAMIC, output_type), "C2", limit, output_type)
    if minval.value is not None and maxval.value is not None and minval.value.size == maxval.value.size == 1:
        check_limits(minval.value, maxval.value)
    if shape.dims is None:
        count = shape.shape[0]
        return Shape((ANY,) * int(count)) if count.known and count <= 64 else UNRANKED
    for size in shape.dims:
        require(size >= 0, "C4", size)
    return Shape(size.at_least(0) for size in shape.dims)


def check_limits(minval: Array, maxval: Array) -> None:
    low, high = minval.reshape(()), maxval.reshape(())
    require(low < high, "C3", low, high)


@kernel("RandomUniform-8")
def random_uniform(
    shape: Array,
    minval: Array,
    maxval: Array,
    *,
    output_type: ElementType,
    global_seed: int,
    op_seed: int,
    alignment: str,
) -> Array:
    check_limits(minval, maxval)
    sizes = as_i64(shape)
    require((sizes >= 0).all(), "C4", sizes.tolist())
    count, low, high = int(np.prod(sizes)), minval.reshape(()), maxval.reshape(())
    if global_seed == 0 and op_seed == 0:
        global_seed = int(np.random.default_rng().integers(1, 1 << 32))
    if alignment == "pytorch":
        numbers = as_pytorch(global_seed, count, output_type, low, high)
    else:
        numbers = as_tensorflow(
            philox(global_seed, op_seed, count * (1 if output_type.bits <= 32 else 2)), output_type, low, high
        )
    return np.asarray(numbers, output_type.dtype).reshape(sizes.tolist())


def as_tensorflow(bits: Bits, kind: ElementType, low: Array, high: Array) -> Array:
    """Numbers of an interval as TensorFlow makes them: the low bits as the fraction of a float, or, for
    integers, all bits modulo the length of the interval.
    """
    wide = wide_bits(bits[1::2], bits[::2]) if kind.bits > 32 else bits.astype(np.uint64)
    if kind.integral:
        return modulo(wide, kind, low, high)
    if kind.bits > 32:
        wide = wide_bits(bits[::2], bits[1::2])
    fraction = FRACTION_BITS[kind.name]
    unit = (wide & np.uint64((1 << fraction) - 1)).astype(np.float64) / (1 << fraction)
    return np.asarray(unit.astype(kind.dtype) * (high - low) + low)


def as_pytorch(seed: int, count: int, kind: ElementType, low: Array, high: Array) -> Array:
    """Numbers of an interval as PyTorch makes them: the fraction of a float has one bit more than with
    TensorFlow, and i64 uses 64 bits only if a limit of the interval needs more than 32.
    """
    short = kind.bits <= 32 or (kind.integral and max(int(low), int(high)) < 1 << 32)
    bits = mersenne_twister(seed, count if short else 2 * count)
    wide = bits.astype(np.uint64) if short else wide_bits(bits[::2], bits[1::2])
    if kind.integral:
        return modulo(wide, kind, low, high)
    fraction = FRACTION_BITS[kind.name] + 1
    accumulator = np.float64 if kind.bits > 32 else np.float32
    unit = ((wide & np.uint64((1 << fraction) - 1)).astype(np.float64) / (1 << fraction)).astype(accumulator)
    return np.asarray(unit * (high - low).astype(accumulator) + low.astype(accumulator))


def wide_bits(high: Bits, low: Bits) -> Array:
    return np.asarray(high.astype(np.uint64) << np.uint64(32) | low)


def modulo(bits: Array, kind: ElementType, low: Array, high: Array) -> Array:
    """Bits modulo the length of the interval, plus its lower end, in 64-bit arithmetic that wraps around."""
    length = np.uint64((int(high) - int(low)) % (1 << 64))
    return (bits % length + np.uint64(int(low) % (1 << 64))).astype(np.int64).astype(kind.dtype)
