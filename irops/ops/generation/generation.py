"""Eye and Range; RandomUniform and Multinomial."""

from math import ceil, floor, inf, isfinite

import numpy as np
import numpy.typing as npt

from irops.ops.conversion import as_numbers, converted, low_bits, rounded
from irops.ops.partial import as_dims, whole
from irops.spec.binding import kernel, shape, values
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import BOOLEAN, DYNAMIC, Array, ElementType, as_i64, element_type_of
from irops.values.fact import Fact, dims_array
from irops.values.shape import SCALAR, UNRANKED, Shape
from irops.values.violation import require


@shape("Eye-9")
def eye_shape(num_rows: Fact, num_columns: Fact, diagonal_index: Fact, batch_shape: Fact | None) -> Shape:
    for single in (num_rows, num_columns, diagonal_index):
        require(single.shape.size.can_be(1), "C1", single)
    sizes = Shape.of(*(_size((number.dims or (UNKNOWN,))[0]) for number in (num_rows, num_columns)))
    if batch_shape is None:
        return SCALAR + sizes
    if batch_shape.dims is None:
        count = batch_shape.shape[0]
        return (Shape((ANY,) * int(count)) if count.known and count <= 64 else UNRANKED) + sizes
    return Shape(map(_size, batch_shape.dims)) + sizes


def _size(size: Dim) -> Dim:
    require(size >= 0, "C2", size)
    return size.at_least(0)


@kernel("Eye-9")
def eye(
    num_rows: Array,
    num_columns: Array,
    diagonal_index: Array,
    batch_shape: Array | None,
    *,
    output_type: ElementType,
) -> Array:
    rows, columns, diagonal = (
        int(as_i64(number).item()) for number in (num_rows, num_columns, diagonal_index)
    )
    batch = () if batch_shape is None else tuple(as_i64(batch_shape).tolist())
    require(all(size >= 0 for size in (rows, columns, *batch)), "C2", rows, columns, batch)
    ones = np.arange(columns) - np.arange(rows)[:, np.newaxis] == diagonal
    return np.broadcast_to(
        ones if output_type is BOOLEAN else converted(ones, output_type), (*batch, rows, columns)
    )


Number = int | float
TOO_LONG = 2**64
"""The length of a range that is longer than any axis can be."""


@shape("Range-1", "Range-4")
def range_shape(start: Fact, stop: Fact, step: Fact, *, output_type: ElementType | None = None) -> Shape:
    kind = output_type or start.element_type
    first, last, stride = (
        None if fact.value is None else number(fact.value, kind) for fact in (start, stop, step)
    )
    require(stride != 0, "C2", f"step {stride}")
    if first is not None and last is not None and stride is not None:
        return Shape.of(length(first, last, stride))
    return Shape.of(
        length_bounds(integer_dim(start, first), integer_dim(stop, last), integer_dim(step, stride))
    )


@kernel("Range-1", "Range-4")
def range_of(start: Array, stop: Array, step: Array, *, output_type: ElementType | None = None) -> Array:
    kind = output_type or element_type_of(start)
    first, last, stride = (number(item, kind) for item in (start, stop, step))
    require(stride != 0, "C2", f"step {stride}")
    count = length(first, last, stride)
    if kind.integral:
        steps = np.arange(count, dtype=np.uint64)  # exact modulo 2^64, and so modulo any narrower type
        return low_bits(np.uint64(first % 2**64) + steps * np.uint64(stride % 2**64), kind)
    return rounded(float(first) + np.arange(count, dtype=np.float64) * float(stride), kind)


@values("Range-1", "Range-4")
def range_dims(start: Array, stop: Array, step: Array, *, result_type: ElementType) -> Array | None:
    first, last, stride = (whole(as_dims(item).item()) for item in (start, stop, step))
    count = length_bounds(first, last, stride)
    if not count.known or not result_type.integral:
        return None
    return dims_array([first + stride * number_of_steps for number_of_steps in range(int(count))])


