"""A backend that is wrong in one place: the fault that comparing and reducing must find.

A plant is a predicate on the op, its attributes and its inputs, so that it survives renaming and cutting.
"""

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import kernel_of
from irops.backends.catalogue import chain
from irops.runtime.session import Session
from irops.values.element import element_type_of


class Idle:
    """A backend without kernels."""

    name = "idle"

    def kernel(self, op: Any) -> None:
        return None


WRONG: dict[str, Callable[[Any], Any]] = {}
"""How a result is made wrong, by kind of fault; None where the kind does not apply to the result."""


def _kind(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    WRONG[function.__name__] = function
    return function


@_kind
def sign(out: Any) -> Any:
    """All elements have the other sign."""
    if out.dtype == bool:
        return ~out
    return (-out).astype(out.dtype) if element_type_of(out).kind in ("float", "signed") else None


@_kind
def last_row(out: Any) -> Any:
    """The last row is that before it."""
    axis = max(out.ndim - 2, 0)
    if out.ndim == 0 or out.shape[axis] < 2:
        return None
    wrong, rows = out.copy(), np.arange(out.shape[axis])
    rows[-1] -= 1
    wrong[...] = np.take(out, rows, axis)
    return wrong


@_kind
def off_by_one(out: Any) -> Any:
    """The elements of the last axis are shifted by one."""
    return np.roll(out, 1, -1).astype(out.dtype) if out.ndim and out.shape[-1] > 1 else None


@_kind
def nan(out: Any) -> Any:
    """One element is NaN."""
    return _with_one(out, np.nan)


@_kind
def infinity(out: Any) -> Any:
    """One number is infinity."""
    return _with_one(out, np.inf)


def _with_one(out: Any, value: float) -> Any:
    if not element_type_of(out).floating or not out.size:
        return None
    wrong = out.copy()
    wrong.flat[out.size // 2] = value
    return wrong


@_kind
def unmasked(out: Any) -> Any:
    """Infinities and NaN are a number."""
    if not element_type_of(out).floating or np.isfinite(out).all():
        return None
    return np.where(np.isfinite(out), out, out.dtype.type(5))


@_kind
def exchanged(out: Any) -> Any:
    """Infinities have the other sign."""
    if not element_type_of(out).floating or not np.isinf(out).any():
        return None
    return np.where(np.isinf(out), -out, out)


@_kind
def scale(out: Any) -> Any:
    """All elements are 1 % too large."""
    return (out * out.dtype.type(1.01)).astype(out.dtype) if element_type_of(out).floating else None


@_kind
def transposed(out: Any) -> Any:
    """The last two axes are exchanged before the elements are laid out."""
    if out.ndim < 2 or min(out.shape[-2:]) < 2:
        return None
    return np.ascontiguousarray(out.swapaxes(-1, -2)).reshape(out.shape)


def odd_sizes(out: Any) -> Any:
    """The elements behind the last multiple of 4 are 0, where there are any."""
    if not out.ndim or not out.shape[-1] % 4:
        return None
    wrong = out.copy()
    wrong[..., out.shape[-1] // 4 * 4 :] = 0
    return wrong


INFINITE_FAULTS = (unmasked, exchanged)
"""Faults in results that have infinities."""
FAULTS = (*(fault for fault in WRONG.values() if fault not in INFINITE_FAULTS), odd_sizes)


class Aborting:
    """A backend that ends its process in one op."""

    name = "aborting"

    def kernel(self, op: Any) -> Callable[..., Any] | None:
        return (lambda *_, **__: os.abort()) if op.id == "Tanh-1" else None


class Watched:
    """A backend that is looked at in the process of the caller, so that it is not sent to another one."""

    def __reduce__(self) -> Any:
        raise TypeError("it counts calls in the process where a test looks at them")


class WrongCall(Watched):
    """The reference, but for one call of one op, and later ones with the same inputs.

    op: its id; call: which of its calls in a run is wrong.
    changed: whether the call came, and changed the result.
    """

    name = "planted"

    def __init__(self, op: str, call: int, fault: Callable[[Any], Any]) -> None:
        self.op, self.call, self.fault = op, call, fault
        self.calls, self.changed, self.inputs = 0, False, list[Any]()

    def kernel(self, op: Any) -> Callable[..., Any] | None:
        kernel = op.functions.kernel
        if kernel is None or op.definition.bodies:
            return None
        return partial(self.compute, kernel) if op.id == self.op and not op.definition.stateful else kernel

    def compute(self, kernel: Callable[..., Any], *inputs: Any, **attributes: Any) -> Any:
        result = kernel(*inputs, **attributes)
        self.calls += 1
        if self.calls - 1 == self.call:
            self.inputs = list(map(_key, inputs))
        if self.inputs != list(map(_key, inputs)):
            return result
        outputs = result if isinstance(result, tuple) else (result,)
        wrong = self.fault(np.array(outputs[0]))
        if wrong is None or not matters(np.asarray(outputs[0]), wrong):
            return result
        self.changed = True
        return (wrong, *outputs[1:]) if isinstance(result, tuple) else wrong


def _key(array: Any) -> Any:
    """The shape and the bytes of an array."""
    return None if array is None else (np.shape(array), np.asarray(array).tobytes())


def matters(right: Any, wrong: Any) -> bool:
    """Whether a change is beyond all rounding: a thousandth of the greatest element, NaN or infinity."""
    if right.shape != wrong.shape or right.dtype.kind not in "fV":
        return right.shape != wrong.shape or bool((right != wrong).any())
    a, b = right.astype(np.float64), wrong.astype(np.float64)
    if (np.isnan(a) != np.isnan(b)).any() or (np.isinf(a) | np.isinf(b))[~np.equal(a, b)].any():
        return True
    finite = np.isfinite(a) & np.isfinite(b)
    return bool(finite.any() and np.abs(a - b)[finite].max() > 1e-3 * np.abs(a[finite]).max())


@dataclass(frozen=True)
class Call:
    """One call of a kernel."""

    op: str
    attributes: str
    shapes: tuple[tuple[int, ...], ...]
    digest: bytes


def call_of(op: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Call:
    """What a plant may look at."""
    digest, shapes = blake2b(digest_size=8), []
    for array in inputs:
        for item in array if isinstance(array, (list, tuple)) else (array,):
            if isinstance(item, np.ndarray) or np.isscalar(item):
                plain = np.asarray(item)
                shapes.append(plain.shape)
                digest.update(repr(plain.tolist()).encode() if plain.dtype == object else plain.tobytes())
    texts = {k: str(v) for k, v in attributes.items() if not callable(v)}
    return Call(op, repr(sorted(texts.items())), tuple(shapes), digest.digest())


@dataclass(frozen=True)
class Plant:
    """A fault. exact: it needs these very inputs; at_least: it needs an axis of this size in the result;
    otherwise it needs the op with its attributes alone
    """

    kind: str
    call: Call
    exact: bool = False
    at_least: int = 0

    def applies(self, call: Call) -> bool:
        if self.exact:
            return call == self.call
        return call.op == self.call.op and call.attributes == self.call.attributes

    def wrong(self, outputs: Any) -> Any:
        """The outputs with the first one wrong; None where the kind does not apply."""
        first = outputs[0] if isinstance(outputs, tuple) else outputs
        if not isinstance(first, np.ndarray) or first.dtype == object:
            return None
        if max(first.shape, default=0) < self.at_least:
            return None
        with np.errstate(all="ignore"):
            bad = WRONG[self.kind](first)
        if bad is None or bad.tobytes() == first.tobytes():
            return None
        return (bad, *outputs[1:]) if isinstance(outputs, tuple) else bad


class Planted:
    """The default backends, but for a plant. Without one, it only records calls.

    calls: with whether each kind of fault would change the result
    """

    name = "planted"

    def __init__(self, plant: Plant | None = None) -> None:
        self.plant = plant
        self.calls: list[tuple[Call, tuple[str, ...], int]] = []
        self.hits = 0

    def kernel(self, op: Any) -> Callable[..., Any] | None:
        chosen = kernel_of(op, chain(None))
        if chosen is None or op.definition.bodies:
            return None if chosen is None else chosen[1]
        good = chosen[1]

        def kernel(*inputs: Any, **attributes: Any) -> Any:
            outputs = good(*inputs, **attributes)
            if self.plant is not None and self.plant.call.op != op.id:
                return outputs
            call = call_of(op.id, inputs, attributes)
            if self.plant is None:
                self._record(call, outputs)
            elif self.plant.applies(call):
                wrong = self.plant.wrong(outputs)
                self.hits += wrong is not None
                return outputs if wrong is None else wrong
            return outputs

        return kernel

    def _record(self, call: Call, outputs: Any) -> None:
        kinds = tuple(kind for kind in WRONG if Plant(kind, call).wrong(outputs) is not None)
        first = outputs[0] if isinstance(outputs, tuple) else outputs
        self.calls.append((call, kinds, max(getattr(first, "shape", ()), default=0)))


class Tied(Watched):
    """The reference, but for ties, which it decides otherwise: the last of equal elements in TopK, and in
    FakeQuantize the other level for the element that is closest to the middle between two.

    wrong: what it gives is no tie: other elements, or two levels more. decided: how many calls gave another
    result
    """

    name = "tied"

    def __init__(self, *, wrong: bool = False) -> None:
        self.wrong, self.decided = wrong, 0

    def kernel(self, op: Any) -> Callable[..., Any] | None:
        others = {"TopK": self._top_k, "FakeQuantize": self._fake_quantize}
        other, right = others.get(op.definition.type), op.functions.kernel
        if other is None or right is None:
            return None

        def kernel(*inputs: Any, **attributes: Any) -> Any:
            outputs = right(*inputs, **attributes)
            changed = other(outputs, *inputs, **attributes)
            last = [one[-1] if isinstance(one, tuple) else one for one in (outputs, changed)]
            self.decided += int((last[0] != last[1]).any())
            return changed

        return kernel

    def _top_k(self, outputs: Any, data: Any, k: Any, *, axis: int, mode: str, **_: Any) -> Any:
        backwards = np.flip(data, axis).astype(np.float64)
        descending = (mode == "max") is not self.wrong
        order = np.argsort(-backwards if descending else backwards, axis=axis, kind="stable")
        chosen = data.shape[axis] - 1 - np.take(order, range(int(k)), axis)
        return np.take_along_axis(data, chosen, axis), chosen.astype(outputs[1].dtype)

    def _fake_quantize(self, outputs: Any, data: Any, *ends: Any, levels: int, **_: Any) -> Any:
        low, high, out_low, out_high = (np.asarray(end, np.float64) for end in ends)
        place = (data.astype(np.float64) - low) * (levels - 1) / (high - low)
        quantum = (out_high - out_low) / (levels - 1)
        distance = np.abs(place - np.floor(place) - 0.5)
        distance[~((place >= 1) & (place <= levels - 2))] = 1
        closest = np.unravel_index(np.argmin(distance), data.shape)
        if distance[closest] > 1e-4 and not self.wrong:
            return outputs
        level = np.rint((outputs.astype(np.float64) - out_low) / quantum)
        step = np.sign(np.floor(place) + 0.5 - level) * (2 if self.wrong else 1)
        changed = (level + step) * quantum + out_low
        right = np.asarray(outputs).copy()
        right[closest] = changed[closest]
        return right


def calls_of(model: ModelAnalysis, inputs: Mapping[Any, Any]) -> list[tuple[Call, tuple[str, ...], int]]:
    """The calls of kernels in a run, bodies included, that a fault would change."""
    spy = Planted()
    Session(model, backends=[spy]).run(inputs)
    return [entry for entry in spy.calls if entry[1]]


def random_plant(calls: list[tuple[Call, tuple[str, ...], int]], draw: random.Random) -> Plant:
    """A plant in one of the calls."""
    call, kinds, size = draw.choice(calls)
    kind = draw.choice(kinds)
    match draw.randrange(3):
        case 0:
            return Plant(kind, call, exact=True)
        case 1 if size > 1:
            return Plant(kind, call, at_least=draw.randint(2, size))
        case _:
            return Plant(kind, call)
