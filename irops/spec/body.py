"""A sub-graph as ops see it: something to apply to facts or arrays, with the maps that tie it to the op's
ports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

CURRENT_ITERATION, EXECUTION_CONDITION = "current_iteration", "execution_condition"
"""What a Parameter without a port takes, and a Result without a port gives."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How a tensor is cut into the parts of iterations, or joined from them. stride is not 0, part_size at
    least 1.

    start and end are the first and the last index along axis, both of them within; negative ones count from
    the end.
    """

    axis: int
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


@dataclass(frozen=True, slots=True)
class BodyInput:
    """What a Parameter of the body takes: the op's input number port; or, with port None, what purpose says.

    at: the byte offset of the entry of the port map, for the blame.
    """

    port: int | None
    parameter: int
    cut: Cut | None = None
    purpose: str | None = None
    at: int = -1


@dataclass(frozen=True, slots=True)
class BodyOutput:
    """What a Result of the body gives: the op's output number port; or, with port None, what purpose says."""

    port: int | None
    result: int
    cut: Cut | None = None
    purpose: str | None = None
    at: int = -1


@dataclass(frozen=True, slots=True)
class Feedback:
    """A back edge: what a Result gives in one iteration, a Parameter takes in the next."""

    result: int
    parameter: int
    at: int = -1


def _always() -> bool:
    return True


@dataclass(frozen=True)
class BodyFunction:
    """The body of a sub-graph op. Call it with one item per Parameter: Facts to infer, arrays to compute; an
    item per Result comes back.

    declared: what the Parameters themselves say, as Facts; promised: to compute, what inference says of the
        Results;
    iterations, tensor_bytes: how much a computation may take at most; patient: to infer, whether the body may
        be called more than
    once, which is bounded over the whole model.
    """

    apply: Callable[[Sequence[Any]], list[Any]]
    declared: tuple[Any, ...]
    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[Feedback, ...] = ()
    promised: tuple[Any, ...] = ()
    iterations: float = 1_000_000
    tensor_bytes: float = 8 << 30
    patient: Callable[[], bool] = _always

    def __call__(self, items: Sequence[Any]) -> list[Any]:
        return self.apply(items)
