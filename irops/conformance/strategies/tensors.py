"""Strategies for shapes, element types, elements and layouts."""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from irops.conformance.trial import LAYOUTS, TrialInput
from irops.values.element import (
    BOOLEAN,
    STRING,
    Array,
    ElementType,
    element_type,
    element_types,
    foreign_types,
)
from irops.values.packing import packed_size, unpack

MOST = 4096
"""Largest number of elements of a generated tensor."""
EDGES = (5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257, 1000, 1025)
"""Sizes at which kernels change strategy: around those of vectors, cache lines and blocks."""
USUAL = ("f32", "i32", "i64", "boolean", "f16", "f64", "u8", "i8", "bf16", "string")
FRACTIONS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52, "f8e4m3": 3, "f8e5m2": 2}
"""The number of mantissa bits of floating-point types."""
WORDS = ("", "a", "b", "cc", "\0", "é", "日本", "x" * 40)


def kinds(names: Collection[str], usual: tuple[str, ...] = USUAL) -> st.SearchStrategy[ElementType]:
    """Element types of the given names; half of the draws are usual types. Shrinking prefers simple types."""
    others = [kind.name for kind in (*element_types(), *foreign_types()) if kind.name not in usual]
    plain = [element_type(name) for name in usual if name in names]
    return st.one_of(
        *([st.sampled_from(plain)] if plain else []),
        st.sampled_from([element_type(name, foreign=True) for name in (*usual, *others) if name in names]),
    )


@st.composite
def shapes(draw: st.DrawFn, low_rank: int, high_rank: int) -> tuple[int, ...]:
    """Shapes of at most MOST elements; rarely without elements."""
    sizes = draw(
        st.lists(st.one_of(st.integers(1, 4), st.sampled_from(EDGES)), min_size=low_rank, max_size=high_rank)
    )
    shape: list[int] = []
    for size in sizes:
        shape.append(min(size, MOST // prod(shape)))
    if sizes and rarely(draw):
        shape[draw(st.integers(0, len(shape) - 1))] = 0
    return tuple(shape)


def rarely(draw: st.DrawFn) -> bool:
    """True in one of twelve draws."""
    return draw(st.sampled_from([False] * 11 + [True]))


@st.composite
def tensors(draw: st.DrawFn, kind: ElementType, shape: tuple[int, ...]) -> TrialInput:
    """Distinct elements, random bits or extreme values of the type, in some layout."""
    fill, seed = draw(st.sampled_from(FILLS)), draw(st.integers(0, 2**16))
    return TrialInput(filled(kind, shape, fill, seed), draw(layouts()))


def layouts() -> st.SearchStrategy[str]:
    return st.sampled_from(list(LAYOUTS))


FILLS = ("counting", "bits", "edges")


def filled(kind: ElementType, shape: tuple[int, ...], fill: str, seed: int = 0) -> Array:
    """A tensor, determined by the arguments."""
    count = prod(shape)
    if kind is STRING:
        return _strings(count, fill, seed).reshape(shape)
    if kind is BOOLEAN:
        scattered = (np.arange(count, dtype=np.uint64) * np.uint64(2654435761 + 2 * seed)) >> np.uint64(7)
        return (scattered & np.uint64(1)).astype(np.bool_).reshape(shape)
    if fill == "counting" and kind.bits > 8:
        return (np.arange(count) % (128 if kind.floating else 2**15)).astype(kind.dtype).reshape(shape)
    return unpack(RAW[fill](kind, count, seed), kind, shape)


def _counted(kind: ElementType, count: int, _seed: int) -> bytes:
    step = 1 if kind.bits == 8 else 37  # codes packed into one byte should differ
    return (np.arange(packed_size(kind, count)) * step % 256).astype(np.uint8).tobytes()


def _random(kind: ElementType, count: int, seed: int) -> bytes:
    return np.random.default_rng(seed).bytes(packed_size(kind, count))


def _edges(kind: ElementType, count: int, seed: int) -> bytes:
    """Bit patterns at the ends of ranges: infinities, largest and smallest numbers, quiet and signalling
    NaNs.
    """
    bits = max(kind.bits, 8)
    ones, top = 2**bits - 1, 2 ** (bits - 1)
    patterns = [0, 1, ones, top, top - 1, top + 1, ones ^ 1, ones - (ones >> 2)]
    if kind.name in FRACTIONS:
        fraction = FRACTIONS[kind.name]
        infinity = top - (1 << fraction)
        patterns += [
            infinity,
            infinity + 1,
            infinity + (1 << fraction - 1) + 1,
            infinity - 1,
            (1 << fraction) - 1,
            top + infinity + 1,
        ]
    patterns_needed = packed_size(kind, count) * 8 // bits
    return b"".join(
        patterns[(k + seed) % len(patterns)].to_bytes(bits // 8, "little") for k in range(patterns_needed)
    )


RAW = {"counting": _counted, "bits": _random, "edges": _edges}


def _strings(count: int, fill: str, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    words: list[Any] = [
        str(n) if fill == "counting" else WORDS[int(k)]
        for n, k in enumerate(rng.integers(0, len(WORDS), count))
    ]
    out = np.empty(count, object)
    out[:] = words
    return out
