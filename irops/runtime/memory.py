"""The memory of results: used again as soon as no array refers to it, or kept from run to run.

Fresh memory costs a page fault for every 4 KB, which for an op that only moves elements is as much as its own
work. NumPy keeps small blocks itself.
"""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable, Mapping
from math import prod
from threading import Lock
from typing import Any
from weakref import ref

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


MIN_BYTES = 1 << 20
"""Smaller arrays get memory of their own."""
ALIGNMENT = 64
"""The start of an array in bytes: a cache line."""
MAX_WASTE = 2
"""A block serves arrays of at least its size divided by this."""


class _Block(np.ndarray[Any, np.dtype[np.uint8]]):
    """Memory of an arena. It is a type of its own, since NumPy makes an array that lies in another one of its
    type a view of that one, and lets views of the array refer to that one alone.
    """

    start: int
    """Where arrays begin in it."""


class _Lease(ref[Array]):
    """The block that an array uses, and its size."""

    block: _Block
    size: int


class Arena:
    """Blocks of memory. An array that lies in a block, and every view of it, keeps the block from being used
    again: so nobody sees an array change, whoever holds it and however long. Threads may share an arena.

    limit: the largest number of bytes that are kept for later; together with the arrays in use, they never
    exceed what arrays used at one time.
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.free_bytes = self.used_bytes = self.peak_bytes = 0
        self._free: list[tuple[int, int, _Block]] = []
        self._leases: dict[int, _Lease] = {}
        self._ended: deque[_Lease] = deque()  # filled by destructors, in any thread and without a lock
        self._count = 0
        self._lock = Lock()

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Array:
        """An array with any content. size: its bytes"""
        with self._lock:
            self._take_back()
            block = self._block(size)
            made: Array = np.ndarray(shape, dtype, block, block.start)
            lease = _Lease(made, self._ended.append)
            lease.block, lease.size = block, block.nbytes
            self._leases[id(lease)] = lease
            self.used_bytes += lease.size
            self.peak_bytes = max(self.peak_bytes, self.used_bytes)
        return made

    def _take_back(self) -> None:
        """Collect the blocks that no array uses any more."""
        while self._ended:
            lease = self._ended.popleft()
            del self._leases[id(lease)]
            self.used_bytes -= lease.size
            if self.free_bytes + lease.size <= self.limit:
                self._count += 1
                insort(self._free, (lease.size, self._count, lease.block))
                self.free_bytes += lease.size

    def _block(self, size: int) -> _Block:
        """A free block that is large enough, or a new one."""
        wanted = size + ALIGNMENT
        place = bisect_left(self._free, (wanted, 0))
        if place < len(self._free) and self._free[place][0] <= MAX_WASTE * wanted:
            self.free_bytes -= self._free[place][0]
            return self._free.pop(place)[2]
        while self._free and self.used_bytes + self.free_bytes + wanted > self.peak_bytes:
            self.free_bytes -= self._free.pop()[0]
        block = _Block((wanted,), np.uint8)
        block.start = -block.ctypes.data % ALIGNMENT
        return block


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
