"""A sub-graph as ops see it: something to apply to facts or arrays, with the maps that tie it to the op's ports."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cut:
    """How a tensor is cut into the parts of iterations, or joined from them."""

    axis: int
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


@dataclass(frozen=True, slots=True)
class BodyInput:
    """What a Parameter of the body takes: the op's input number port; or, with port None, what purpose says."""

    port: int | None
    parameter: int
    cut: Cut | None = None
    purpose: str | None = None


@dataclass(frozen=True, slots=True)
class BodyOutput:
    """What a Result of the body gives: the op's output number port; or, with port None, what purpose says."""

    port: int | None
    result: int
    cut: Cut | None = None
    purpose: str | None = None


@dataclass(frozen=True)
class BodyFunction:
    """The body of a sub-graph op. Call it with one item per Parameter: Facts to infer, arrays to compute; an item per Result comes back.

    declared: what the Parameters themselves say, as Facts; back_edges: from a Result's number to a Parameter's;
    iterations: how many a computation may take at most.
    """

    apply: Callable[[Sequence[Any]], list[Any]]
    declared: tuple[Any, ...]
    results: int
    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[tuple[int, int], ...] = ()
    iterations: int = 1_000_000

    def __call__(self, items: Sequence[Any]) -> list[Any]:
        return self.apply(items)
