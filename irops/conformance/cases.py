"""The examples and counterexamples of definitions: run, and as trials for a kernel."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from irops.analysis.invocation import Invocation, OpFault, fault_of
from irops.backends.backend import Backend, Reference
from irops.conformance.trial import Expected, Trial, TrialInput, expected_of
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location, Severity, errors_of
from irops.dialects import dialect_of
from irops.ir.model import Layer, Model
from irops.ir.read import loads
from irops.ir.weights import Weights
from irops.runtime.session import Session
from irops.spec.definition import ExampleCase, Tensor
from irops.spec.load import counterexamples, examples
from irops.spec.op import Op
from irops.values.arrays import fact_of, result_array
from irops.values.element import Array, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.packing import pack
from irops.values.violation import Violation, collect_warnings
from irops.verdicts.metrics import difference


def outcome(
    op: Op, case: ExampleCase, backend: Backend | None = None
) -> tuple[list[Array], list[Diagnostic]]:
    """Run a case. Return the outputs (none if input values are unknown) and the diagnostics."""
    diagnostics: list[Diagnostic] = []
    outputs: list[Array] = []
    place = Location(op.definition.path)
    if case.net is not None:
        return _run_net(op, case, diagnostics), diagnostics
    try:
        with collect_warnings() as warnings:
            outputs = _run_op(op, case, backend or Reference())
        diagnostics.extend(fault_of(op, warning).diagnostic(op, place) for warning in warnings)
    except Violation as violation:
        diagnostics.append(fault_of(op, violation).diagnostic(op, place))
    except OpFault as fault:
        diagnostics.append(fault.diagnostic(op, place))
    return outputs, diagnostics


def _run_op(op: Op, case: ExampleCase, backend: Backend) -> list[Array]:
    invocation = Invocation(op, case.attributes)
    for fault in invocation.faults:
        raise OpFault(fault.rule, fault.message)
    tensors = inputs_of(op, case)
    facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in tensors]
    inferred = invocation.infer(facts)
    if any(t is not None and t.value is None for t in tensors):
        return []
    arrays = [None if t is None else t.value for t in tensors]
    kernel = backend.kernel(op)
    if kernel is None and op.definition.library:
        return []
    if kernel is None:
        raise OpFault("unsupported-op", f"backend {backend.name} has no kernel for {op.id}")
    results = invocation.compute(arrays, kernel=kernel)
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
        session = Session(net_of(op, case))
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


def failure(op: Op, case: ExampleCase, backend: Backend | None = None) -> str:
    """The failure of a case, or '': an example must give its outputs, a counterexample must be reported."""
    outputs, diagnostics = outcome(op, case, backend)
    if case.violates is not None:
        expected_code = case.violates if case.violates.startswith("IR") else f"{op.id}:{case.violates}"
        reported = [d.constraint or d.code for d in diagnostics]
        if expected_code in reported:
            return ""
        return f"reported {', '.join(reported) or 'nothing'}, expected {expected_code}"
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    if errors:
        return str(errors[0])
    outs = expected_outputs(op, case)
    if op.definition.library:
        facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in inputs_of(op, case)]
        inferred = [str(fact) for fact in Invocation(op, case.attributes).infer(facts)]
        expected = [str(Fact(tensor.element_type, tensor.shape)) for tensor in outs]
        return "" if inferred == expected else f"infers {', '.join(inferred)}, expected {', '.join(expected)}"
    if len(outputs) != len(outs):
        return f"computes {len(outputs)} outputs, expected {len(outs)}"
    for array, tensor in zip(outputs, outs):
        if tensor.value is not None and (reason := _differs(array, tensor.value, case.tolerance)):
            return f"{tensor.name}: {reason}"
    return ""


def _differs(array: Array, expected: Array, tolerance: float) -> str:
    if array.dtype == expected.dtype and array.dtype.kind == "f" and array.shape == expected.shape:
        wide, wide_expected = array.astype(np.float64), expected.astype(np.float64)
        close = np.isclose(wide, wide_expected, rtol=tolerance, atol=tolerance, equal_nan=True)
        return "" if close.all() else f"got {array.tolist()}, must be {expected.tolist()}"
    reason = difference(array, expected)
    return f"{reason}; got {array.tolist()}, must be {expected.tolist()}" if reason else ""


LARGE = 1 << 20
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
        return _name(self.case)

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


def _name(case: ExampleCase) -> str:
    kind = "example" if case.violates is None else f"counterexample of {case.violates}"
    return f"{kind}{f' {case.name!r}' if case.name else ''}, line {case.line}"


def _can_allocate(tensor: Tensor) -> bool:
    """Whether a tensor has a value or can be filled with zeros; some counterexamples have huge shapes."""
    return tensor.value is not None or (tensor.shape.static and tensor.shape.size.high <= LARGE)


def _value(tensor: Tensor) -> Array:
    return zeros(tensor.shape.to_tuple(), tensor.element_type) if tensor.value is None else tensor.value
