"""One case to hold a backend to: inputs in a layout, attributes; and what the definition says of it."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irops.conformance.layouts import laid_out
from irops.evaluate.arrays import fact_of, result_array
from irops.inference.bind import bind
from irops.inference.layer import LayerFault, infer_layer, named_inputs, positional, taken, with_normal_axes
from irops.registry import Op
from irops.spec.binding import Function
from irops.values.element import Array
from irops.values.violation import Violation


@dataclass(frozen=True, slots=True)
class Given:
    """An input: its elements, and how they lie in memory."""

    array: Array
    layout: str = "plain"


@dataclass(frozen=True, slots=True)
class Trial:
    """Inputs in the order of the definition (None: left out), and the texts of attributes."""

    op: Op = field(repr=False)
    inputs: tuple[Given | None, ...]
    attributes: Mapping[str, str]

    @property
    def arrays(self) -> list[Array | None]:
        """The inputs, each in its layout; new ones at each call."""
        return [None if given is None else laid_out(given.array, given.layout) for given in self.inputs]

    @property
    def size(self) -> tuple[int, int, int]:
        """What makes a trial small: few elements, few axes, plain layouts."""
        present = [given for given in self.inputs if given is not None]
        return (sum(g.array.size for g in present), sum(g.array.ndim for g in present), sum(g.layout != "plain" for g in present))


@dataclass(frozen=True, slots=True)
class Truth:
    """What must come out (None for an output that is not said), or the number of the constraint that is broken.

    unknown: how the reference itself fails, where it does, so that nothing can be said.
    """

    outputs: tuple[Array | None, ...] = ()
    broken: str | None = None
    tolerance: float | None = None
    unknown: str = ""


class NoTrial(Exception):
    """The definition forbids the case by types, shapes or attributes alone: no backend would ever get it."""


def compute(kernel: Function, trial: Trial, arrays: Sequence[Array | None]) -> list[Array]:
    """What a kernel gives for a trial's inputs, as arrays of the inferred types.

    Raises:  NoTrial; whatever the kernel raises
    """
    op = trial.op
    bound = bind(op, dict(trial.attributes))
    if not bound.usable or bound.faults:
        raise NoTrial(str([fault.message for fault in bound.faults]))
    try:
        facts = infer_layer(op, [None if a is None else fact_of(a) for a in arrays], bound.values)
    except LayerFault as fault:
        raise NoTrial(fault.message) from None
    attributes = with_normal_axes(op, arrays, bound.values)
    with np.errstate(all="ignore"):
        result = kernel(*positional(op, named_inputs(op, arrays)), **taken(op, "kernel", attributes, {}))
    results: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)
    return [result_array(item, fact) for item, fact in zip(results, facts, strict=True)]


def truth_of(trial: Trial) -> Truth:
    """What the definition says: inferred with all values known, then computed by the reference.

    Raises:  NoTrial
    """
    op, arrays = trial.op, trial.arrays
    assert op.functions.kernel is not None
    try:
        outputs = compute(op.functions.kernel, trial, arrays)
        with np.errstate(all="ignore"):
            infer_layer(op, [None if a is None else fact_of(a, with_value=True) for a in arrays], bind(op, dict(trial.attributes)).values)
    except Violation as violation:
        return Truth(broken=violation.constraint)
    except LayerFault as fault:
        return Truth(broken=fault.constraint or fault.rule)
    except (NoTrial, MemoryError):
        raise
    except Exception as error:
        return Truth(unknown=f"{type(error).__name__}: {error}")
    return Truth(tuple(outputs))
