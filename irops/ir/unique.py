"""Unique names."""

from __future__ import annotations

from collections.abc import Iterable


class UniqueNames:
    """Names in use. A new name that equals one of them gets a mark and a number: x, x#1, x#2.

    Takes constant time on average, however many equal names there are: the next number of each is kept.
    """

    __slots__ = ("_mark", "_next", "_used")

    def __init__(self, used: Iterable[str] = (), mark: str = "#") -> None:
        self._used, self._mark = set(used), mark
        self._next: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._used

    def update(self, names: Iterable[str]) -> None:
        self._used.update(names)

    def discard(self, name: str) -> None:
        """Let a name be given once more."""
        self._used.discard(name)

    def unique(self, name: str) -> str:
        """The name, with a number appended if it is in use; the result is in use from now on."""
        candidate = name
        while candidate in self._used:
            count = self._next[name] = self._next.get(name, 0) + 1
            candidate = f"{name}{self._mark}{count}"
        self._used.add(candidate)
        return candidate
