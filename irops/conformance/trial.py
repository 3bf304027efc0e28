"""One test case: inputs in a memory layout and attributes, with the result expected by the definition."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from irops.analysis.invocation import Invocation, OpFault
from irops.diagnostics.diagnostic import Severity
from irops.runtime.memory import size_in_bytes
from irops.spec.binding import Function
from irops.spec.op import Op
from irops.values.arrays import fact_of, result_array
from irops.values.element import CODED, Array, element_type_of, tagged
from irops.values.violation import Violation, collect_warnings


class MemoryLayout(NamedTuple):
    """make: convert an array to the layout; statement: the same as Python code for x."""

    make: Callable[[Array], Array]
    statement: str


def _read_only(x: Array) -> Array:
    x = x.copy()
    x.flags.writeable = False
    return x


def _unaligned(x: Array) -> Array:
    return np.frombuffer(bytes(1) + x.tobytes(), x.dtype, offset=1).reshape(x.shape)


LAYOUTS = {
    "plain": MemoryLayout(lambda x: x.copy(), ""),
    "read-only": MemoryLayout(_read_only, "x.flags.writeable = False"),
    "fortran": MemoryLayout(lambda x: x.copy(order="F"), "x = x.copy(order='F')"),
    "stepped": MemoryLayout(
        lambda x: np.repeat(x, 2, axis=-1)[..., ::2], "x = np.repeat(x, 2, axis=-1)[..., ::2]"
    ),
    "backward": MemoryLayout(lambda x: x[..., ::-1].copy()[..., ::-1], "x = x[..., ::-1].copy()[..., ::-1]"),
    "unaligned": MemoryLayout(
        _unaligned, "x = np.frombuffer(bytes(1) + x.tobytes(), x.dtype, offset=1).reshape(x.shape)"
    ),
}
WRITEABLE = ("plain", "fortran", "stepped", "backward")
"""The layouts of arrays that can be written to."""


def in_layout(array: Array, layout: str) -> Array:
    """A new array of the same elements in a layout, or in the plain layout if the layout is impossible for
    the array, such as unaligned strings.
    """
    kind = element_type_of(array)
    bare = array.view(np.uint8) if kind.name in CODED else array  # NumPy drops the type tag
    return tagged(LAYOUTS[layout if fits(array, layout) else "plain"].make(bare), kind)


def fits(array: Array, layout: str) -> bool:
    """Whether the array can have the layout."""
    if layout in ("stepped", "backward"):
        return array.ndim > 0
    return layout != "unaligned" or (array.size > 0 and array.dtype != object)


@dataclass(frozen=True, slots=True)
class TrialInput:
    """An input: its elements and their memory layout."""

    array: Array
    layout: str = "plain"


@dataclass(frozen=True, slots=True)
class Trial:
    """Inputs in the order of the definition (None: omitted), and attributes as texts."""

    op: Op = field(repr=False)
    inputs: tuple[TrialInput | None, ...]
    attributes: Mapping[str, str]

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Print a trial in Hypothesis without the whole definition."""
        printer.text(f"Trial({self.op.id}, {self.inputs}, {dict(self.attributes)})")

    @property
    def arrays(self) -> list[Array | None]:
        """The inputs, each in its layout; new arrays at each call."""
        return [None if one is None else in_layout(one.array, one.layout) for one in self.inputs]

    @property
    def size(self) -> tuple[int, int, int]:
        """The size of a trial for comparisons: numbers of elements, of axes, and of layouts that are not
        plain.
        """
        present = [trial_input for trial_input in self.inputs if trial_input is not None]
        elements, axes = sum(g.array.size for g in present), sum(g.array.ndim for g in present)
        return elements, axes, sum(g.layout != "plain" for g in present)


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected outputs (None for an unspecified one), or the number of the violated constraint.

    reference_error: the error of the reference; if there is one, the expected result is unknown.
    """

    outputs: tuple[Array | None, ...] = ()
    violated: str | None = None
    tolerance: float | None = None
    reference_error: str = ""


LARGE = 1 << 27
"""Trials with more bytes of outputs are not run."""


class InvalidTrial(Exception):
    """Types, shapes or attributes alone make the case invalid, so that it would never reach a backend."""


def compute(kernel: Function, trial: Trial, arrays: Sequence[Array | None]) -> list[Array]:
    """Run a kernel on the inputs of a trial; return arrays of the inferred types.

    Raises:  InvalidTrial; whatever the kernel raises
    """
    invocation = _invocation(trial)
    try:
        facts = invocation.infer([None if a is None else fact_of(a) for a in arrays])
    except OpFault as fault:
        raise InvalidTrial(fault.message) from None
    results = invocation.compute(arrays, kernel=kernel)
    return [result_array(item, fact) for item, fact in zip(results, facts, strict=True)]


def _invocation(trial: Trial) -> Invocation:
    invocation = Invocation(trial.op, trial.attributes)
    if not invocation.usable or invocation.faults:
        raise InvalidTrial(str([fault.message for fault in invocation.faults]))
    return invocation


def expected_of(trial: Trial) -> Expected:
    """The result expected by the definition: inference with all values known, then the reference.

    Raises:  InvalidTrial
    """
    op, arrays = trial.op, trial.arrays
    assert op.functions.kernel is not None
    with collect_warnings() as warnings:
        violated = _violated_constraint(trial, arrays)
    if violated is not None:
        return Expected(violated=violated)
    try:
        outputs = compute(op.functions.kernel, trial, arrays)
    except Violation as violation:
        return Expected(violated=violation.constraint)
    except OpFault as fault:
        return Expected(violated=fault.constraint or fault.rule)
    except (InvalidTrial, MemoryError):
        raise
    except Exception as error:
        if not _errors(op, warnings):
            return Expected(reference_error=f"{type(error).__name__}: {error}")
    if _errors(op, warnings):
        raise InvalidTrial("inference reports an error that kernels need not detect")
    return Expected(tuple(outputs))


def _errors(op: Op, warnings: Sequence[Violation]) -> bool:
    return any(
        op.definition.constraints[warning.constraint].severity is Severity.ERROR for warning in warnings
    )


def _violated_constraint(trial: Trial, arrays: Sequence[Array | None]) -> str | None:
    """The constraint or rule that inference reports once it knows the values.

    Raises:  InvalidTrial for what it reports without the values, or if the outputs are too large
    """
    invocation = _invocation(trial)
    try:
        invocation.infer([None if a is None else fact_of(a) for a in arrays])
    except OpFault as fault:
        raise InvalidTrial(fault.message) from None
    try:
        with np.errstate(all="ignore"):
            facts = invocation.infer([None if a is None else fact_of(a, with_value=True) for a in arrays])
    except OpFault as fault:
        return fault.constraint or fault.rule
    if size_in_bytes(facts) > LARGE:
        raise InvalidTrial(f"{facts[0]} is too large")
    return None
