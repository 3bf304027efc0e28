"""Random tensors of ONNX. A seed gives the same numbers in every run; those of other runtimes differ."""

from __future__ import annotations

import struct

import numpy as np

from irops.ops.conversion import as_numbers, converted
from irops.spec.binding import kernel
from irops.spec.binding import shape as infers
from irops.values.dim import unify
from irops.values.element import BOOLEAN, Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

Sizes = tuple[int, ...]


def generator(seed: float | None) -> np.random.Generator:
    """Random numbers from a seed; without one, others in every run."""
    return np.random.default_rng(None if seed is None else struct.unpack("<I", struct.pack("<f", seed))[0])


def _normal(seed: float | None, sizes: Sizes, mean: float, scale: float, kind: ElementType) -> Array:
    return converted(np.asarray(generator(seed).normal(mean, scale, sizes)), kind)


def _uniform(seed: float | None, sizes: Sizes, low: float, high: float, kind: ElementType) -> Array:
    return converted(np.asarray(generator(seed).uniform(low, high, sizes)), kind)


@infers("onnx:RandomNormal-1", "onnx:RandomUniform-1")
def random_shape(*, shape: Sizes, dtype: ElementType) -> Fact:
    require(min(shape, default=0) >= 0, "C1", shape)
    return Fact(dtype, Shape(shape))


@kernel("onnx:RandomNormal-1")
def random_normal(
    *, shape: Sizes, dtype: ElementType, mean: float, scale: float, seed: float | None
) -> Array:
    return _normal(seed, shape, mean, scale, dtype)


@kernel("onnx:RandomUniform-1")
def random_uniform(*, shape: Sizes, dtype: ElementType, low: float, high: float, seed: float | None) -> Array:
    return _uniform(seed, shape, low, high, dtype)


@infers("onnx:RandomNormalLike-1", "onnx:RandomUniformLike-1", "onnx:Bernoulli-15")
def random_like_shape(input: Fact, *, dtype: ElementType | None) -> Fact:
    return Fact(dtype or input.element_type, input.shape)


@kernel("onnx:RandomNormalLike-1")
def random_normal_like(
    input: Array, *, dtype: ElementType | None, mean: float, scale: float, seed: float | None
) -> Array:
    return _normal(seed, input.shape, mean, scale, dtype or element_type_of(input))


@kernel("onnx:RandomUniformLike-1")
def random_uniform_like(
    input: Array, *, dtype: ElementType | None, low: float, high: float, seed: float | None
) -> Array:
    return _uniform(seed, input.shape, low, high, dtype or element_type_of(input))


@kernel("onnx:Bernoulli-15")
def bernoulli(input: Array, *, dtype: ElementType | None, seed: float | None) -> Array:
    drawn = generator(seed).random(input.shape) < as_numbers(input)
    return converted(np.asarray(drawn), dtype or element_type_of(input))


@infers("onnx:Multinomial-7")
def multinomial_shape(input: Fact, *, sample_size: int, dtype: ElementType) -> Fact:
    return Fact(dtype, Shape.of(input.shape[0], sample_size))


@kernel("onnx:Multinomial-7")
def multinomial(input: Array, *, dtype: ElementType, sample_size: int, seed: float | None) -> Array:
    """The classes of samples, by unnormalized log-probabilities."""
    scores = as_numbers(input)[:, np.newaxis]
    noise = generator(seed).gumbel(size=(len(input), sample_size, input.shape[1]))
    return np.asarray(np.argmax(scores + noise, 2), dtype.dtype)


# Dropout: nothing is dropped but in training.


@infers("onnx:Dropout-1")
def dropout_1_shape(data: Fact) -> tuple[Shape, Shape]:
    return data.shape, data.shape


@kernel("onnx:Dropout-1")
def dropout_1(data: Array) -> tuple[Array, Array]:
    return data, np.ones(data.shape, data.dtype)


@infers("onnx:Dropout-12")
def dropout_shape(data: Fact, ratio: Fact | None, training_mode: Fact | None) -> tuple[Shape, Fact]:
    del training_mode
    if ratio is not None:
        unify(ratio.shape.size, 1, "C1")
    return data.shape, Fact(BOOLEAN, data.shape)


@infers("onnx:Dropout-10")
def dropout_10_shape(data: Fact) -> tuple[Shape, Fact]:
    return data.shape, Fact(BOOLEAN, data.shape)


@kernel("onnx:Dropout-10")
def dropout_10(data: Array) -> tuple[Array, Array]:
    return data, np.ones(data.shape, bool)


@kernel("onnx:Dropout-12")
def dropout(
    data: Array, ratio: Array | None, training_mode: Array | None, *, seed: int | None
) -> tuple[Array, Array]:
    share = 0.5 if ratio is None else float(as_numbers(ratio).item())
    if training_mode is None or not training_mode.item() or share == 0:
        return dropout_10(data)
    kept = np.random.default_rng(seed).random(data.shape) >= share
    return converted(np.asarray(as_numbers(data) * kept / (1 - share)), element_type_of(data)), kept
