"""What one model may take of memory and time. Files from anywhere are read within these bounds; real networks
never meet them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from math import inf
from time import monotonic
from typing import Any

OF_RULES = {
    "oversized-file": "xml_bytes",
    "nesting-too-deep": "depth",
    "too-many-elements": "elements",
    "too-many-attributes": "attributes",
    "too-many-layers": "layers",
    "too-many-dimensions": "dims",
    "too-many-findings": "findings",
    "folding-limit": "folded_bytes",
    "memory-limit": "tensor_bytes",
    "iteration-limit": "iterations",
    "checking-time-limit": "seconds",
    "evaluation-time-limit": "run_seconds",
}
"""Which limit a rule is about."""
DEEPEST = 1000
"""Deeper, the calls that follow the elements into each other would outgrow the stack."""
FRAMES = 12
"""How many calls each level of nested elements may take, in Python's count."""


def _limit(default: float, what: str) -> Any:
    return field(default=default, metadata={"what": what})


@dataclass(frozen=True, slots=True)
class Limits:
    """What one model may take; Limits.described() says what each number counts. inf is no limit.

    Raises:  ValueError for a number that cannot be a limit
    """

    xml_bytes: float = _limit(256 << 20, "bytes of the .xml file")
    depth: float = _limit(180, f"elements of the .xml file within each other, {DEEPEST} at most")
    elements: float = _limit(5_000_000, "elements of the .xml file, not counting <dim>")
    attributes: float = _limit(1000, "attributes of one element")
    layers: float = _limit(1_000_000, "layers, those of bodies included")
    dims: float = _limit(1000, "dimensions of one tensor")
    findings: float = _limit(1000, "findings that are told")
    folded_elements: float = _limit(
        1 << 16, "elements of a value that inference works out; larger ones stay unknown, which is no fault"
    )
    folded_bytes: float = _limit(64 << 20, "bytes of all values that inference works out")
    repeats: float = _limit(
        500, "times that bodies are inferred anew; beyond, sizes stay unknown, which is no fault"
    )
    tensor_bytes: float = _limit(8 << 30, "bytes of all tensors that an evaluation holds at one time")
    iterations: float = _limit(1_000_000, "iterations of one loop")
    seconds: float = _limit(600, "seconds to read, infer and check")
    run_seconds: float = _limit(86_400, "seconds to evaluate")

    def __post_init__(self) -> None:
        for name in self.described():
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not value > 0:
                raise ValueError(f"the limit {name} is {value!r}, must be a number above 0")
        if self.depth > DEEPEST:
            raise ValueError(f"the limit depth is {self.depth}, must be {DEEPEST} at most")

    @classmethod
    def described(cls) -> dict[str, str]:
        """What each limit counts, by name."""
        return {one.name: one.metadata["what"] for one in fields(cls)}

    def said(self, name: str) -> str:
        """A limit as messages end: the limit is 180 (depth)."""
        return f"the limit is {getattr(self, name):,} ({name})"


def notes(rule: str) -> tuple[str, ...]:
    """How to raise the limit that a rule is about, for the notes of a finding; none where it is about no
    limit.
    """
    name = OF_RULES.get(rule)
    how = (
        f"to raise the limit: --limit {name}=N, irops.Limits({name}=N), or {name} = N under [limits] in"
        " irops.toml"
    )
    return () if name is None else (how,)


class Clock:
    """The time that is left. struck: whether anyone was told that it is up."""

    __slots__ = ("_end", "struck")

    def __init__(self, seconds: float = inf) -> None:
        self._end, self.struck = monotonic() + seconds, False

    @property
    def late(self) -> bool:
        self.struck = self.struck or monotonic() > self._end
        return self.struck


@contextmanager
def room_for(depth: float) -> Iterator[None]:
    """Lets calls lie deep enough within each other for elements that do."""
    before, wanted = sys.getrecursionlimit(), int(depth) * FRAMES
    if wanted <= before:
        yield
        return
    sys.setrecursionlimit(wanted)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
