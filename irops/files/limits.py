"""Limits on the memory and time that one model may use. Real networks stay far below the defaults."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import cache
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from irops.environment import ProcessSetting

CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
LIMIT_OF_RULE = {
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
"""The limit that each rule reports."""
MAX_DEPTH = 1000
"""The greatest limit on depth: deeper nesting would overflow the stack of recursive functions."""
FRAMES_PER_LEVEL = 12
"""The number of Python frames that recursive functions need per level of nested elements."""


_RECURSION_LIMIT = ProcessSetting(sys.getrecursionlimit, sys.setrecursionlimit)


def _limit(default: float, what: str) -> Any:
    return field(default=default, metadata={"what": what})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one model. inf means unlimited; Limits.described() says what each limit counts.

    Raises:  ValueError for a value that is not a valid limit
    """

    xml_bytes: float = _limit(256 << 20, "bytes of the .xml file")
    depth: float = _limit(180, f"nesting depth of elements of the .xml file, at most {MAX_DEPTH}")
    elements: float = _limit(5_000_000, "elements of the .xml file, not counting <dim>")
    attributes: float = _limit(1000, "attributes of one element")
    layers: float = _limit(1_000_000, "layers, including those of bodies")
    dims: float = _limit(1000, "dimensions of one tensor")
    findings: float = _limit(1000, "reported findings")
    folded_elements: float = _limit(
        1 << 16, "elements of a value that inference computes; larger values stay unknown, without an error"
    )
    folded_bytes: float = _limit(64 << 20, "bytes of all values that inference computes")
    repeats: float = _limit(
        500, "repeated inferences of bodies; beyond that, sizes stay unknown, without an error"
    )
    tensor_bytes: float = _limit(8 << 30, "bytes of all tensors in memory at one time during evaluation")
    process_bytes: float = _limit(
        0.75,
        "bytes of memory of a process that computes for `irops compare` or `irops reduce`, mapped files"
        " apart; up to 1: a share of the machine's memory",
    )
    constant_bytes: float = _limit(
        1 << 30,
        "bytes of results of constants that a session keeps; without an error, each run computes the rest",
    )
    iterations: float = _limit(1_000_000, "iterations of all loops of one run, nested ones included")
    seconds: float = _limit(600, "seconds to read, infer and check")
    run_seconds: float = _limit(86_400, "seconds to evaluate")
    remote_seconds: float = _limit(60, "seconds for one request to the server of a remote file")

    def __post_init__(self) -> None:
        for name in self.described():
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not value > 0:
                raise ValueError(f"the limit {name} is {value!r}, must be a number above 0")
            if 1 << 63 < value < inf:
                raise ValueError(f"the limit {name} is above 2**63, must be 2**63 or less, or inf")
        if self.depth > MAX_DEPTH:
            raise ValueError(f"the limit depth is {self.depth}, must be at most {MAX_DEPTH}")

    @property
    def process_memory(self) -> float:
        """The limit process_bytes in bytes."""
        return self.process_bytes if self.process_bytes > 1 else self.process_bytes * machine_bytes()

    @classmethod
    def described(cls) -> dict[str, str]:
        """The description of each limit, by name."""
        return {one.name: one.metadata["what"] for one in fields(cls)}

    def message(self, name: str) -> str:
        """The end of a message about a limit: the limit is 180 (depth)."""
        return f"the limit is {getattr(self, name):,} ({name})"


def notes(rule: str) -> tuple[str, ...]:
    """A note on how to raise the limit that a rule reports; none if the rule is not about a limit."""
    name = LIMIT_OF_RULE.get(rule)
    in_file = f"{name} = N under [limits] in irops.toml"
    note = f"to raise the limit: --limit {name}=N, irops.Limits({name}=N), or {in_file}"
    return () if name is None else (note,)


class Clock:
    """A time limit. end: the time, as time.monotonic counts; expired_before: whether an earlier check found
    it expired.
    """

    __slots__ = ("end", "expired_before")

    def __init__(self, seconds: float = inf) -> None:
        self.end, self.expired_before = monotonic() + seconds, False

    @property
    def expired(self) -> bool:
        """Whether the time is up; checks the time and remembers the result."""
        self.expired_before = self.expired_before or monotonic() > self.end
        return self.expired_before


@contextmanager
def recursion_limit_for(depth: float) -> Iterator[None]:
    """Raise Python's recursion limit during the block so that recursive functions reach a nesting depth.

    Threads may use this at the same time: the limit stays raised until the last of them is done.
    """
    required = int(depth) * FRAMES_PER_LEVEL
    with _RECURSION_LIMIT.changed(lambda current: max(current, required)):
        yield


@cache
def machine_bytes() -> float:
    """The memory of the machine, or of the container if it has less; inf where that is unknown."""
    found = [inf]
    with suppress(AttributeError, ValueError, OSError):  # Windows has no sysconf, other systems no such name
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in CGROUP_LIMITS:
        try:
            found.append(int(Path(file).read_text()))
        except (OSError, ValueError):  # there is no such file, or it says max
            continue
    return min(size for size in found if size > 0)
