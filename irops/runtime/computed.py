"""A layer as a run computed it, for those who watch or change a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from irops.runtime.plan import Step
from irops.values.element import Array

Arrays: TypeAlias = Sequence[Array | None]


@dataclass(slots=True)
class Computed:
    """A layer with the arrays that it was computed from and those that it gave.

    inputs: what depends on constants alone may be wider than the layer's types, see irops.runtime.precision;
    outputs: the run continues with these arrays, so a watcher may replace some;
    again: what the layer gives for other inputs, with the same kernel; raises what kernels raise.
    """

    step: Step
    inputs: Arrays
    outputs: list[Array]
    again: Callable[[Arrays], tuple[Any, ...]]


Observer: TypeAlias = Callable[[Computed], None]
"""Called for every layer of a run once it is computed, those of bodies included, at each iteration."""
