"""Values of a plan that are the same in each run, and the results that a session keeps of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from threading import Lock
from typing import NamedTuple

import numpy as np

from irops.analysis.structure import SHAPES
from irops.ir.model import Layer, LayerKind
from irops.runtime.plan import Plan, Step, ValueKey
from irops.runtime.precision import NARROW
from irops.values.element import DYNAMIC, STRING, Array, ElementType
from irops.values.fact import Fact
from irops.values.packing import LAYOUTS

ConstantKey = tuple[tuple[str, ...], int, int]
"""The path of a graph, the id of a layer, and the index of one of its outputs."""


class KeptConstants:
    """Arrays that depend on constants alone, within a number of bytes. Threads may share it.

    Views of the weights take no memory and are always kept. Of the others, the smallest are: for the same
    number of bytes they save the most steps.
    """

    def __init__(self, limit: float) -> None:
        self.limit, self.bytes = limit, 0.0
        self._chosen: dict[tuple[str, ...], frozenset[ConstantKey]] = {}
        self._arrays: dict[ConstantKey, Array] = {}
        self._lock = Lock()

    def choose(self, path: tuple[str, ...], sizes: Mapping[ConstantKey, float]) -> frozenset[ConstantKey]:
        """The values of a graph that are kept, by their sizes in bytes; decided once for each graph."""
        with self._lock:
            if path not in self._chosen:
                chosen = []
                for key in sorted(sizes, key=sizes.__getitem__):
                    if self.bytes + sizes[key] > self.limit:
                        break
                    self.bytes += sizes[key]
                    chosen.append(key)
                self._chosen[path] = frozenset(chosen)
            return self._chosen[path]

    def find(self, key: ConstantKey) -> Array | None:
        """A value that is kept; None if it is not, or not yet."""
        return self._arrays.get(key)

    def put(self, key: ConstantKey, array: Array) -> None:
        """Keep a value that was chosen. The array becomes read-only."""
        kept = _without_more(array)
        kept.flags.writeable = False
        with self._lock:
            if key in self._chosen.get(key[0], ()):
                self._arrays[key] = kept

    def refuse(self, path: tuple[str, ...]) -> None:
        """Keep nothing of a graph whose constants give warnings: these are due in each run."""
        with self._lock:
            self._chosen[path] = frozenset()
            for key in [key for key in self._arrays if key[0] == path]:
                del self._arrays[key]


def _without_more(array: Array) -> Array:
    """The array, copied if it is a view of a larger one, which would be kept with it."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return array.copy() if owner.flags.owndata and owner.nbytes > array.nbytes else array


# Which values of a plan are the same in each run, and which of them a session keeps: those that other steps
# read.


class Kept(NamedTuple):
    """What is kept of the constants of all plans, and of what follows from the shapes of one plan."""

    constants: KeptConstants
    of_shapes: KeptConstants


class FixedPart:
    """The steps of a plan that give the same in each of its runs, and the values of them that are kept.

    given: the ids of layers whose values the caller gives; kept: None to keep nothing
    fixed: the ids of the steps; arrays: the values that are kept by now.
    """

    def __init__(self, plan: Plan, given: Collection[int], kept: Kept | None) -> None:
        self.fixed = frozenset() if kept is None else _fixed(plan, given)
        self._steps = {step.layer.id: step for step in plan.steps if step.layer.id in self.fixed}
        self._path = plan.steps[0].node.path if plan.steps else ()
        self._chosen: frozenset[ConstantKey] = frozenset()
        self.arrays: dict[ValueKey, Array] = {}
        for is_constant in (True, False) if kept is not None else ():
            assert kept is not None
            store = kept.constants if is_constant else kept.of_shapes
            sizes = self._sizes(plan, is_constant)
            chosen = store.choose(self._path, sizes) & sizes.keys()
            arrays = {(key[1], key[2]): store.find(key) for key in chosen}
            self._chosen |= chosen
            self.arrays |= {value: array for value, array in arrays.items() if array is not None}

    @property
    def is_known(self) -> bool:
        """Whether all that may be kept is."""
        return len(self.arrays) == len(self._chosen)

    def keys(self, step: Step) -> tuple[ConstantKey | None, ...]:
        """The keys under which outputs of a step are kept, None for one that is not; empty where the step
        may give something else in the next run.
        """
        if step.layer.id not in self.fixed:
            return ()
        keys = [(self._path, step.layer.id, index) for index in range(len(step.facts.outputs))]
        return tuple(key if key in self._chosen else None for key in keys)

    def serves(self, value: ValueKey, reader: Step) -> bool:
        """Whether a step can read a kept value: constants read each other before they are rounded."""
        if value not in self.arrays:
            return False
        source = self._steps[value[0]]
        kind = source.facts.outputs[value[1]].element_type
        return not reader.constant or source.layer.is_constant or kind.name not in NARROW

    def needed(self, plan: Plan, keep: Collection[int]) -> set[int]:
        """The ids of the fixed steps that are computed, because what reads them cannot read a kept value."""
        if not self.is_known or not self._chosen:
            return set(self.fixed)
        needed = {key for key in keep if key in self.fixed}
        for step in reversed(plan.steps):
            if step.layer.id not in self.fixed or step.layer.id in needed:
                sources = (source for source in step.sources if source is not None)
                needed.update(s[0] for s in sources if s[0] in self.fixed and not self.serves(s, step))
        return needed

    def _sizes(self, plan: Plan, is_constant: bool) -> Mapping[ConstantKey, float]:
        """The bytes of the values, constant or not, that steps read which are not fixed themselves."""
        sizes: dict[ConstantKey, float] = {}
        for reader in plan.steps:
            for source in reader.sources if reader.layer.id not in self.fixed else ():
                step = None if source is None else self._steps.get(source[0])
                if source is not None and step is not None and step.constant == is_constant:
                    size = _size(step, step.facts.outputs[source[1]])
                    if size is not None:
                        sizes[(self._path, *source)] = size
        return sizes


def _fixed(plan: Plan, given: Collection[int]) -> frozenset[int]:
    """The ids of constant steps, of those that read a shape alone, and of those that read only these. What
    the caller gives, also in place of a constant, may differ.
    """
    fixed: set[int] = set()
    for step in plan.steps:
        sources = [source for source in step.sources if source is not None]
        if step.layer.id not in given and (
            _reads_shape(step) or (_follows(step) and all(source[0] in fixed for source in sources))
        ):
            fixed.add(step.layer.id)
    return frozenset(fixed)


def _reads_shape(step: Step) -> bool:
    return step.op.definition.type in SHAPES and step.static


def _follows(step: Step) -> bool:
    """Whether a step that reads nothing but fixed values gives a fixed one."""
    definition = step.op.definition
    computes = step.layer.kind is LayerKind.OPERATION and bool(step.sources)
    return step.constant or (computes and step.static and not definition.stateful and not definition.bodies)


def _is_aligned(layer: Layer, kind: ElementType) -> bool:
    """Whether a constant is a view of the weights: one that they do not align is copied."""
    offset = layer.data.get("offset", "0")
    return offset.isdecimal() and not int(offset) % kind.dtype.alignment


def _size(step: Step, fact: Fact) -> float | None:
    """The bytes that keeping an output takes: none for a view of the weights. None: nobody knows."""
    kind = fact.element_type
    if kind is DYNAMIC or kind is STRING or not fact.shape.static:
        return None
    if step.layer.is_constant and kind.name not in LAYOUTS and _is_aligned(step.layer, kind):
        return 0
    return fact.shape.size.low * kind.dtype.itemsize
