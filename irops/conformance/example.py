"""Examples and counterexamples of definitions, run."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from irops.backends.backend import Backend, Reference
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, EvaluationError, Location, errors_of
from irops.diagnostics.rule import Severity
from irops.dialects import dialect_of
from irops.invocation import Invocation, OpFault, fault_of
from irops.ir.model import Layer, Model
from irops.ir.read import loads
from irops.ir.weights import Weights
from irops.runtime.session import Session
from irops.runtime.verify import difference
from irops.spec.definition import Case, Tensor
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.fact import Fact
from irops.values.packing import pack
from irops.values.tensors import fact_of, result_array
from irops.values.violation import Violation, collect_warnings


def outcome(op: Op, case: Case, backend: Backend | None = None) -> tuple[list[Array], list[Diagnostic]]:
    """What a case gives: the outputs (none where inputs are not known), and what is wrong with it."""
    found: list[Diagnostic] = []
    outputs: list[Array] = []
    place = Location(op.definition.path)
    if case.net is not None:
        return _run_net(op, case, found), found
    try:
        with collect_warnings() as warnings:
            outputs = _run_op(op, case, backend or Reference())
        found.extend(fault_of(op, warning).diagnostic(op, place) for warning in warnings)
    except Violation as violation:
        found.append(fault_of(op, violation).diagnostic(op, place))
    except OpFault as fault:
        found.append(fault.diagnostic(op, place))
    return outputs, found


def _run_op(op: Op, case: Case, backend: Backend) -> list[Array]:
    invocation = Invocation(op, case.attributes)
    for wrong in invocation.faults:
        raise OpFault(wrong.rule, wrong.message)
    tensors = inputs_of(op, case)
    facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in tensors]
    inferred = invocation.infer(facts)
    if any(t is not None and t.value is None for t in tensors):
        return []
    arrays = [None if t is None else t.value for t in tensors]
    kernel = backend.kernel(op)
    if kernel is None:
        raise OpFault("unsupported-op", f"backend {backend.name} has no kernel for {op.id}")
    results = invocation.compute(arrays, kernel=kernel)
    found = [result_array(result, fact) for result, fact in zip(results, inferred)]
    for array, fact in zip(found, inferred):
        if not fact.admits(array):
            raise OpFault("incorrect-kernel-result", f"{op.id} gives {fact_of(array)}, inferred is {fact}")
    return found


def inputs_of(op: Op, case: Case) -> list[Tensor | None]:
    """A case's tensors in the order of the op's inputs; of a variadic one, all of its name; None for one left
    out.
    """
    tensors: list[Tensor | None] = []
    for port in op.definition.inputs:
        named = [t for t in case.tensors if not t.output and t.name == port.name]
        tensors.extend(named or ([] if port.variadic else [None]))
    while tensors and tensors[-1] is None:
        tensors.pop()
    return tensors


def wanted_outputs(op: Op, case: Case) -> list[Tensor]:
    """What an example says comes out: tensors named as outputs, or marked as such."""
    names = [p.name for p in op.definition.outputs]
    inputs = {p.name for p in op.definition.inputs}
    return [t for t in case.tensors if t.output or (t.name in names and t.name not in inputs)]


def _net(op: Op, case: Case) -> Model:
    """A case's model, which is of the op's dialect; the tensors that are named as its constants are their
    values.
    """
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


def _run_net(op: Op, case: Case, found: list[Diagnostic]) -> list[Array]:
    """The results of a case's model, in their order; several tensors of one input name are given in as many
    runs.
    """
    try:
        session = Session(_net(op, case))
        found.extend(session.check())
        if errors_of(found):
            return []
        results: list[Array] = []
        for inputs in _runs(case, {layer.name for layer in _constants(session.model)}):
            results.extend(session.run(inputs).values())
        return results
    except (EvaluationError, DiagnosticError) as error:
        found.extend(error.diagnostics)
        return []


def _runs(case: Case, constants: Collection[str]) -> Iterator[dict[str, Array | None]]:
    given: dict[str, list[Array | None]] = {}
    for tensor in case.tensors:
        if not tensor.output and tensor.name not in constants:
            given.setdefault(tensor.name, []).append(tensor.value)
    for turn in range(max((len(v) for v in given.values()), default=1)):
        yield {name: values[min(turn, len(values) - 1)] for name, values in given.items()}


def failure(op: Op, case: Case, backend: Backend | None = None) -> str:
    """'' where an example gives what it says, or a counterexample is told for what it violates; else what is
    wrong.
    """
    outputs, found = outcome(op, case, backend)
    if case.violates is not None:
        wanted = case.violates if case.violates.startswith("IR") else f"{op.id}:{case.violates}"
        told = [d.constraint or d.code for d in found]
        return "" if wanted in told else f"told {', '.join(told) or 'nothing'}, must tell {wanted}"
    wrong = [d for d in found if d.severity is Severity.ERROR]
    if wrong:
        return str(wrong[0])
    outs = wanted_outputs(op, case)
    if len(outputs) != len(outs):
        return f"gives {len(outputs)} outputs, must give {len(outs)}"
    for array, tensor in zip(outputs, outs):
        if tensor.value is not None and (why := _differs(array, tensor.value, case.tolerance)):
            return f"{tensor.name}: {why}"
    return ""


def _differs(array: Array, truth: Array, tolerance: float) -> str:
    if array.dtype == truth.dtype and array.dtype.kind == "f" and array.shape == truth.shape:
        close = np.isclose(
            array.astype(np.float64), truth.astype(np.float64), rtol=tolerance, atol=tolerance, equal_nan=True
        )
        return "" if close.all() else f"got {array.tolist()}, must be {truth.tolist()}"
    why = difference(array, truth)
    return f"{why}; got {array.tolist()}, must be {truth.tolist()}" if why else ""
