"""The cause of a difference: what is not the same in two layers that should give equal values.

Attributes and wiring are compared as they are. What differs between two constants is found by testing
hypotheses on their elements, the most specific one first: transposed, of the other sign, scaled, shifted,
rolled, permuted, rounded to a narrower type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations
from math import isfinite, prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from irops.diagnostics.diagnostic import DiagnosticError
from irops.diagnostics.printable import abridged, plural
from irops.editing.diff.comparison import Comparison
from irops.editing.diff.side import Side, Value, changed_attributes
from irops.ir.model import Layer
from irops.ops.invocation import Invocation, OpFault
from irops.registry import Registry
from irops.spec.definition import Attribute
from irops.values.element import STRING, Array, element_type_of
from irops.values.shape import Shape
from irops.values.tensors import fact_of, result_array
from irops.values.violation import LimitExceeded, Violation
from irops.verdicts.question import Compute, is_float

FEW = 8
"""Constants of up to this many elements are shown as they are."""
EXACT = 4 * 2.0**-24
"""Relative to the greatest element: elements that are computed in two ways may differ by as much."""
NARROW = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
}
STORAGE = {"bf16": 2.0**-8, "f16": 2.0**-11, "f8e4m3": 2.0**-4, "f8e5m2": 2.0**-3}
"""Half of the distance between two neighbours of a narrow floating type, relative to the element."""
SMALLEST_STORED = {"f16": 2.0**-24, "f8e4m3": 2.0**-9, "f8e5m2": 2.0**-9}
"""The smallest positive numbers of types so narrow that weights come near to them."""
LEVELS = {"i8": 254, "u8": 255, "i4": 14, "u4": 15, "nf4": 6, "f4e2m1": 6, "u2": 3, "i2": 2}
"""Steps between the smallest and the greatest element of a quantized weight. The steps of nf4 and f4e2m1 are
not equal; the widest of nf4 is a seventh of the range.
"""
TYPICAL = 0.62
"""The root of the mean square of what rounding changes, in steps: 0.29, or 0.58 where half of the levels are
unused.
"""
VERBS = ("is", "has", "differs", "cannot")
"""How phrases about constants begin, unless they show both."""
SMALLEST_GRID = 64
"""A weight of fewer elements has few different ones anyway."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two layers that should compute the same. same: whether a value of a and one of b are equal."""

    a: Side
    b: Side
    old: Layer
    new: Layer
    same: Callable[[Value, Value], bool]


def cause_of(pair: Pair) -> str:
    """What differs between two layers, one phrase for each difference; "" where nothing does."""
    phrases = list(dict.fromkeys(_phrases(pair)))
    return "; ".join(phrases)


def _phrases(pair: Pair) -> Iterator[str]:
    before, after = pair.a.graph.layers[pair.old.id], pair.b.graph.layers[pair.new.id]
    ops = [_op(side, layer) for side, layer in ((pair.a, pair.old), (pair.b, pair.new))]
    if pair.old.type.lower() != pair.new.type.lower():
        yield f"op {ops[0]} → {ops[1]}"
        yield from _of_inputs(pair, {})
        return
    attributes = dict(changed_attributes(before, after))
    transposed = {
        index: name
        for index, name in enumerate(("transpose_a", "transpose_b"))
        if pair.old.type == "MatMul" and name in attributes
    }
    compensated: dict[int, str] = {}
    for index, name in transposed.items():
        if _is_compensated(pair, index):
            compensated[index] = name
            del attributes[name]
    op = f"{pair.old.type} "
    for name, (old, new) in attributes.items():
        yield f"{op if name.endswith('mode') else ''}{name} {old} → {new}"
    yield from _of_inputs(pair, compensated)
    yield from _of_bodies(pair)
    for index in range(min(len(pair.old.outputs), len(pair.new.outputs))):
        kinds = [
            side.fact((n.id, index)).element_type for side, n in ((pair.a, pair.old), (pair.b, pair.new))
        ]
        if kinds[0] is not kinds[1] and "destination_type" not in attributes:
            yield f"element type {kinds[0]} → {kinds[1]}"


def _op(side: Side, layer: Layer) -> str:
    op = side.graph.layers[layer.id].op
    return op.id if op is not None else f"{layer.type}, {layer.version}"


def _is_compensated(pair: Pair, index: int) -> bool:
    """Whether an operand of a product is stored transposed where the attribute says the opposite."""
    old, new = pair.a.sources(pair.old.id)[index], pair.b.sources(pair.new.id)[index]
    if old is None or new is None or old[0] not in pair.a.weights or new[0] not in pair.b.weights:
        return False
    arrays = _arrays(pair, old, new)
    return arrays is not None and arrays[0].ndim > 1 and _close(np.swapaxes(arrays[0], -1, -2), arrays[1])


def _of_inputs(pair: Pair, compensated: dict[int, str]) -> Iterator[str]:
    """What differs in the values that the layers use."""
    old, new = pair.a.sources(pair.old.id), pair.b.sources(pair.new.id)
    count = max(len(old), len(new))
    old, new = [*old, *[None] * (count - len(old))], [*new, *[None] * (count - len(new))]
    others = [k for k in range(count) if not _is_same(pair, old[k], new[k])]
    yield from _of_order(pair, others, old, new)
    if _reordered(pair, others, old, new):
        return
    for index in others:
        one, other = old[index], new[index]
        if index in compensated:
            continue
        if one is not None and other is not None and _are_constant(pair, one, other):
            text = _of_constants(pair, one, other)
            if text:
                port = _port(pair, index)
                is_short = text.partition(" ")[0] not in VERBS
                named = f"constant input {index} ({port})" if port else f"constant input {index}"
                yield f"constant {port or index} {text}" if is_short else f"{named} {text}"
        else:
            yield f"input {index} {_named(pair.a, one)} → {_named(pair.b, other)}"


