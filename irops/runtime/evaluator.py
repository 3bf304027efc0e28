"""Evaluates a model layer by layer. What depends on input shapes alone is planned once and kept between runs.

Inference assumes something of sizes that it does not know for one op: by its specification, an axis that
Squeeze is to remove and that may have size 1 is inferred to be removed. A run compares what it meets.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock

from irops.analysis.declaring import facts_line
from irops.analysis.inference import Inference
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.invocation import OpFault
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode, LayerNode
from irops.backends.backend import Backend, Kernel, Reference, kernel_of
from irops.backends.one_op import LruCache
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Severity, errors_of, in_document_order
from irops.diagnostics.printable import plural
from irops.diagnostics.rules import rule
from irops.environment import enabled
from irops.ir.model import Layer, LayerKind
from irops.ir.weights import constant
from irops.runtime.plan import Assembly, Kept, KeptConstants, Plan, Program, absent_output, plan_of
from irops.spec.op import NoOp, Op
from irops.values.arrays import fact_of
from irops.values.element import Array


class Variables:
    """Values by variable_id. What a run assigns can be read by the next one; a run that fails assigns
    nothing.

    variables["id"] = array sets what the next run reads; reset() forgets one or all, as before the first run.
    """

    def __init__(self) -> None:
        self._values: dict[str, Array] = {}
        self._lock = Lock()

    def begin(self) -> "Transaction":
        """The variables as one run sees them; its assignments take effect when they are committed."""
        with self._lock:
            return Transaction(dict(self._values))

    def commit(self, transaction: "Transaction") -> None:
        """End a run: its assignments become what the next run reads."""
        kept = {variable_id: _copied(value) for variable_id, value in transaction.assigned.items()}
        with self._lock:
            self._values.update(kept)

    def reset(self, variable_id: str | None = None) -> None:
        """Forget a variable's value, or all."""
        with self._lock:
            if variable_id is None:
                self._values.clear()
            else:
                self._values.pop(variable_id, None)

    def __setitem__(self, variable_id: str, value: Array) -> None:
        kept = _copied(value)
        with self._lock:
            self._values[variable_id] = kept

    def __getitem__(self, variable_id: str) -> Array:
        return self._values[variable_id]

    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)


class Transaction:
    """The variables within one run: reads see the values from before the run, assignments are collected."""

    def __init__(self, values: dict[str, Array] | None = None) -> None:
        self._values = values or {}
        self.assigned: dict[str, Array] = {}

    def read(self, variable_id: str) -> Array | None:
        """The value, or None where nothing was assigned since the start or the last reset."""
        return self._values.get(variable_id)

    def assign(self, variable_id: str, value: Array) -> None:
        self.assigned[variable_id] = value


def _copied(value: Array) -> Array:
    """A read-only copy: the caller may go on to use its own array."""
    kept = value.copy()
    kept.flags.writeable = False
    return kept


def contradiction(assumed: LayerFacts, actual: LayerFacts) -> OpFault | None:
    """The fault of a layer whose outputs do not have the shapes that were inferred; None if they have."""
    for index, (before, now) in enumerate(zip(assumed.outputs, actual.outputs)):
        if not before.shape.can_be(now.shape):
            message = f"output {index} has shape {now.shape} in this run, inferred is {before.shape}"
            return OpFault("contradicted-inference", message)
    return None


def contradictions(
    analysis: ModelAnalysis, graph: GraphNode, planned: Inferred, given: Mapping[int, Array]
) -> Iterator[tuple[LayerFacts, OpFault]]:
    """The layers of the model that get other shapes for the given inputs than the model's own inference says.

    Every assumption that fails gives a warning, so that only layers with warnings are compared.
    """
    if graph.path or any(graph.layers[key].layer.kind is not LayerKind.PARAMETER for key in given):
        return
    places = (d.location for d in planned.findings if d.severity is Severity.WARNING)
    warned = (place.layer_id for place in places if not place.path and place.layer_id is not None)
    for layer in dict.fromkeys(warned):
        fault = contradiction(analysis.declared.layers[layer], planned.layers[layer])
        if fault is not None:
            yield planned.layers[layer], fault


Progress = Callable[[int, int, Layer], None]
"""Called with the number of layers done, the number of layers in all, and the layer."""
MAX_PLANS = 256
"""For how many sets of input shapes plans are kept; a sequence that grows gives new ones without end."""
SHAPE_BYTES = 1 << 20
"""How many bytes of values that follow from the shapes of its inputs are kept for a plan."""


