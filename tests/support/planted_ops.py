"""A backend that is wrong for an op: a predicate on the op, its attributes and its inputs, so that the fault
survives renaming and cutting. planted.py has one that is wrong in one call of a run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from planted import FAULTS, matters

from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import kernel_of
from irops.backends.catalogue import chain
from irops.runtime.session import Session

WRONG: dict[str, Callable[[Any], Any]] = {fault.__name__: fault for fault in FAULTS}
"""How a result is made wrong, by kind of fault."""


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
            bad = np.asarray(WRONG[self.kind](np.array(first)))
            if not matters(first, bad):
                return None
        return (bad, *outputs[1:]) if isinstance(outputs, tuple) else bad


class PlantedOp:
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


def calls_of(model: ModelAnalysis, inputs: Mapping[Any, Any]) -> list[tuple[Call, tuple[str, ...], int]]:
    """The calls of kernels in a run, bodies included, that a fault would change."""
    spy = PlantedOp()
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
