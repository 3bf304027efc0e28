"""What is expensive to make, kept for the next time: a few of the latest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """Values by key, at most so many; what was not asked for the longest time goes first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made where there is none."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
                return found
        made = make()
        with self._lock:
            self._values[key] = made
            while len(self._values) > self.most:
                self._values.popitem(last=False)
        return made

    def __len__(self) -> int:
        return len(self._values)