class Evaluator:
    """The state that runs of one model share. Safe to use from several threads: all that is per run is in a
    Run.

    analysis: of the model; backends: in order of preference; partly: compute what depends on no error before
    a walk raises it
    """

    def __init__(
        self,
        analysis: ModelAnalysis,
        backends: Sequence[Backend],
        *,
        partly: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.analysis, self.limits, self.partly = analysis, analysis.limits, partly
        self.backends, self.progress = backends, progress
        self.kept = KeptConstants(self.limits.constant_bytes) if enabled("constants") else None
        self._plans: LruCache[Plan] = LruCache(MAX_PLANS)
        self._programs: LruCache[Program] = LruCache(MAX_PLANS)
        self._mapped: dict[LayerNode, Array] = {}
        self._kernels: dict[str, tuple[Backend, Kernel]] = {}

    def plan(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        """The execution plan for inputs of these shapes. given: values of Parameters by layer id

        Raises:  EvaluationError if the graph, or what is inferred of it, has errors
        """
        shapes = ((key, array.shape, array.dtype) for key, array in given.items())
        return self._plans.get((graph.path, *shapes), lambda: self._planned(graph, given))

    def program(self, graph: GraphNode, given: Mapping[int, Array], keep: Collection[int]) -> Program:
        """The program for inputs of these shapes. keep: layers whose outputs a run returns beside Results

        Raises:  EvaluationError, as plan does
        """
        plan = self.plan(graph, given)
        key = (plan, frozenset(keep))
        program = self._programs.find(key)
        if program is None or not program.is_final:
            kept = None if program is None else program.kept
            if kept is None and self.kept is not None:
                kept = Kept(self.kept, KeptConstants(SHAPE_BYTES))
            program = Assembly(plan, given, keep, kept, self.kernel).program()
            self._programs.put(key, program)
        return program

    def run_once(self) -> None:
        """Keep no results of constants, since only one run follows."""
        if self.kept is not None:
            self.kept = KeptConstants(0)

    def _planned(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        overrides = {key: fact_of(array) for key, array in given.items()}
        inferred = Inference(self.analysis).graph(graph, overrides)
        errors = errors_of(self._findings(graph, inferred))
        if errors:
            error = EvaluationError(in_document_order(errors))
            if not self.partly or graph.path:
                raise error
            return plan_of(graph, inferred, error)
        for facts, fault in contradictions(self.analysis, graph, inferred, given):
            raise self.error(facts, graph.path, fault)
        absent = absent_output(graph.wiring, inferred)
        if absent is not None:
            facts, index = absent
            count = plural(len(facts.outputs), "output")
            message = f"output {index} of {facts.layer} is used; its op gives {count}"
            raise self.error(facts, graph.path, OpFault("wrong-number-of-outputs", message))
        return plan_of(graph, inferred)

    def _findings(self, graph: GraphNode, inferred: Inferred) -> list[Diagnostic]:
        """The reasons why a graph cannot be computed. Faults of bodies are reported when they run, if they
        do.
        """
        structural = [d for d in self.analysis.structural_findings if d.location.path == graph.path]
        places: dict[NoOp, Layer] = {}
        for node in graph.layers.values():
            if node.missing is not None and node.missing.rule == "undefined-op":
                places.setdefault(node.missing, node.layer)
        undefined = [self._uncomputable(missing, layer, graph) for missing, layer in places.items()]
        return [*structural, *inferred.findings, *undefined, *self._without_kernels(graph)]

    def _without_kernels(self, graph: GraphNode) -> Iterator[Diagnostic]:
        """Each op of an extension library that no backend can compute, at its first layer."""
        of_libraries = {
            node.op.id: (node.op, node.layer)
            for node in reversed(graph.layers.values())  # twice: the first layers, in their order
            if node.op is not None and node.op.functions.kernel is None
        }
        for op, layer in reversed(of_libraries.values()):
            if kernel_of(op, self.backends) is None:
                place = self.analysis.location(layer, graph.path, layer.at, "type")
                message = f"irops cannot compute {op.id}: only {op.definition.library} has a kernel for it"
                yield Diagnostic(rule("unsupported-op"), message, place)

    def _uncomputable(self, missing: NoOp, layer: Layer, graph: GraphNode) -> Diagnostic:
        """An op without a definition is a mere warning as long as nothing runs."""
        place = self.analysis.location(layer, graph.path, layer.at, "type")
        message = f"{missing.subject or missing.message}, and cannot compute it"
        return Diagnostic(rule("unsupported-op"), message, place, notes=missing.notes)

    def kernel(self, op: Op) -> tuple[Backend, Kernel]:
        """The first backend that can compute an op, and its kernel. Raises: OpFault where there is none"""
        found = self._kernels.get(op.id)
        if found is None:
            # a source or a Result only passes a value on: no backend needs to know it
            trivial = not op.definition.inputs or op.definition.type == "Result"
            chosen = kernel_of(op, (Reference(),) if trivial else self.backends)
            if chosen is None:
                names = ", ".join(backend.name for backend in self.backends)
                message = f"no backend can compute {op.id}; the backends are {names}"
                raise OpFault("unsupported-op", message)
            found = self._kernels[op.id] = chosen
        return found

    def constant(self, node: LayerNode) -> Array:
        """The tensor of a constant; kept where it is a view of the mapped weights and so takes no memory.

        Where the file does not align it to its element size, it is a copy: NumPy multiplies such views
        several times slower, and in an order that depends on the number of rows.
        """
        array = self._mapped.get(node)
        if array is None:
            array = constant(self.analysis.model, node.layer)
            if not array.flags.aligned:
                array = array.copy()
                array.flags.writeable = False
            if array.base is not None:
                self._mapped[node] = array
        return array

    def error(self, facts: LayerFacts, path: tuple[str, ...], fault: OpFault) -> EvaluationError:
        """The error for a fault of a layer."""
        return EvaluationError([replace(self.finding(facts, path, fault), level=None)])

    def finding(self, facts: LayerFacts, path: tuple[str, ...], fault: OpFault) -> Diagnostic:
        """A fault of a layer, or a warning about it, at its place."""
        place = self.analysis.location(facts.layer, path)
        line = facts_line(facts)
        if facts.op is None:
            return Diagnostic(rule(fault.rule), fault.message, place, facts=line)
        return fault.diagnostic(facts.op, place, line)


def failed_kernel(op: Op, backend: Backend, error: Exception) -> OpFault:
    """The fault of a kernel that fails with an error of its own."""
    message = f"the kernel of {op.id} of backend {backend.name} failed: {type(error).__name__}: {error}"
    return OpFault("failed-kernel", message)


def kept_layers(graph: GraphNode, keys: Collection[int | str]) -> frozenset[int]:
    """The ids of layers by id, name or pattern; KeyError, with a suggestion, where there is none."""
    return frozenset(layer.id for key in keys for layer, _ in graph.names.all(key))