def _of_order(
    pair: Pair, others: list[int], old: Sequence[Value | None], new: Sequence[Value | None]
) -> Iterator[str]:
    order = _reordered(pair, others, old, new)
    if len(order) == 2:
        yield f"operands {others[0]} and {others[1]} are swapped"
    elif order:
        spelled = [",".join(map(str, item)) for item in (others, order)]
        yield f"{pair.old.type} inputs are reordered: {spelled[0]} → {spelled[1]}"


def _reordered(
    pair: Pair, others: list[int], old: Sequence[Value | None], new: Sequence[Value | None]
) -> list[int]:
    """Which input of a each input of b is, where b has the same inputs in another order; else []."""
    order: list[int] = []
    for index in others:
        fits = [k for k in others if k not in order and _is_same(pair, old[k], new[index])]
        if not fits:
            return []
        order.append(fits[0])
    return order if len(order) > 1 else []


def _are_constant(pair: Pair, one: Value, other: Value) -> bool:
    return one[0] in pair.a.weights and other[0] in pair.b.weights


def _is_same(pair: Pair, one: Value | None, other: Value | None) -> bool:
    """Whether two inputs have the same value."""
    if one is None or other is None:
        return one is other
    constant = one[0] in pair.a.weights, other[0] in pair.b.weights
    if all(constant):
        arrays = _arrays(pair, one, other)
        return arrays is not None and _equal(*arrays)
    return not any(constant) and pair.same(one, other)


def _arrays(pair: Pair, one: Value, other: Value) -> tuple[Array, Array] | None:
    a, b = next(pair.a.arrays([one])), next(pair.b.arrays([other]))
    if isinstance(a, DiagnosticError) or isinstance(b, DiagnosticError):
        return None  # the weights are missing, which is reported where they are read
    return a, b


def _of_constants(pair: Pair, one: Value, other: Value) -> str:
    arrays = _arrays(pair, one, other)
    if arrays is None:
        return "cannot be read"
    stored = pair.a.stored(one), pair.b.stored(other)
    kind = compression(*arrays, *stored)
    return f"is rounded to {kind}" if kind else difference(*arrays)


def _port(pair: Pair, index: int) -> str:
    """The name of an input by the definition of the op."""
    op = pair.a.graph.layers[pair.old.id].op
    names = [] if op is None else [port.name for port in op.definition.inputs]
    return names[index] if index < len(names) else ""


def _named(side: Side, value: Value | None) -> str:
    if value is not None and value[0] in side.weights:
        array = next(side.arrays([value]))
        if not isinstance(array, DiagnosticError) and array.size <= FEW:
            return _spelled(array)
    return abridged(side.name(value), 60)


def _of_bodies(pair: Pair) -> Iterator[str]:
    """What differs in the bodies of the layers, the first difference of each."""
    for name in pair.old.bodies.keys() & pair.new.bodies.keys():
        sides: list[Side] = []
        for side, layer in ((pair.a, pair.old), (pair.b, pair.new)):
            inner = None if side.inferred is None else side.inferred.of(layer.id).bodies.get(name)
            sides.append(Side(side.analysis, side.graph.layers[layer.id].bodies[name].graph, inner))
        comparison = Comparison(sides[0], sides[1], ("names", "rt_info", "ids"))
        listed = next((change for entry in comparison.entries if (change := entry.listed())), None)
        if listed is not None:
            yield f"in {name}: {listed}"


# ---- what differs between two constants


def difference(a: Array, b: Array) -> str:
    """What b is in comparison to a: "are transposed", "is scaled by 1.01"; "" where they are equal."""
    if a.shape == b.shape and _equal(a, b):
        return ""
    if a.size <= FEW and b.size <= FEW and element_type_of(a).name != "boolean":
        small = f"{_spelled(a)} → {_spelled(b)}"
        found = "" if a.size < 2 or a.dtype.kind in "iu" else _first(a, b)
        return f"{small} ({found})" if found else small
    if element_type_of(a) is STRING or element_type_of(b) is STRING:
        return "has other texts"
    return _first(a, b) or _measured(a, b)


def _first(a: Array, b: Array) -> str:
    """The first hypothesis that holds."""
    one, other = _wide(a), _wide(b)
    return next((text for test in _HYPOTHESES if (text := test(one, other))), "")


def _not_finite(a: Array, b: Array) -> str:
    """Whether b is NaN or infinite where a is a number."""
    count = int((np.isfinite(a) & ~np.isfinite(b)).sum()) if a.shape == b.shape else 0
    return f"is not finite in {count:,} of {a.size:,} elements" if count else ""


def _transposed(a: Array, b: Array) -> str:
    """Whether the axes are permuted."""
    if not 1 < a.ndim <= 5 or a.ndim != b.ndim:
        return ""
    for axes in permutations(range(a.ndim)):
        if axes == tuple(range(a.ndim)) or tuple(a.shape[k] for k in axes) != b.shape:
            continue
        if _close(np.transpose(a, axes), b):
            swapped = [k for k, axis in enumerate(axes) if k != axis]
            named = "" if a.ndim == 2 or len(swapped) != 2 else f" in axes {swapped[0]} and {swapped[1]}"
            return f"is transposed{named or ('' if a.ndim == 2 else f' by {list(axes)}')}"
    return ""


