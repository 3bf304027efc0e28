"""The memory of results: how much of it a run may hold, and what of it is kept from run to run."""

from collections.abc import Iterable, Mapping
from math import prod
from threading import Lock

import numpy as np

from irops.analysis.invocation import OpFault
from irops.files.limits import Limits
from irops.spec.op import Op
from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.shape import MAX_AXES, MAX_DIM
from irops.values.violation import LimitExceeded


def check_possible(op: Op, outputs: Iterable[Fact]) -> None:
    """Require that arrays can have the shapes of an op's outputs. Raises: OpFault"""
    for fact in outputs:
        dims = fact.shape.dims or ()
        if len(dims) > MAX_AXES:
            message = f"{op.id} gives a tensor of {len(dims)} axes; arrays have {MAX_AXES} at most"
            raise OpFault("unsupported-array", message)
        elements = prod(max(dim.low, 1) for dim in dims)
        if fact.element_type is not DYNAMIC and elements * fact.element_type.dtype.itemsize > MAX_DIM:
            raise OpFault("unsupported-array", f"{op.id} gives {fact}; no array has such sizes")


def require_room(in_use: float, wanted: float, limits: Limits) -> None:
    """Require that further bytes are within the limit on tensors. Raises: LimitExceeded"""
    if in_use + wanted > limits.tensor_bytes:
        message = f"would hold {in_use + wanted:,.0f} bytes, {limits.message('tensor_bytes')}"
        raise LimitExceeded("memory-limit", message)


def size_in_bytes(facts: Iterable[Fact]) -> float:
    """How many bytes tensors of these facts take in memory, where their sizes are known."""
    sized = (fact for fact in facts if fact.element_type is not DYNAMIC)
    return sum(fact.shape.size.low * max(fact.element_type.dtype.itemsize, 1) for fact in sized)


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
