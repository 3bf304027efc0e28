"""A cache of the most recently used values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class LruCache(Generic[T]):
    """At most `maxsize` values by key; the least recently used one is dropped first. Thread-safe."""

    def __init__(self, maxsize: int) -> None:
        self.maxsize = maxsize
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable) -> T | None:
        """The value of a key, or None if it is missing."""
        value = self._values.get(key)
        if value is not None:
            try:  # noqa: SIM105 - suppress would take longer than the look-up
                self._values.move_to_end(key)
            except KeyError:  # another thread dropped it just now
                pass
        return value

    def put(self, key: Hashable, value: T) -> None:
        """Store a value; drop the least recently used one if there are too many."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self.maxsize:
                self._values.popitem(last=False)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, created if it is missing."""
        value = self.find(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value

    def __len__(self) -> int:
        return len(self._values)