def _reshaped(a: Array, b: Array) -> str:
    if a.shape == b.shape:
        return ""
    if a.size == b.size and _close(a.reshape(-1), b.reshape(-1)):
        return f"has shape {Shape(a.shape)} → {Shape(b.shape)}"
    return f"has shape {Shape(a.shape)} → {Shape(b.shape)}, and other elements"


def _zeros(a: Array, b: Array) -> str:
    if not b.any():
        return "is set to 0"
    gone = (b == 0) & (a != 0)
    if gone.any() and _close(np.where(gone, 0, a), b):
        return f"has {int(gone.sum()):,} of {a.size:,} elements set to 0"
    return ""


def _flipped_sign(a: Array, b: Array) -> str:
    if _close(-a, b):
        return "has the other sign"
    if _close(np.abs(a), np.abs(b)):
        return f"has the other sign in {int((np.sign(a) != np.sign(b)).sum()):,} of {a.size:,} elements"
    return ""


def _scaled(a: Array, b: Array) -> str:
    factor = _factor(a, b)
    if factor is not None:
        return f"is scaled by {factor:.6g}"
    for axis in range(a.ndim if a.ndim > 1 else 0):
        others = tuple(k for k in range(a.ndim) if k != axis)
        with np.errstate(all="ignore"):
            factors = (a * b).sum(others, keepdims=True) / (a * a).sum(others, keepdims=True)
        factors = np.where(np.isfinite(factors), factors, 1.0)
        if a.shape[axis] * 4 <= a.size and _close(a * factors, b, 16 * EXACT):
            few = factors[np.abs(factors - 1) > 1e-6]
            ends = dict.fromkeys(f"{end:.4g}" for end in (few.min(), few.max()))
            span = " to ".join(ends)
            return f"is scaled by {span} in {few.size} of {a.shape[axis]} slices along axis {axis}"
    return ""


def _factor(a: Array, b: Array) -> float | None:
    """The number that a is multiplied by to be b; None where there is none."""
    total = float(np.vdot(a, a).real)
    if not total or not np.isfinite(total):
        return None
    factor = float(np.vdot(a, b).real) / total
    return factor if factor and _close(a * factor, b, 16 * EXACT) else None


def _shifted(a: Array, b: Array) -> str:
    by = float((b - a).mean())
    if by and _close(a + by, b, 16 * EXACT):
        return f"is shifted by {by:.6g}"
    return ""


def _affine(a: Array, b: Array) -> str:
    """Whether all elements are one linear function of the others, with a few distinct ones excluded."""
    if np.unique(a).size < 3:
        return ""
    slope, offset = np.polyfit(a.reshape(-1), b.reshape(-1), 1)
    if slope and _close(a * slope + offset, b, 16 * EXACT):
        return f"is scaled by {slope:.6g} and shifted by {offset:.6g}"
    return ""


def _reversed(a: Array, b: Array) -> str:
    for axis in range(a.ndim):
        if a.shape[axis] > 1 and _close(np.flip(a, axis), b):
            return f"is reversed along axis {axis}"
    return ""


