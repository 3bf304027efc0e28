"""Test cases of kernels: trials with inputs in a memory layout, and the cases of definitions as trials."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from irops.analysis.invocation import FAULTS, Invocation, OpFault, fault_of
from irops.backends.backend import Reference
from irops.backends.one_op import MOVING
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, Severity, errors_of
from irops.dialects import dialect_of
from irops.dialects.registry import Registry
from irops.ir.model import Layer, Model
from irops.ir.read import loads
from irops.ir.weights import Weights
from irops.runtime.evaluator import failed_kernel
from irops.runtime.session import Session
from irops.spec.binding import Function
from irops.spec.definition import OPENVINO, ExampleCase, Tensor
from irops.spec.extension import BY_FILE
from irops.spec.load import counterexamples, examples, undefined_citations
from irops.spec.op import Op
from irops.spec.releases import PACKAGE, schemas_folder
from irops.values.arrays import fact_of, result_array
from irops.values.element import CODED, Array, codes, element_type_of, tagged, zeros
from irops.values.fact import Fact, size_in_bytes
from irops.values.packing import pack
from irops.values.violation import Violation, collect_warnings
from irops.verdicts.metrics import difference


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
        return [None if item is None else in_layout(item.array, item.layout) for item in self.inputs]

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


# The examples and counterexamples of definitions: run, and as trials for a kernel.


def outcome(op: Op, case: ExampleCase) -> tuple[list[Array], list[Diagnostic]]:
    """The outputs of a case by the reference, none if values of inputs are unknown; and the diagnostics."""
    diagnostics: list[Diagnostic] = []
    outputs: list[Array] = []
    place = Location(op.definition.path)
    if case.net is not None:
        return _run_net(op, case, diagnostics), diagnostics
    try:
        with collect_warnings() as warnings:
            outputs = _run_op(op, case)
        diagnostics.extend(fault_of(op, warning).diagnostic(op, place) for warning in warnings)
    except FAULTS as fault:
        diagnostics.append(fault_of(op, fault).diagnostic(op, place))
    except Exception as error:
        diagnostics.append(failed_kernel(op, Reference(), error).diagnostic(op, place))
    return outputs, diagnostics


def _run_op(op: Op, case: ExampleCase) -> list[Array]:
    invocation = Invocation(op, case.attributes)
    for fault in invocation.faults:
        raise OpFault(fault.rule, fault.message)
    tensors = inputs_of(op, case)
    facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in tensors]
    inferred = invocation.infer(facts)
    if op.functions.kernel is None or any(t is not None and t.value is None for t in tensors):
        return []
    arrays = [None if t is None else t.value for t in tensors]
    results = invocation.compute(arrays)
    outputs = [result_array(result, fact) for result, fact in zip(results, inferred)]
    for array, fact in zip(outputs, inferred):
        if not fact.admits(array):
            raise OpFault("incorrect-kernel-result", f"{op.id} gives {fact_of(array)}, inferred is {fact}")
    return outputs


def inputs_of(op: Op, case: ExampleCase) -> list[Tensor | None]:
    """The tensors of a case in the order of the op's inputs: None for an omitted input, and all tensors of
    the name for a variadic one.
    """
    tensors: list[Tensor | None] = []
    for port in op.definition.inputs:
        named = [t for t in case.tensors if not t.output and t.name == port.name]
        tensors.extend(named or ([] if port.variadic else [None]))
    while tensors and tensors[-1] is None:
        tensors.pop()
    return tensors


def expected_outputs(op: Op, case: ExampleCase) -> list[Tensor]:
    """The expected outputs of an example: tensors named like outputs, or marked as outputs."""
    names = [p.name for p in op.definition.outputs]
    inputs = {p.name for p in op.definition.inputs}
    return [t for t in case.tensors if t.output or (t.name in names and t.name not in inputs)]


def net_of(op: Op, case: ExampleCase) -> Model:
    """The model of a case, of the dialect of its op; tensors named like its constants give their values."""
    assert case.net is not None
    model = loads(case.net, b"")[0]
    model.dialect = op.definition.dialect
    for _, layer in model.walk():
        layer.own_kind = dialect_of(model).layer_kind(layer.type)
    values = {t.name: t.value for t in case.tensors if not t.output}
    image = bytearray()
    for layer in _constants(model):
        value = values.get(layer.name)
        if value is not None:
            raw, offset = pack(value, element_type_of(value)), int(layer.data["offset"])
            image.extend(bytes(max(offset + len(raw) - len(image), 0)))
            image[offset : offset + len(raw)] = raw
    model.weights = Weights.of_bytes(bytes(image))
    return model


def _constants(model: Model) -> list[Layer]:
    return [layer for _, layer in model.walk() if layer.is_constant]


def _run_net(op: Op, case: ExampleCase, diagnostics: list[Diagnostic]) -> list[Array]:
    """The results of a case's model, in order; several tensors of one input are used in successive runs."""
    try:
        session = Session(net_of(op, case), registry=registry_of(op))
        diagnostics.extend(session.check())
        if errors_of(diagnostics):
            return []
        results: list[Array] = []
        for inputs in _runs(case, {layer.name for layer in _constants(session.model)}):
            results.extend(session.run(inputs).values())
        return results
    except DiagnosticError as error:
        diagnostics.extend(error.diagnostics)
        return []


