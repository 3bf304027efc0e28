"""A body as a function of facts or arrays, with the maps that connect it to the ports of its op."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

CURRENT_ITERATION, EXECUTION_CONDITION = "current_iteration", "execution_condition"
"""The purposes of a Parameter without a port, and of a Result without a port."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How a tensor is sliced into the parts of iterations, or concatenated from them.

    start and end are the first and the last index along axis, both inclusive; negative ones count from the
    end. stride is not 0, part_size at least 1.
    """

    axis: int
    start: int = 0
    end: int = -1
    stride: int = 1
    part_size: int = 1


@dataclass(frozen=True, slots=True)
class BodyInput:
    """The value of a Parameter of the body: input number port of the op, or with port None, that of purpose.

    at: the byte offset of the entry of the port map, to locate violations.
    """

    port: int | None
    parameter: int
    cut: Cut | None = None
    purpose: str | None = None
    at: int = -1


@dataclass(frozen=True, slots=True)
class BodyOutput:
    """The use of a Result of the body: output number port of the op, or with port None, that of purpose."""

    port: int | None
    result: int
    cut: Cut | None = None
    purpose: str | None = None
    at: int = -1


@dataclass(frozen=True, slots=True)
class Feedback:
    """A back edge: the value of a Result in one iteration is that of a Parameter in the next."""

    result: int
    parameter: int
    at: int = -1


@dataclass(frozen=True)
class BodyFunction:
    """The body of a sub-graph op: maps one item per Parameter to one item per Result.

    Items are Facts during inference and arrays during evaluation. declared: the Facts that the Parameters
    declare; result_facts: during evaluation, the inferred Facts of the Results; iterations, tensor_bytes: the
    limits of an evaluation; may_repeat: during inference, whether the body may be called again, which is
    limited for the whole model.
    """

    apply: Callable[[Sequence[Any]], list[Any]]
    declared: tuple[Any, ...]
    inputs: tuple[BodyInput, ...]
    outputs: tuple[BodyOutput, ...]
    back_edges: tuple[Feedback, ...] = ()
    result_facts: tuple[Any, ...] = ()
    iterations: float = 1_000_000  # as in Limits, which this package does not import
    tensor_bytes: float = 8 << 30
    may_repeat: Callable[[], bool] = lambda: True

    def __call__(self, items: Sequence[Any]) -> list[Any]:
        return self.apply(items)
