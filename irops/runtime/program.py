"""A plan as a run executes it: what is the same in each run is decided here, once.

A value has a slot, a position in a list. An action knows its slots, the keyword arguments of its kernel, and
the type and the shape that the result must have, so that a run only calls kernels and compares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irops.runtime.fixed import Kept
from irops.runtime.kept import ConstantKey
from irops.runtime.plan import Plan, Step, ValueKey
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.fact import Fact

KernelOf = Callable[[Op, Fact], Callable[..., Any]]
"""The kernel of an op whose first output has this Fact. Raises: OpFault where there is none"""
Values = list[Array | None]
"""The values of a run by slot; None where there is none, or none any more."""
ABSENT = 0
"""The slot of optional inputs that are left out: always None."""


class Action(NamedTuple):
    """One step of a program.

    function: the kernel, None where a run must decide more, and computes the step as it computes any;
    arguments: selects the inputs out of the values; dtype and shape: of the only output, None where there are
    several; slots: of the outputs; freed: what is not read any more; need: the bytes that the run holds when
    the outputs exist, as far as the plan knows; keeps: the outputs that the session keeps; overwrites: inputs
    that the function can write its result into, if nothing else refers to their arrays by then.
    """

    step: Step
    function: Callable[..., Any] | None
    arguments: Callable[[Values], Sequence[Array | None]]
    keywords: Mapping[str, Any]
    dtype: np.dtype[Any] | None
    shape: tuple[int, ...] | None
    slots: tuple[int, ...]
    freed: tuple[int, ...]
    need: float
    keeps: tuple[ConstantKey | None, ...] = ()
    overwrites: tuple[int, ...] = ()


class Output(NamedTuple):
    """A value that a run returns. is_copied: the session may keep the array, so the caller gets a copy."""

    key: ValueKey
    slot: int
    fact: Fact
    is_copied: bool


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The actions of a plan.

    kept: where values are kept for the next runs; values: at the start, with the kept ones in their slots;
    inputs: the slot, the layer's id and the Fact of each Parameter; sized: the slots of values whose size the
    plan does not know; is_final: whether all that is to be kept is, else the next run gets a shorter program.
    """

    plan: Plan
    kept: Kept | None
    values: tuple[Array | None, ...]
    inputs: tuple[tuple[int, int, Fact], ...]
    actions: tuple[Action, ...]
    outputs: tuple[Output, ...]
    sized: frozenset[int]
    is_final: bool