def _runs(case: ExampleCase, constants: Collection[str]) -> Iterator[dict[str, Array | None]]:
    runs: dict[str, list[Array | None]] = {}
    for tensor in case.tensors:
        if not tensor.output and tensor.name not in constants:
            runs.setdefault(tensor.name, []).append(tensor.value)
    for turn in range(max((len(v) for v in runs.values()), default=1)):
        yield {name: values[min(turn, len(values) - 1)] for name, values in runs.items()}


def case_fault(op: Op, case: ExampleCase) -> str:
    """Why a case is not as it says, or "": an example gives its outputs, a counterexample is reported."""
    outputs, diagnostics = outcome(op, case)
    reported = {d.constraint or d.code: f"{d.constraint or d.code} ({d.message})" for d in diagnostics}
    if case.violates is not None:
        code = case.violates if case.violates.startswith("IR") else f"{op.id}:{case.violates}"
        instead = "; ".join(reported.values()) or "nothing"
        return "" if code in reported else f"violates {instead}, must violate {code}"
    if errors := errors_of(diagnostics) or (() if outputs else diagnostics):
        return f"{errors[0].code} {errors[0].message}"
    expected, facts = expected_outputs(op, case), tuple(map(fact_of, outputs))
    if not outputs and case.net is None:  # values of inputs are unknown, or only a library has a kernel
        given = (None if t is None else Fact(t.element_type, t.shape, t.value) for t in inputs_of(op, case))
        facts = Invocation(op, case.attributes).infer([*given])
    ours = ", ".join(map(str, facts))
    stated = ", ".join(str(Fact(tensor.element_type, tensor.shape)) for tensor in expected)
    if ours != stated:
        return f"gives {ours or 'nothing'}, must give {stated or 'nothing'}"
    pairs = ((array, tensor.value) for array, tensor in zip(outputs, expected) if tensor.value is not None)
    reasons = (mismatch(op, array, value, case.tolerance) for array, value in pairs)
    return next(filter(None, reasons), "")


# Definitions that are not of irops, whose tests run the cases of its own.


def is_own(op: Op) -> bool:
    """Whether a definition is one of irops."""
    path = Path(op.definition.path).resolve()
    return path.is_relative_to(schemas_folder()) or path.is_relative_to(PACKAGE)


def registry_of(op: Op) -> Registry | None:
    """The registry of the folder of a custom op; None for ops of irops and of other dialects."""
    if is_own(op) or op.definition.dialect != OPENVINO:
        return None
    modules = () if op.module.startswith(BY_FILE) else (op.module,)
    return Registry(Path(op.definition.path).parent, modules, plugins=False)


def faults(op: Op) -> Iterator[tuple[str, str]]:
    """The cases of a definition that are not as they say, by name, and citations of missing constraints."""
    for constraint in undefined_citations(op.definition, op.functions):
        yield constraint, "a function cites it, but the definition does not have it"
    cases = [DefinitionCase(op, "example", case) for case in examples(op.definition)]
    cases += [DefinitionCase(op, "counterexample", case) for case in counterexamples(op.definition)]
    yield from ((case.name, reason) for case in cases if (reason := case_fault(op, case.case)))


