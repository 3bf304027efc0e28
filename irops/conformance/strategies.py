"""Hypothesis strategies that generate trials, by op: variations of its examples, or a strategy of its own."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from irops.backends.one_op import MOVING
from irops.conformance.cases import LAYOUTS, Trial, TrialInput, definition_cases
from irops.spec.definition import PortSpec
from irops.spec.op import Op
from irops.values.element import (
    BOOLEAN,
    STRING,
    Array,
    ElementType,
    element_type,
    element_type_of,
    element_types,
    foreign_types,
    tagged,
)
from irops.values.packing import packed_size, unpack

MOST = 4096
"""Largest number of elements of a generated tensor."""
EDGES = (5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257, 1000, 1025)
"""Sizes at which kernels change strategy: around those of vectors, cache lines and blocks."""
USUAL = ("f32", "i32", "i64", "boolean", "f16", "f64", "u8", "i8", "bf16", "string")
FRACTIONS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52, "f8e4m3": 3, "f8e5m2": 2}
"""The number of mantissa bits of floating-point types."""
_WORDS = ("", "a", "b", "cc", "\0", "é", "日本", "x" * 40)


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
        # 2^32 divided by the golden ratio scatters neighbours (Knuth, multiplicative hashing)
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
        subnormal = (1 << fraction) - 1
        patterns += [infinity, infinity + 1, infinity + (1 << fraction - 1) + 1]
        patterns += [infinity - 1, subnormal, top + infinity + 1]
    patterns_needed = packed_size(kind, count) * 8 // bits
    return b"".join(
        patterns[(k + seed) % len(patterns)].to_bytes(bits // 8, "little") for k in range(patterns_needed)
    )


RAW = {"counting": _counted, "bits": _random, "edges": _edges}


def _strings(count: int, fill: str, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    drawn = enumerate(rng.integers(0, len(_WORDS), count))
    words: list[Any] = [str(n) if fill == "counting" else _WORDS[int(k)] for n, k in drawn]
    out = np.empty(count, object)
    out[:] = words
    return out


COUNTS = ("i32", "i64", "u8", "i8", "f32")
"""The usual element types of axes and lengths."""
FAR = (2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**63 - 1, -(2**31), -(2**63))


@st.composite
def reverse_trials(draw: st.DrawFn, op: Op) -> Trial:
    """Any axes, including negative and repeated ones; or a mask."""
    data, axes = op.definition.inputs
    shape = draw(shapes(0, 7))
    rank, mode = len(shape), draw(st.sampled_from(["index", "mask"]))
    values: Any
    if mode == "mask":
        kind, values = BOOLEAN, draw(st.lists(st.booleans(), min_size=rank, max_size=rank))
    else:
        kind = draw(kinds(axes.allowed - {"boolean"}, COUNTS))
        values = draw(st.lists(st.integers(-rank, rank - 1), max_size=rank + 2)) if rank else []
        if rarely(draw):
            values = [*values, draw(st.sampled_from((rank, -rank - 1, *FAR)))]
    named = TrialInput(numbers(values, kind), draw(layouts()))
    return Trial(op, (draw(_data(data.allowed, shape)), named), {"mode": mode})


@st.composite
def reverse_sequence_trials(draw: st.DrawFn, op: Op) -> Trial:
    """Any two axes in any order; lengths from 0 to the size of the sequence axis."""
    data, lengths = op.definition.inputs
    shape = draw(shapes(2, 6))
    rank = len(shape)
    batch = draw(st.integers(0, rank - 1))
    seq = (batch + 1 + draw(st.integers(0, rank - 2))) % rank
    kind = draw(kinds(lengths.allowed, COUNTS))
    steps = shape[seq]
    length: st.SearchStrategy[float] = st.one_of(st.integers(0, max(steps, 1)), st.just(steps))
    if kind.floating:
        # fractions that are rounded to another length than they are truncated to
        length = st.one_of(length, st.integers(0, max(steps - 1, 0)).map(lambda whole: whole + 0.75))
    values = draw(_lengths(length, shape[batch]))
    if values and rarely(draw):
        beyond = (steps + 1, -1, *FAR, *((float("nan"), float("inf")) if kind.floating else ()))
        values[draw(st.integers(0, len(values) - 1))] = draw(st.sampled_from(beyond))
    negative = draw(st.sampled_from([(0, 0), (rank, 0), (0, rank), (rank, rank)]))
    texts = {"batch_axis": str(batch - negative[0]), "seq_axis": str(seq - negative[1])}
    return Trial(
        op, (draw(_data(data.allowed, shape)), TrialInput(numbers(values, kind), draw(layouts()))), texts
    )


@st.composite
def _lengths(draw: st.DrawFn, length: st.SearchStrategy[float], count: int) -> list[float]:
    """A length for each batch item; for many items, a few repeated values."""
    distinct = draw(st.lists(length, min_size=min(count, 1), max_size=min(count, 12)))
    return [distinct[k % len(distinct)] for k in range(count)]


@st.composite
def _data(draw: st.DrawFn, allowed: frozenset[str], shape: tuple[int, ...]) -> TrialInput:
    return draw(tensors(draw(kinds(allowed)), shape))


def numbers(values: list[Any], kind: ElementType) -> Array:
    """A vector of numbers in a type; integers out of its range are clipped."""
    low, high = kind.extent
    clipped = [min(max(value, int(low)), int(high)) if kind.integral else value for value in values]
    if kind.integral:
        wide = np.array(clipped, np.uint64 if kind.name == "u64" else np.int64)
        return tagged(wide.astype(kind.dtype), kind)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.array(clipped, bool if kind is BOOLEAN else np.float64).astype(kind.dtype)


WRAPPED = 2**32 + 2
"""A length that is valid where only its low 32 bits are read."""
ROWS = {"batch_axis": 0, "seq_axis": 1}
"""Sequences are rows. Axes are explicit unless their absence is tested, because the defaults are opposite."""
ODD_SEQUENCES: tuple[tuple[tuple[int, ...], str, Sequence[float], Mapping[str, int]], ...] = (
    ((3, 3), "i64", (1, 2, 3), {}),
    ((1, 2, 3), "i64", (2, 1, 2), {"batch_axis": 2, "seq_axis": 1}),
    ((2, 1, 3), "i64", (2, 3), {"batch_axis": 0, "seq_axis": 2}),
    ((2, 3), "i64", (1, 3), {"batch_axis": -2, "seq_axis": -1}),
    ((3, 2), "i64", (1, 3), {"batch_axis": -1, "seq_axis": -2}),
    ((2, 2, 3), "i64", (2, 2), {"batch_axis": 0, "seq_axis": -1}),
    ((3, 2), "i64", (1, 2, 3), {"batch_axis": 0, "seq_axis": 0}),
    *(((2, 3), "i64", (length, 3), ROWS) for length in (0, 4, -1, -2, WRAPPED)),
    ((2, 3), "i32", (2, 3), ROWS),
    ((2, 3), "u8", (2, 3), ROWS),
    ((2, 3), "f32", (2, 3), ROWS),
    ((2, 3), "f32", (2.7, 1.2), ROWS),
    ((2, 3), "f32", (float("nan"), 3), ROWS),
    ((2, 0), "i64", (0, 0), ROWS),
    ((2, 0), "i64", (1, 1), ROWS),
    ((0, 3), "i64", (), ROWS),
    ((2, 3, 0), "i64", (3, 2), ROWS),
)
"""Shape of data, element type and elements of lengths, attributes."""
ODD_REVERSED: tuple[tuple[tuple[int, ...], str, Sequence[float], str], ...] = (
    *(
        ((2, 3), "i64", axes, "index")
        for axes in ((), (-1,), (1, 1), (1, -1), (0, 0, 0, 0, 0), (2,), (-3,), (-100,))
    ),
    ((2, 3), "u8", (1,), "index"),
    ((2, 3), "i4", (1,), "index"),
    ((), "i64", (), "index"),
    ((), "i64", (0,), "index"),
    ((0, 3), "i64", (0,), "index"),
    ((2, 3), "boolean", (False, False), "mask"),
    ((), "boolean", (), "mask"),
)
"""Shape of data, element type and elements of axes, mode."""
WORDS = TrialInput(np.array([["a", "", "dé"], ["\0", "b", "日本"]], object))


def odd_trials(op: Op) -> Iterator[Trial]:
    """The trials of an op; none of an op that is neither, by its own name or by that of another dialect."""
    base = op.definition.same_as or op.id
    if base == "Reverse-1":
        for shape, kind, axes, mode in ODD_REVERSED:
            yield Trial(op, (_counting(shape), _in_type(axes, kind)), {"mode": mode})
        yield Trial(op, (WORDS, _in_type((1,), "i64")), {"mode": "index"})
    elif base == "ReverseSequence-1":
        names = {a.stands_for or name: name for name, a in op.definition.attributes.items()}
        for shape, kind, lengths, axes_by_name in ODD_SEQUENCES:
            texts = {names[name]: str(axis) for name, axis in axes_by_name.items()}
            yield Trial(op, (_counting(shape), _in_type(lengths, kind)), texts)
        yield Trial(op, (WORDS, _in_type((2, 3), "i64")), {names[name]: str(ROWS[name]) for name in ROWS})


def _counting(shape: tuple[int, ...]) -> TrialInput:
    return TrialInput(np.arange(np.prod(shape, dtype=np.int64), dtype=np.float32).reshape(shape))


def _in_type(values: Sequence[float], kind: str) -> TrialInput:
    array: Array = np.array(values, bool if kind == BOOLEAN.name else None).astype(element_type(kind).dtype)
    return TrialInput(array)


@dataclass(frozen=True, slots=True)
class Changes:
    """New element types by type variable, and new sizes by old size, applied everywhere in a trial."""

    types: dict[str, ElementType]
    sizes: dict[int, int]

    def shape(self, before: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([self.sizes.get(size, size) for size in before])


@st.composite
def variations(draw: st.DrawFn, op: Op, starts: list[Trial]) -> Trial:
    """An example with other element types, sizes, elements and layouts."""
    start = draw(st.sampled_from(starts))
    variables = op.definition.types.items()
    types = {name: draw(kinds(variable.allowed)) for name, variable in variables if draw(st.booleans())}
    sizes = sorted(
        {size for trial_input in start.inputs if trial_input is not None for size in trial_input.array.shape}
    )
    changes = Changes(
        types, {size: draw(st.integers(0, 9)) for size in sizes if draw(st.integers(0, 3)) == 3}
    )
    inputs = (draw(_varied(op, index, given, changes)) for index, given in enumerate(start.inputs))
    return Trial(op, tuple(inputs), start.attributes)


def retyped(op: Op, starts: list[Trial]) -> Iterator[Trial]:
    """Every example in every element type of each type variable."""
    for start in starts:
        for variable in op.definition.types.values():
            for name in sorted(variable.allowed):
                kind = element_type(name, foreign=True)
                pairs = zip(start.inputs, _ports(op, len(start.inputs)))
                varied = (
                    given and TrialInput(_retyped(given.array, kind)) if port.type == variable.name else given
                    for given, port in pairs
                )
                yield Trial(op, tuple(varied), start.attributes)


def _ports(op: Op, count: int) -> list[PortSpec]:
    ports = op.definition.inputs
    return [ports[min(k, len(ports) - 1)] for k in range(count)]


@st.composite
def _varied(
    draw: st.DrawFn, op: Op, index: int, trial_input: TrialInput | None, changes: Changes
) -> TrialInput | None:
    if trial_input is None:
        return None
    port = _ports(op, index + 1)[index]
    kind = changes.types.get(port.type, element_type_of(trial_input.array))
    shares_output_type = any(port.type == output.type for output in op.definition.outputs)
    if not shares_output_type and not kind.floating:
        # axes, sizes and indices keep their values
        return TrialInput(_retyped(trial_input.array, kind), draw(layouts()))
    shape = changes.shape(trial_input.array.shape)
    if op.definition.category in MOVING:
        return draw(tensors(kind, shape))
    if draw(st.booleans()) and kind is not STRING:
        quarters = np.random.default_rng(draw(st.integers(0, 2**16))).integers(-32, 33, shape)
        return TrialInput(_retyped(quarters / 4 if kind.floating else quarters, kind), draw(layouts()))
    return TrialInput(_retyped(np.resize(trial_input.array, shape), kind), draw(layouts()))


def _retyped(numbers: Array, kind: ElementType) -> Array:
    """The same numbers in another type, as far as it can represent them."""
    array = np.asarray(numbers)  # NumPy turns arrays without axes into scalars
    if element_type_of(array) is kind or kind is STRING or array.dtype == object:
        return array
    with np.errstate(all="ignore"):
        parts = array.real if array.dtype.kind == "c" and kind.kind != "complex" else array
        wide: Array = parts.astype({"float": np.float64, "complex": np.complex128}.get(kind.kind, np.int64))
        if kind.bits < 8 and not kind.floating:
            wide = np.asarray(wide % 2**kind.bits if kind.kind == "lookup" else np.clip(wide, *kind.extent))
        return tagged(wide.astype(kind.dtype), kind)


class TrialSource(NamedTuple):
    """sweep: trials that are always run; strategy: random trials."""

    sweep: Iterable[Trial]
    strategy: st.SearchStrategy[Trial]


SPECIAL = {"Reverse-1": reverse_trials, "ReverseSequence-1": reverse_sequence_trials}
"""The random trials of ops whose second input is rarely valid by chance."""


def source_of(op: Op) -> TrialSource | None:
    """The source of an op's generated trials; None if the definition has no usable example."""
    starts = [case.trial for case in definition_cases(op) if case.kind == "example"]
    if not starts:
        return None
    strategy = SPECIAL[op.id](op) if op.id in SPECIAL else variations(op, starts)
    return TrialSource(chain(odd_trials(op), retyped(op, starts)), strategy)
