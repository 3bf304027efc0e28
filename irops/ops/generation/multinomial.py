"""Multinomial: draw class indices at random according to the given probabilities."""

from __future__ import annotations

import numpy as np

from irops.ops.generation.random_bits import mersenne_twister_of
from irops.spec.binding import kernel, shape
from irops.values.dim import UNKNOWN
from irops.values.element import Array, ElementType, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


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
    seeds = (
        (global_seed, op_seed)
        if global_seed or op_seed
        else tuple(np.random.default_rng().integers(1, 1 << 32, 2).tolist())
    )
    bits = mersenne_twister_of(seeds, sizes[0] * sizes[1])
    return np.asarray(bits.astype(np.float32) / np.float32(0xFFFFFFFF)).reshape(sizes)