def mismatch(op: Op, ours: Array, expected: Array, tolerance: float | None = None) -> str:
    """The difference between an output and the expected one, or ''.

    tolerance: relative and absolute, from an example; None: that of the element type.
    """
    element_type, expected_type = element_type_of(ours), element_type_of(expected)
    if ours.shape != expected.shape:
        return f"shape {list(ours.shape)}, must be {list(expected.shape)}"
    if element_type is not expected_type:
        return f"element type {element_type}, must be {expected_type}"
    if op.definition.category in MOVING or not element_type.floating:
        differing = codes(ours) != codes(expected)
        return _description(ours, expected, differing) if differing.any() else ""
    if tolerance is None:
        return difference(ours, expected)
    wide, wide_expected = ours.astype(np.float64), expected.astype(np.float64)
    differing = ~np.isclose(wide, wide_expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    return _description(ours, expected, differing) if differing.any() else ""


def _description(ours: Array, expected: Array, differing: npt.NDArray[np.bool_]) -> str:
    place = tuple(int(i) for i in np.argwhere(differing)[0])
    got, expected_element = ours[place], expected[place]
    bits = ""
    if str(got) == str(expected_element):
        bits = f" (bits {_bits(ours, place):#x} and {_bits(expected, place):#x})"
    differ = f"{int(np.count_nonzero(differing))} of {ours.size} elements differ"
    return f"{differ}, the first at {list(place)}: {got}, must be {expected_element}{bits}"


def _bits(array: Array, place: tuple[int, ...]) -> int:
    return int.from_bytes(codes(array)[place].tobytes(), "little")


MAX_SHOWN_SIZE = 1 << 20
"""Largest number of elements for which a tensor without a value is allocated."""


@dataclass(frozen=True, slots=True)
class DefinitionCase:
    """An example or a counterexample of a definition that a kernel can be tested with.

    kind: example or counterexample
    """

    op: Op
    kind: str
    case: ExampleCase

    @property
    def name(self) -> str:
        """The kind, the name if it has one, and the line in the definition."""
        case = self.case
        kind = "example" if case.violates is None else f"counterexample of {case.violates}"
        return f"{kind}{f' {case.name!r}' if case.name else ''}, line {case.line}"

    @property
    def trial(self) -> Trial:
        """Its inputs and attributes; tensors without a value are zeros."""
        tensors = inputs_of(self.op, self.case)
        inputs = tuple(None if tensor is None else TrialInput(_value(tensor)) for tensor in tensors)
        return Trial(self.op, inputs, self.case.attributes)

    def expected(self, trial: Trial) -> Expected:
        """The expected behaviour of a kernel: the outputs in the definition, or what the reference does.

        Raises:  InvalidTrial for a counterexample that types and shapes alone reveal
        """
        if self.kind == "counterexample":
            return expected_of(trial)
        values = tuple(tensor.value for tensor in expected_outputs(self.op, self.case))
        return Expected(values, None, self.case.tolerance)


def definition_cases(op: Op) -> Iterator[DefinitionCase]:
    """Examples with their outputs, and counterexamples.

    A counterexample of a warning must be computed.
    """
    for case in examples(op.definition):
        if case.net is None and all(t is None or t.value is not None for t in inputs_of(op, case)):
            yield DefinitionCase(op, "example", case)
    for case in counterexamples(op.definition):
        if case.net is None and all(t is None or _can_allocate(t) for t in inputs_of(op, case)):
            yield DefinitionCase(op, "counterexample", case)


def _can_allocate(tensor: Tensor) -> bool:
    """Whether a tensor has a value or can be filled with zeros; some counterexamples have huge shapes."""
    return tensor.value is not None or (tensor.shape.static and tensor.shape.size.high <= MAX_SHOWN_SIZE)


def _value(tensor: Tensor) -> Array:
    return zeros(tensor.shape.to_tuple(), tensor.element_type) if tensor.value is None else tensor.value