def number(item: Array, output_type: ElementType) -> Number:
    """The value of a scalar; an integer stays exact, and a float is truncated if the output has an integer
    type.
    """
    value: Number = as_numbers(item).item()
    require(isfinite(value), "C1", value)
    return int(value) if output_type.integral else value


def length(start: Number, stop: Number, step: Number) -> int:
    """max(ceil((stop - start) / step), 0): exact for integers, in f64 if one is a float."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(-((start - stop) // step), 0)
    steps = (stop - start) / step
    if steps == inf:
        return TOO_LONG
    return max(ceil(steps), 0) if steps > 0 else 0


def integer_dim(fact: Fact, value: Number | None) -> Dim:
    """The interval of a scalar, widened to integers. value: its value, if it is known."""
    if value is not None:
        return Dim(floor(value), ceil(value))
    return whole(fact.dims[0]) if fact.dims else UNKNOWN


def length_bounds(start: Dim, stop: Dim, step: Dim) -> Dim:
    """The interval of the length, from the intervals of start, stop and step."""
    if step.low <= 0 <= step.high:
        return ANY
    up, stride = (stop - start, step) if step.low > 0 else (start - stop, -step)
    return (up if stride == 1 else up.ceil_div(stride)).at_least(0)


# Random numbers: RandomUniform and Multinomial.


Bits = npt.NDArray[np.uint32]
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)  # of Philox 4x32 (J. Salmon et al., 2011)
KEY_STEPS = 0x9E3779B9, 0xBB67AE85  # the same: the fractions of the golden ratio and of the root of 3
ROUNDS = 10


def philox(key: int, counter: int, count: int) -> Bits:
    """The first `count` numbers of Philox 4x32-10. Each group of four numbers has a 128-bit counter: the low
    64 bits are the number of the group, from 0 on, the high 64 bits are `counter`.
    """
    groups = np.arange(-(-count // 4), dtype=np.uint64)
    a, b = groups & LOW, groups >> HALF
    c, d = (np.full_like(groups, part) for part in (counter & 0xFFFFFFFF, counter >> 32 & 0xFFFFFFFF))
    keys = [key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF]
    for _ in range(ROUNDS):
        first, second = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b = second >> HALF ^ b ^ np.uint64(keys[0]), second & LOW
        c, d = first >> HALF ^ d ^ np.uint64(keys[1]), first & LOW
        keys = [(part + step) & 0xFFFFFFFF for part, step in zip(keys, KEY_STEPS)]
    return np.stack([a, b, c, d], axis=1).astype(np.uint32).reshape(-1)[:count]


def mersenne_twister(seed: int, count: int) -> Bits:
    """The first `count` numbers of the Mersenne Twister 19937, initialized from the low 32 bits of a seed."""
    twister = np.random.MT19937()
    twister._legacy_seeding(seed & 0xFFFFFFFF)
    return np.asarray(twister.random_raw(count), np.uint32)


def mersenne_twister_of(seeds: tuple[int, ...], count: int) -> Bits:
    """The same, initialized from several 32-bit seeds as std::seed_seq of the C++ standard library does."""
    twister = np.random.MT19937()
    words = np.array(_seed_sequence(seeds), np.uint32)
    twister.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": STATE_WORDS}}
    return np.asarray(twister.random_raw(count), np.uint32)


STATE_WORDS = 624  # of std::mt19937
SEED_SEQUENCE_DISTANCE = 11
"""The distance between the two words that each step of std::seed_seq changes, if at least 623 are made."""


def _seed_sequence(seeds: tuple[int, ...]) -> list[int]:
    """The 624 words of 32 bits that std::seed_seq makes from seeds."""
    size, words = STATE_WORDS, [0x8B8B8B8B] * STATE_WORDS
    near = (size - SEED_SEQUENCE_DISTANCE) // 2
    far, seed_words = near + SEED_SEQUENCE_DISTANCE, [seed & 0xFFFFFFFF for seed in seeds]
    for k in range(size):
        mixed = words[k] ^ words[(k + near) % size] ^ words[k - 1]
        first = 1664525 * (mixed ^ mixed >> 27) & 0xFFFFFFFF  # as C++ defines std::seed_seq
        added = len(seed_words) if k == 0 else k + (seed_words[k - 1] if k <= len(seed_words) else 0)
        second = first + added & 0xFFFFFFFF
        words[(k + near) % size] = words[(k + near) % size] + first & 0xFFFFFFFF
        words[(k + far) % size] = words[(k + far) % size] + second & 0xFFFFFFFF
        words[k] = second
    for k in range(size):
        mixed = words[k] + words[(k + near) % size] + words[k - 1] & 0xFFFFFFFF
        first = 1566083941 * (mixed ^ mixed >> 27) & 0xFFFFFFFF
        second = first - k & 0xFFFFFFFF
        words[(k + near) % size] ^= first
        words[(k + far) % size] ^= second
        words[k] = second
    return words


FRACTION_BITS = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}  # stored ones, without the leading 1


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


@shape("Multinomial-13")
def multinomial_shape(probs: Fact, num_samples: Fact, *, with_replacement: bool) -> Shape:
    require(num_samples.shape.size.can_be(1), "C1", num_samples)
    count = (num_samples.dims or (UNKNOWN,))[0]
    require(count >= 0, "C2", count)
    require(
        with_replacement or count <= probs.shape[1], "C3", f"{count} samples", f"{probs.shape[1]} classes"
    )
    return Shape.of(probs.shape[0], count.at_least(0))


@kernel("Multinomial-13")
def multinomial(
    probs: Array,
    num_samples: Array,
    *,
    convert_type: ElementType,
    with_replacement: bool,
    log_probs: bool,
    global_seed: int,
    op_seed: int,
) -> Array:
    count, weights = int(as_i64(num_samples).item()), probs.astype(np.float32)
    require(count >= 0, "C2", count)
    require(
        with_replacement or count <= probs.shape[1], "C3", f"{count} samples", f"{probs.shape[1]} classes"
    )
    weights = np.exp(weights) if log_probs else weights
    sums = np.cumsum(weights, axis=1, dtype=np.float32)
    require(
        (weights >= 0).all() and (np.isfinite(sums[:, -1:]) & (sums[:, -1:] > 0)).all(), "C4", probs.tolist()
    )
    require(probs.shape[1] or not count * len(probs), "C5", Shape(probs.shape))
    sums = sums / sums[:, -1:]
    drawn = uniform((len(probs), count), global_seed, op_seed)
    chosen = np.empty(drawn.shape, np.int64)
    if with_replacement:
        for item, (ends, numbers) in enumerate(zip(sums, drawn)):
            chosen[item] = np.searchsorted(ends, numbers)
    else:
        items = np.arange(len(probs))
        for sample in range(count):
            chosen[:, sample] = first = np.minimum(
                (sums < drawn[:, sample : sample + 1]).sum(axis=1), probs.shape[1] - 1
            )
            probability = np.diff(sums, axis=1, prepend=np.float32(0))[items, first][:, np.newaxis]
            from_first = np.arange(probs.shape[1]) >= first[:, np.newaxis]
            sums = np.where(from_first, sums - probability, sums) / (1 - probability)
    return np.minimum(chosen, max(probs.shape[1] - 1, 0)).astype(convert_type.dtype)


def uniform(sizes: tuple[int, int], global_seed: int, op_seed: int) -> Array:
    """Random numbers from 0 to 1, both included, in f32; different in every call if both seeds are 0."""
    drawn = np.random.default_rng().integers(1, 1 << 32, 2).tolist()
    seeds = (global_seed, op_seed) if global_seed or op_seed else tuple(drawn)
    bits = mersenne_twister_of(seeds, sizes[0] * sizes[1])
    return np.asarray(bits.astype(np.float32) / np.float32(0xFFFFFFFF)).reshape(sizes)