def _permuted(a: Array, b: Array) -> str:
    """Whether slices along an axis are in another order: rolled, in blocks, or by any permutation."""
    for axis in range(a.ndim):
        one, other = (np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1) for x in (a, b))
        order = _order(one, other)
        if order is None:
            continue
        count = len(order)
        by = order[0]
        if by and all(order[k] == (k + by) % count for k in range(count)):
            return f"is rolled by {count - by if count - by <= by else -by} along axis {axis}"
        for blocks in (2, 3, 4, 6):
            size = count // blocks
            if count % blocks == 0 and size > 1 and _are_blocks(order, size):
                sequence = ",".join(str(order[k * size] // size) for k in range(blocks))
                return f"has its {blocks} blocks of {size} along axis {axis} in the order {sequence}"
        moved = sum(k != place for k, place in enumerate(order))
        return f"is permuted along axis {axis} ({moved} of {count} slices)"
    return ""


def _order(one: Array, other: Array) -> list[int] | None:
    """For each row of the second table, the row of the first that it is; None where it is no permutation."""
    if len(one) < 2:
        return None
    places: dict[bytes, list[int]] = {}
    for index, row in enumerate(one):
        places.setdefault(row.tobytes(), []).append(index)
    order: list[int] = []
    for index, row in enumerate(other):
        left = places.get(row.tobytes())
        if not left:
            return None
        order.append(left.pop(left.index(index) if index in left else 0))
    return None if order == list(range(len(order))) else order


def _are_blocks(order: list[int], size: int) -> bool:
    return all(
        order[start] % size == 0
        and order[start : start + size] == list(range(order[start], order[start] + size))
        for start in range(0, len(order), size)
    )


def _rounded(a: Array, b: Array) -> str:
    """Whether the elements are those of a narrower type."""
    with np.errstate(all="ignore"):
        single = a.astype(np.float32)
        for name, kind in NARROW.items():
            if _same_elements(single.astype(kind).astype(np.float32), b.astype(np.float32)):
                return f"is rounded to {name}"
        if _close(np.trunc(a), b) or _close(np.rint(a), b):
            return "is rounded to whole numbers"
    for bits in (4, 8):
        if _on_grid(a, b, bits):
            return f"is rounded to int{bits}"
    return ""


def _on_grid(a: Array, b: Array, bits: int) -> bool:
    """Whether b has no more values than a type of some bits, each near the element of a that it stands for.

    The scale may be of the tensor, or of each slice along the first or the last axis.
    """
    if a.size < SMALLEST_GRID or len(np.unique(a)) <= 2**bits:
        return False
    shapes = (1, -1), (len(a), -1), (-1, a.shape[-1])
    for number, shape in enumerate(shapes):
        one, other = a.reshape(shape), b.reshape(shape)
        if number == 2:
            one, other = one.T, other.T
        if all(_row_on_grid(x, y, bits) for x, y in zip(one, other)):
            return True
    return False


def _row_on_grid(a: Array, b: Array, bits: int) -> bool:
    levels = np.unique(b)
    reach = float(np.max(np.abs(a), initial=0))
    step = 2 * reach / (2**bits - 2)
    if len(levels) > 2**bits or np.max(np.abs(a - b), initial=0) > step:
        return False
    gaps = np.diff(levels)
    if len(gaps) < 2:
        return True
    unit = gaps.min()
    quotients = gaps / unit
    return bool((np.abs(quotients - np.rint(quotients)) < 0.02 * np.maximum(quotients, 1)).all())


def _few_elements(a: Array, b: Array) -> str:
    unequal = ~_near(a, b, EXACT)
    count = int(unequal.sum())
    if 0 < count <= max(1, a.size // 20):
        place = np.unravel_index(int(np.argmax(np.where(unequal, np.abs(a - b), -1))), a.shape)
        where = [int(k) for k in place]
        what = f"{a[place]:.6g} → {b[place]:.6g}"
        greatest = float(np.max(np.abs(a), initial=0)) or 1.0
        part = abs(float(a[place] - b[place])) / greatest
        size = f"by up to {part:.2g} of the greatest"
        return f"differs in {count:,} of {a.size:,} elements, {size}: at {where} {what}"
    return ""


_HYPOTHESES: tuple[Callable[[Array, Array], str], ...] = (
    _not_finite,
    _transposed,
    _reshaped,
    _zeros,
    _flipped_sign,
    _rounded,
    _scaled,
    _shifted,
    _reversed,
    _permuted,
    _affine,
    _few_elements,
)
"""What may have been done to a constant. After _reshaped, the shapes are the same."""


def _measured(a: Array, b: Array) -> str:
    one, other = _wide(a), _wide(b)
    greatest = float(np.max(np.abs(one), initial=0))
    with np.errstate(all="ignore"):
        apart = float(np.max(np.nan_to_num(np.abs(one - other)), initial=0))
    share = apart / greatest if greatest else float("inf")
    return f"differs by {100 * share:.2g} % of the greatest element"


def narrowest(stored: str) -> str:
    """The type that a weight is rounded to by how it is stored (see Side.stored); "" where it is not."""
    kinds = [kind for kind in stored.split(" * ") if kind in STORAGE or kind in LEVELS]
    return next((kind for kind in kinds if kind in LEVELS), kinds[0] if kinds else "")


def compression(a: Array, b: Array, before: str, after: str) -> str:
    """The type that b, a compressed form of a, is rounded to; "" where it differs by more than that does, and
    where a is compressed as much: rounding it again changes nothing.

    before, after: the element types of the constants behind a and b ("f16", "u8 * f16"), see Side.stored
    """
    narrow, already = narrowest(after), narrowest(before)
    if not narrow or a.shape != b.shape:
        return ""
    if already and not _is_coarser(narrow, already):
        return ""
    one, other = _wide(a), _wide(b)
    with np.errstate(all="ignore"):
        apart = np.abs(one - other)
        if narrow in STORAGE:
            tiny = SMALLEST_STORED.get(narrow, 0.0)
            return narrow if bool((apart <= STORAGE[narrow] * np.abs(one) * 1.01 + tiny).all()) else ""
        step = _range(one, other) / LEVELS[narrow]
        # the greatest element may be cut off, and half of the levels unused
        within = apart <= 1.02 * step + 2.0**-10 * np.abs(one)
        if not bool(within.all()) or float(np.mean((apart / np.maximum(step, 1e-300)) ** 2)) > TYPICAL**2:
            return ""
        slope = float((one * other).sum() / max(float((one * one).sum()), 1e-300))
    # rounding to the nearest level changes no more elements in one direction than in the other
    return narrow if abs(slope - 1) < (0.004 if LEVELS[narrow] > 15 else 0.02) else ""


def _is_coarser(kind: str, other: str) -> bool:
    """Whether a weight that is rounded to one narrow type is rounded again by another one."""
    if (kind in LEVELS) != (other in LEVELS):
        return True
    return 1.1 * LEVELS[kind] < LEVELS[other] if kind in LEVELS else STORAGE[kind] > STORAGE[other]


def _range(a: Array, b: Array) -> Array:
    """The greatest range that the levels of a slice may span."""
    table: Array = np.maximum(np.abs(a), np.abs(b))
    if a.ndim < 2:
        return np.full(a.shape, 2 * np.max(table))
    rows = 2 * np.max(table, axis=tuple(range(1, a.ndim)), keepdims=True)
    columns = 2 * np.max(table, axis=tuple(range(a.ndim - 1)), keepdims=True)
    found: Array = np.maximum(rows, columns)
    return found


def _equal(a: Array, b: Array) -> bool:
    """Whether two constants are equal; the type of integers does not matter, nor do axes of size 1."""
    if np.dtype(object) in (a.dtype, b.dtype):
        return a.shape == b.shape and bool((a == b).all())
    if [n for n in a.shape if n != 1] != [n for n in b.shape if n != 1]:
        return False
    return _same_elements(_wide(a).reshape(-1), _wide(b).reshape(-1))


def _same_elements(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(((a == b) | (np.isnan(a) & np.isnan(b))).all())


def _close(a: Array, b: Array, tolerance: float = EXACT) -> bool:
    return a.shape == b.shape and bool(_near(a, b, tolerance).all())


def _near(a: Array, b: Array, tolerance: float) -> Array:
    """Which elements are equal but for rounding, relative to the greatest."""
    with np.errstate(all="ignore"):
        finite = np.isfinite(a)
        greatest = float(np.max(np.abs(a), where=finite, initial=0))
        within: Array = (np.abs(a - b) <= tolerance * greatest) | (a == b) | (np.isnan(a) & np.isnan(b))
    return within


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _spelled(array: Array) -> str:
    if array.dtype.kind == "f" or element_type_of(array).floating:
        items = [f"{float(item):.6g}" for item in array.reshape(-1)]
    else:
        items = [str(item) for item in array.reshape(-1).tolist()]
    return ",".join(items) if prod(array.shape) else "none"


def of_missing(users: Sequence[str]) -> str:
    """The cause where b lacks a layer."""
    return "the layer is missing in b" + (f"; {users[0]} uses its input" if users else "")


def of_added(layers: Sequence[str], place: str = "before it") -> str:
    """The cause where b has layers that a lacks."""
    return f"{plural(len(layers), 'layer')} added in b {place}: {', '.join(layers)}"


# What a stored value may come from, where nothing is known of the model that gave it.
#
# The layer is computed again as faults change layers: from constants that are stored with other elements,
# from other operands, with other attributes, by another op. A change that gives the stored value is its
# cause.

EXPLAINED = 0.01
"""What a change must leave at most of the difference to be its cause."""
TRIES, FEWEST_TRIES, WORK = 600, 24, 1 << 26
"""How often a layer is computed again: at most; at least; and as long as this many elements are computed."""
FEW_OPERANDS = 4
"""The inputs of a Concat of up to this many are tried in every order."""
EPSILONS = (1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12)
STEPS = 40
"""How many pairs of numbers are tried for an attribute that is a number."""
DECADES = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)
PRECISE = EXPLAINED / 100
"""What a number may leave of the difference to be the one that is looked for."""
UNREADY = (Violation, OpFault, LimitExceeded, ValueError, TypeError, LookupError, ArithmeticError)
"""What kernels raise for inputs and attributes that they do not take."""
RELATED = tuple(
    tuple(text.split())
    for text in (
        "Add-1 Subtract-1 Multiply-1 Divide-1 Maximum-1 Minimum-1 Power-1 Mod-1 FloorMod-1"
        " SquaredDifference-1",
        "ReduceMean-1 ReduceSum-1 ReduceMax-1 ReduceMin-1 ReduceL1-4 ReduceL2-4 ReduceProd-1",
        "Less-1 LessEqual-1 Greater-1 GreaterEqual-1 Equal-1 NotEqual-1",
        "LogicalAnd-1 LogicalOr-1 LogicalXor-1",
        "BitwiseAnd-13 BitwiseOr-13 BitwiseXor-13",
        "ReLU-1 Gelu-7 Sigmoid-1 Tanh-1 HSwish-4 Swish-4 SoftPlus-4 Mish-4 HSigmoid-5 Abs-1 Erf-1 Exp-1 Log-1"
        " Sqrt-1 Negative-1 Sin-1 Cos-1 Floor-1 Ceiling-1 Round-5 Sign-1 SoftMax-8 LogSoftmax-5",
    )
)
"""Ops that are taken for each other: of two operands, reductions, comparisons, bits, functions."""
BETWEEN = ("Abs-1", "ReLU-1", "Floor-1", "Tanh-1", "Sigmoid-1", "Negative-1", "Exp-1", "Sqrt-1")
"""Functions that may be applied to an input before it is used."""

Trials = Iterator[tuple[str, Array | None]]
"""What may have been done, and what the layer then gives."""


@dataclass(frozen=True, slots=True)
class Other:
    """A value that may be in the place of an input. title: what it is; missing: the layer that was left out
    if it is.
    """

    title: str
    array: Array
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Unlike:
    """A stored value of a layer that the layer does not give for its stored inputs.

    names: of the inputs by the definition; constant: the stored values of the inputs that follow from
    constants alone, None where they are not stored; again: what the layer gives for other inputs; others:
    the stored values that may be in the place of an input; truth: what the layer gives
    """

    invocation: Invocation
    registry: Registry
    names: Sequence[str]
    inputs: Sequence[Array | None]
    constant: Mapping[int, Array | None]
    again: Compute
    others: Callable[[int], Iterable[Other]]
    truth: Array
    stored: Array
    output: int

    @property
    def has_bodies(self) -> bool:
        return bool(self.invocation.op.definition.bodies)

    def port(self, index: int) -> str:
        return f" ({self.names[index]})" if index < len(self.names) else ""

    def given(self, inputs: Sequence[Array | None]) -> Array | None:
        """What the layer gives for other inputs; None where it does not take them."""
        try:
            with np.errstate(all="ignore"):
                found = self.again(inputs)[self.output]
        except UNREADY:
            return None
        return result_array(found, fact_of(self.stored))

    @property
    def has_other_shape(self) -> bool:
        """Whether the stored value has another shape than what the layer gives."""
        return self.truth.shape != self.stored.shape

    def computed(self, invocation: Invocation) -> Array | None:
        """What another layer gives for the inputs; None where it does not give a value of that shape."""
        facts = [None if array is None else fact_of(array, with_value=True) for array in self.inputs]
        try:
            fact = invocation.infer(facts)[self.output]
            if fact.element_type is not element_type_of(self.stored):
                return None
            if fact.shape.to_tuple() not in (None, self.stored.shape):
                return None
            found = invocation.compute(self.inputs)[self.output]
        except UNREADY:
            return None
        return result_array(found, fact)

    def with_input(self, index: int, array: Array) -> list[Array | None]:
        return [*self.inputs[:index], array, *self.inputs[index + 1 :]]

    def remains(self, found: Array | None) -> float:
        """Which part of the difference a change leaves; 1 for one that does not fit."""
        if found is None or found.shape != self.stored.shape or found.dtype == object:
            return 1.0
        stored = _wide(self.stored)
        with np.errstate(all="ignore"):
            if self.has_other_shape:  # no element of the one is in the place of one of the other
                whole = PRECISE * _greatest(stored)
            else:
                whole = _greatest(_wide(self.truth) - stored)
            left = _greatest(_wide(found) - stored)
            alike = bool((np.isnan(_wide(found)) == np.isnan(stored)).all())
        if not whole:
            return float(not alike or left > 0)
        return left / whole if alike and isfinite(left) and isfinite(whole) else float(not alike)


def _greatest(array: Array) -> float:
    return float(np.nan_to_num(np.abs(array), nan=0.0).max(initial=0.0))


def cause_of_value(case: Unlike) -> str:
    """The first change of a layer that gives the stored value, else how this differs; "" for strings."""
    if np.dtype(object) in (case.truth.dtype, case.stored.dtype):
        return ""
    constants = next(_explaining(case, _of_stored_constants(case)), "")
    if constants:
        return constants
    passing = next(_explaining(case, _of_passing(case)), "")
    if passing:  # another op may give it as well, as a product with 1 does
        return ", or ".join(filter(None, (passing, next(_explaining(case, _of_ops(case)), ""))))
    found = next(_explaining(case, _trials(case)), "")
    return found or f"the value {difference(case.truth, case.stored)}"


def _explaining(case: Unlike, trials: Trials) -> Iterator[str]:
    """The changes that give the stored value; of large layers, of the first ones."""
    elements = case.stored.size + sum(array.size for array in case.inputs if array is not None)
    count = min(TRIES, max(FEWEST_TRIES, WORK // max(elements, 1)))
    for text, found in islice(trials, count):
        if case.remains(found) <= EXPLAINED:
            yield text


def _trials(case: Unlike) -> Trials:
    yield from _of_operands(case)
    yield from _of_attributes(case)
    yield from _of_other_inputs(case)
    yield from _of_ops(case)
    yield from _with_constants(case)
    yield from _of_functions_between(case)
    yield from _of_numbers(case)


def _of_stored_constants(case: Unlike) -> Trials:
    """Constants that are stored with other elements."""
    changed = {
        index: (text, array)
        for index, array in case.constant.items()
        if array is not None and (own := case.inputs[index]) is not None and (text := difference(own, array))
    }
    if not changed:
        return
    inputs = [changed[k][1] if k in changed else array for k, array in enumerate(case.inputs)]
    texts = [of_constant(case.names, index, text) for index, (text, _) in changed.items()]
    yield "; ".join(texts), case.given(inputs)


def of_constant(names: Sequence[str], index: int, text: str) -> str:
    """How an input that is a constant differs. text: of difference"""
    name = names[index] if index < len(names) else ""
    if text.partition(" ")[0] in VERBS:
        return f"constant input {index}{f' ({name})' if name else ''} {text}"
    return f"constant {name or index} {text}"


def _of_passing(case: Unlike) -> Trials:
    for index, array in enumerate(case.inputs):
        if array is not None and array.shape == case.stored.shape:
            yield f"the value is that of input {index}, as if the layer were missing", array
    first = case.inputs[0] if case.inputs else None
    is_transpose = case.invocation.op.definition.type == "Transpose"
    if first is not None and is_transpose and first.size == case.stored.size:
        yield "as if the op were Reshape, not Transpose", first.reshape(case.stored.shape)


def _of_operands(case: Unlike) -> Trials:
    """The same inputs in another order."""
    given = list(case.inputs)
    count = len(given)
    if case.invocation.op.definition.type == "Concat":
        parts = _order_of_parts(case)
        if parts and count > 2:
            yield _reordering(parts), case.given([given[k] for k in parts])
    if case.invocation.op.is_variadic and count > 2:
        orders: Iterable[Sequence[int]] = permutations(range(count))
        if count > FEW_OPERANDS:
            orders = [[*range(k, count), *range(k)] for k in range(1, count)] + [[*range(count)][::-1]]
        for order in orders:
            yield _reordering(order), case.given([given[k] for k in order])
        return
    for one in range(count):
        for other in range(one + 1, count):
            if given[one] is not None and given[other] is not None:
                swapped = list(given)
                swapped[one], swapped[other] = swapped[other], swapped[one]
                yield f"as if operands {one} and {other} were swapped", case.given(swapped)


def _reordering(order: Sequence[int]) -> str:
    return f"as if the inputs were reordered: {','.join(map(str, order))}"


def _order_of_parts(case: Unlike) -> list[int]:
    """In which order the inputs of a Concat stand in the stored value; [] where other elements do."""
    axis, at = case.invocation.attributes["axis"], 0
    parts = {index: array for index, array in enumerate(case.inputs) if array is not None}
    order: list[int] = []
    while parts:
        index = next((k for k, part in parts.items() if _stands_at(case.stored, at, axis, part)), None)
        if index is None:
            return []
        order.append(index)
        at += parts.pop(index).shape[axis]
    return order


def _stands_at(whole: Array, at: int, axis: int, part: Array) -> bool:
    """Whether an array has the elements of another one from a place on an axis on."""
    stands = [slice(None)] * whole.ndim
    stands[axis] = slice(at, at + part.shape[axis])
    return _close(_wide(part), _wide(whole[tuple(stands)]))


def _of_other_inputs(case: Unlike) -> Trials:
    """Another stored value in the place of an input, the nearest ones first."""
    for index, array in enumerate(case.inputs):
        if array is None or index in case.constant:
            continue
        for other in case.others(index):
            fits = other.array.shape == array.shape and other.array.dtype == array.dtype
            if fits and other.array is not array:
                text = f"as if input {index} were {other.title}"
                if other.missing:
                    text = f"{text}, and the layer {other.missing} missing"
                yield text, case.given(case.with_input(index, other.array))


# ---- attributes and ops


def _of_attributes(case: Unlike) -> Trials:
    if case.has_bodies:
        return
    for changes in _changed_attributes(case):
        before = case.invocation.attributes
        parts = [f"{name} were {_text(new)}, not {_text(before[name])}" for name, new in changes.items()]
        made = case.invocation.with_values({**before, **changes})
        yield f"as if {' and '.join(parts)}", case.computed(made)


def _changed_attributes(case: Unlike) -> Iterator[dict[str, Any]]:
    """Other values of one attribute, and of those that change together."""
    values, known = case.invocation.attributes, case.invocation.op.definition.attributes
    for name, attribute in known.items():
        for other in _others(attribute, values[name]):
            if other != values[name]:
                yield {name: other}
    yield from _moved_pads(values)
    yield from _dilated(case, values)


def _others(attribute: Attribute, value: Any) -> Iterator[Any]:
    """Values that an attribute may have in place of its own."""
    match value:
        case bool():
            yield not value
        case int():
            others = (value + 1, value - 1, value + 2, value - 2, value * 2, -value, 0)
            yield from (other for other in others if attribute.low <= other <= attribute.high)
        case float():
            scaled = (value * 2, value / 2, value * 10, value / 10, value * 1e4, value / 1e4)
            others_ = (*scaled, -value, 0.0, 1.0, *(EPSILONS if 0 < value < 1e-2 else ()))
            yield from (other for other in others_ if attribute.low <= other <= attribute.high)
        case str():
            yield from attribute.values
        case tuple() if value and all(isinstance(item, int) for item in value):
            for index in range(len(value)):
                for step in (1, -1):
                    yield (*value[:index], value[index] + step, *value[index + 1 :])
            yield value[::-1]
            yield tuple(item * 2 for item in value)
        case tuple() if value and all(isinstance(item, float) for item in value):
            yield from (tuple(item * by for item in value) for by in (2.0, 0.5, 1.5))
        case tuple() if value and all(isinstance(item, str) for item in value):
            yield from (order for order in permutations(value) if order != value)
            names = attribute.values or ("relu", "tanh", "sigmoid")
            for index in range(len(value)):
                yield from ((*value[:index], name, *value[index + 1 :]) for name in names)


def _moved_pads(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Padding at the other end of an axis, or another one at both."""
    begin, end = values.get("pads_begin"), values.get("pads_end")
    if not isinstance(begin, tuple) or not isinstance(end, tuple) or len(begin) != len(end):
        return
    for axis in range(len(begin)):
        for step in (1, -1):
            moved = [
                (*one[:axis], one[axis] + s, *one[axis + 1 :]) for one, s in ((begin, step), (end, -step))
            ]
            yield {"pads_begin": moved[0], "pads_end": moved[1]}
    if begin != end:
        yield {"pads_begin": end, "pads_end": begin}


def _dilated(case: Unlike, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Other dilations, with pads for the same shape."""
    dilations, filters = values.get("dilations"), case.inputs[1] if len(case.inputs) > 1 else None
    if not dilations or filters is None or filters.ndim < len(dilations) or "pads_begin" not in values:
        return
    taps = filters.shape[-len(dilations) :]
    for factor in (1, 2, 3):
        other = tuple(factor for _ in dilations)
        if other == tuple(dilations):
            continue
        grown = [(k - 1) * (new - old) for k, new, old in zip(taps, other, dilations)]
        if any(more % 2 for more in grown):
            continue
        pads = {
            key: tuple(p + g // 2 for p, g in zip(values[key], grown)) for key in ("pads_begin", "pads_end")
        }
        yield {"dilations": other, **pads}


def _of_ops(case: Unlike) -> Trials:
    """Another op for the same inputs."""
    own = case.invocation.op
    group = next((ids for ids in RELATED if own.id in ids), ())
    if not group and own.definition.category == "activation":
        group = RELATED[-1]
    for id_ in group:
        if id_ != own.id:
            op = case.registry.op(id_)
            shared = {k: v for k, v in case.invocation.attributes.items() if k in op.definition.attributes}
            if op.min_inputs <= len(case.inputs):
                count = len(case.inputs) if op.is_variadic else len(op.definition.inputs)
                text = f"as if the op were {id_}, not {own.id}"
                yield text, _with_operands(case, count).computed(Invocation.of_values(op, shared))


def _with_operands(case: Unlike, count: int) -> Unlike:
    """The case with fewer inputs."""
    return replace(case, inputs=case.inputs[:count])


def _of_functions_between(case: Unlike) -> Trials:
    """A function that is applied to an input before it is used, or rounding to a narrow type."""
    for index, array in enumerate(case.inputs):
        if array is None or index in case.constant or not is_float(array) or array.dtype.kind == "c":
            continue
        for id_ in BETWEEN:
            op = case.registry.op(id_)
            with np.errstate(all="ignore"):
                changed = np.asarray(Invocation(op).compute([array])[0]).astype(array.dtype)
            name = op.definition.type
            text = f"as if {name} were added before input {index}"
            yield text, case.given(case.with_input(index, changed))
        for name, kind in NARROW.items():
            text = f"as if input {index} were rounded to {name}"
            yield text, case.given(case.with_input(index, _cast(_cast(array, kind), array.dtype)))


def _of_numbers(case: Unlike) -> Trials:
    """Another number as an attribute, found by trying numbers ever nearer to the one that fits best."""
    if case.has_bodies or not is_float(case.stored):
        return
    for name, value in case.invocation.attributes.items():
        if not isinstance(value, float) or not isfinite(value):
            continue
        attribute = case.invocation.op.definition.attributes[name]
        number, found = _fitted(case, name, value, attribute)
        if found is not None:
            yield f"as if {name} were {number:.4g}, not {_text(value)}", found


def _fitted(case: Unlike, name: str, value: float, attribute: Attribute) -> tuple[float, Array | None]:
    """The number that leaves least of the difference, and what the layer then gives."""
    values = case.invocation.attributes
    best: tuple[float, float, Array | None] = 1.0, value, None

    def tried(number: float) -> float:
        nonlocal best
        if not attribute.low <= number <= attribute.high:
            return 1.0
        found = case.computed(case.invocation.with_values({**values, name: number}))
        left = case.remains(found)
        if left < best[0]:
            best = left, number, found
        return left

    reach = abs(value) or 1.0
    for factor in (-2.0, -1.0, -0.5, 0.0, 0.5, 0.75, 1.5, 2.0, 3.0, 5.0, *(10.0**k for k in DECADES)):
        tried(factor * reach)
    step = max(abs(best[1]) / 2, reach / 4)
    for _ in range(STEPS):
        if best[0] <= PRECISE:
            break
        before = best[1]
        tried(before - step)
        tried(before + step)
        step *= 0.5 if best[1] == before else 1.5
    return best[1], best[2]


# ---- constants of which no value is stored


def _with_constants(case: Unlike) -> Trials:
    for index in sorted(case.constant):
        array = case.inputs[index]
        if array is None or case.constant[index] is not None:
            continue
        for text, changed in _changed(array) if is_float(array) else _changed_integers(array):
            what = f"as if constant input {index}{case.port(index)} {text}"
            yield what, case.given(case.with_input(index, changed))


def _cast(array: Array, kind: DTypeLike) -> Array:
    """The array in another type, in which large elements may become infinite."""
    with np.errstate(all="ignore"):
        return array.astype(kind)


def _changed(array: Array) -> Iterator[tuple[str, Array]]:
    if array.ndim > 1 and array.shape[-1] == array.shape[-2]:
        yield "were transposed", np.ascontiguousarray(np.swapaxes(array, -1, -2))
    yield "had the other sign", -array
    yield "were set to 0", np.zeros_like(array)
    for name, kind in NARROW.items():
        yield f"were rounded to {name}", _cast(_cast(array, kind), array.dtype)
    greatest = float(np.max(np.abs(array.astype(np.float64)), initial=0))
    for bits in (8, 4):
        scale = greatest / (2 ** (bits - 1) - 1) or 1.0
        whole = np.rint(array.astype(np.float64) / scale) * scale
        yield f"were rounded to int{bits}", _cast(whole, array.dtype)
    for factor in (2.0, 0.5, 1.01, 0.99, 10.0, 0.1):
        yield f"were scaled by {factor:g}", _cast(array.astype(np.float64) * factor, array.dtype)
    for axis in range(array.ndim):
        if array.shape[axis] > 1:
            yield f"were reversed along axis {axis}", np.ascontiguousarray(np.flip(array, axis))
            yield f"were rolled by 1 along axis {axis}", np.roll(array, 1, axis)


def _changed_integers(array: Array) -> Iterator[tuple[str, Array]]:
    """Other starts, axes, orders and amounts, and fewer of them."""
    if array.dtype.kind not in "iu" or not 0 < array.size <= 8:
        return
    flat = array.reshape(-1)
    for index in range(flat.size):
        for step in (1, -1):
            changed = flat.copy()
            changed[index] += step
            yield f"were {','.join(map(str, changed))}", changed.reshape(array.shape)
    if array.ndim == 1 and array.size > 1:
        for index in range(array.size):
            fewer = np.delete(array, index)
            yield f"were {','.join(map(str, fewer))}", fewer
    for order in islice(permutations(flat.tolist()), 120):
        yield f"were {','.join(map(str, order))}", np.array(order, array.dtype).reshape(array.shape)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)
