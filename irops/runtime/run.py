"""Runs of a model: by the program of a plan, or layer by layer where an observer is called for each."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from irops.analysis.inference import Inference
from irops.analysis.inferred import LayerFacts
from irops.analysis.invocation import FAULTS, OpFault, fault_of
from irops.analysis.structure import BodyNode, GraphNode
from irops.backends.backend import Declined
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, in_document_order
from irops.files.limits import Clock
from irops.ir.model import LayerKind
from irops.ir.weights import require_unchanged_weights
from irops.runtime.evaluator import Evaluator, Transaction, Variables, contradiction, failed_kernel
from irops.runtime.plan import (
    Action,
    Plan,
    PlannedLayer,
    Program,
    ValueKey,
    Values,
    admits,
    check_possible,
    require_room,
    rounded,
    wide,
)
from irops.runtime.profile import Profile
from irops.spec.body import BodyFunction
from irops.spec.op import Op
from irops.values.arrays import fact_of, result_array
from irops.values.element import Array
from irops.values.fact import Fact, size_in_bytes
from irops.values.violation import LimitExceeded, Violation, collect_warnings

Arrays: TypeAlias = Sequence[Array | None]


@dataclass(slots=True)
class Computed:
    """A layer that was computed, with its input and output arrays.

    inputs: what depends on constants alone may be wider than the layer's types, see irops.runtime.plan;
    outputs: the run continues with these arrays, so a watcher may replace some;
    again: what the layer gives for other inputs, with the same kernel; raises what kernels raise.
    """

    step: PlannedLayer
    inputs: Arrays
    outputs: list[Array]
    again: Callable[[Arrays], tuple[Any, ...]]


OF_KERNELS = (*FAULTS, EvaluationError)
"""Exceptions that kernels raise on purpose."""
Observer: TypeAlias = Callable[[Computed], None]
"""Called for every layer of a run once it is computed, those of bodies included, at each iteration."""


@dataclass(slots=True)
class Record:
    """The findings of one run; limit: the largest number of warnings that are kept.

    profile: collects the time and the bytes of the run, if that is asked for.
    """

    limit: float
    profile: Profile | None = None
    _warnings: dict[object, Diagnostic] = field(default_factory=dict)

    def warn(self, warning: Diagnostic) -> None:
        """Keep a warning; one of a loop's body is kept once."""
        place = warning.location
        key = (warning.code, warning.constraint, place.path, place.layer_id, warning.message)
        if len(self._warnings) < self.limit:
            self._warnings.setdefault(key, warning)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return in_document_order(self._warnings.values())


class Run:
    """The state of one run."""

    def __init__(
        self,
        evaluator: Evaluator,
        variables: Transaction,
        record: Record | None = None,
        observer: Observer | None = None,
    ) -> None:
        self.record = record or Record(evaluator.limits.findings)
        self._observer = observer
        self.evaluator, self.limits, self.variables = evaluator, evaluator.limits, variables
        self.bytes_held: float = 0
        self._iterations = 0
        self._clock = Clock(self.limits.run_seconds)

    def graph(
        self, graph: GraphNode, given: Mapping[int, Array], keep: Collection[int] = ()
    ) -> dict[ValueKey, Array]:
        """The values of a graph's Results, and of layers to keep. Tensors are freed after their last use."""
        kept: dict[ValueKey, Array] = {}
        for computed in self.walk(graph, given, keep):
            layer, facts = computed.step.layer, computed.step.facts
            if layer.kind is LayerKind.RESULT or layer.id in keep:
                for index, array in enumerate(computed.outputs):
                    kept[layer.id, index] = rounded(array, facts.outputs[index])
            del computed  # else its tensors live while the next layer is computed
        return kept

    def walk(
        self, graph: GraphNode, given: Mapping[int, Array], keep: Collection[int] = ()
    ) -> Iterator[Computed]:
        """Every layer of a graph in order, once it is computed; its inputs are freed after it.

        keep: layers whose values stay in memory to the end
        """
        plan = self._plan(graph, given)
        for warning in plan.warnings:
            self.record.warn(warning)
        values: dict[ValueKey, Array] = {}
        held_before, waiting, progress = self.bytes_held, dict(plan.users), self.evaluator.progress
        for number, step in enumerate(plan.steps):
            layer = step.layer
            arrays = self._inputs(step, [None if s is None else values[s] for s in step.sources])
            computed = self.layer(step, arrays, given.get(layer.id))
            if self._observer is not None:
                self._observer(computed)
            yield computed
            for index, array in enumerate(computed.outputs):
                key = (layer.id, index)
                if key in waiting:
                    values[key] = array
                    self.bytes_held += array.nbytes
            del arrays, computed
            for source in step.done_with:
                if source[0] not in keep:
                    waiting[source] -= 1
                    if waiting[source] == 0:
                        self.bytes_held -= values.pop(source).nbytes
            if progress is not None and not graph.path:
                progress(number + 1, len(plan.steps), layer)
        self.bytes_held = held_before
        if plan.error is not None:
            raise plan.error

    def _plan(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        return self.evaluator.plan(graph, given)

    def _inputs(self, step: PlannedLayer, arrays: Arrays) -> Arrays:
        """The arrays that a kernel gets, widened among constants, and rounded where they leave these."""
        if step.constant:
            return [wide(array) for array in arrays]
        if step.rounding:
            return [
                None if array is None else rounded(array, fact) for array, fact in zip(arrays, step.rounding)
            ]
        return arrays

    def layer(self, step: PlannedLayer, arrays: Arrays, given: Array | None = None) -> Computed:
        """One layer, computed; its warnings are recorded. Raises: EvaluationError"""
        with collect_warnings() as warnings:
            outputs, facts = self._computed(step, arrays, given)
        self._warn(step, warnings)
        return Computed(step, arrays, outputs, partial(self._compute, step, facts, given=given))

    def _warn(self, step: PlannedLayer, warnings: Sequence[Violation]) -> None:
        for warning in warnings:
            fault = fault_of(step.op, warning)
            self.record.warn(self.evaluator.finding(step.facts, step.node.path, fault))

    def _computed(
        self, step: PlannedLayer, arrays: Arrays, given: Array | None
    ) -> tuple[list[Array], LayerFacts]:
        """The outputs of a layer and what is inferred of it. Raises: EvaluationError"""
        op, facts, size = step.op, step.facts, step.size
        try:
            self._require_time(op)
            if not step.static:
                # inferred once more, from the values themselves: the shapes alone do not determine all
                inputs = [None if a is None else fact_of(a, with_value=True) for a in arrays]
                facts = Inference(self.evaluator.analysis).layer(step.node, inputs)
                fault = None if op.definition.bodies else contradiction(step.facts, facts)
                if fault is not None:
                    raise fault
                size = size_in_bytes(facts.outputs)
            require_room(self.bytes_held, size, self.limits)
            check_possible(op, facts.outputs)
            results = self._compute(step, facts, arrays, given=given)
            found = _checked(op, results, facts.outputs)
            return [*map(_of_inferred_rank, found, step.facts.outputs)], facts
        except FAULTS as error:
            raise self._located(step, error) from error.__cause__

    def _located(self, step: PlannedLayer, error: Exception) -> EvaluationError:
        """The error of a step at its place in the file."""
        return self.evaluator.error(step.facts, step.node.path, fault_of(step.op, error))

    def _require_time(self, op: Op) -> None:
        if self._clock.expired:
            message = f"the time is up before {op.id}; {self.limits.message('run_seconds')}"
            raise LimitExceeded("evaluation-time-limit", message)

    def _compute(
        self, step: PlannedLayer, facts: LayerFacts, arrays: Arrays, *, given: Array | None
    ) -> tuple[Any, ...]:
        _, kernel = self.evaluator.kernel(step.op)
        keywords = step.keywords
        if keywords is None:
            keywords = step.invocation.keywords("kernel", arrays, self._extras(step, facts, given))
        try:
            return step.invocation.compute(arrays, kernel=kernel, keywords=keywords)
        except OF_KERNELS:
            raise
        except Exception as error:
            cause = None if isinstance(error, Declined) else error
            raise self._kernel_fault(step, error) from cause

    def _kernel_fault(self, step: PlannedLayer, error: Exception) -> OpFault:
        """The fault of a kernel that declines, or that fails with an error of its own."""
        if isinstance(error, Declined):
            return OpFault("declined-op", str(error))
        return failed_kernel(step.op, self.evaluator.kernel(step.op)[0], error)

    def _extras(self, step: PlannedLayer, facts: LayerFacts, given: Array | None) -> dict[str, Any]:
        layer = step.layer
        value = self._constant(step) if given is None and layer.is_constant else given
        bodies = {name: self._body(facts, step.node.bodies[name]) for name in step.op.definition.bodies}
        return {"value": value, "variables": self.variables, **bodies}

    def _constant(self, step: PlannedLayer) -> Array:
        require_unchanged_weights(self.evaluator.analysis.model)
        return self.evaluator.constant(step.node)

    def _body(self, facts: LayerFacts, node: BodyNode) -> BodyFunction:
        graph, maps = node.graph, node.maps
        assert (
            maps is not None
        )  # a fault of the maps is an error of the graph around, which is not planned then

        def apply(items: Sequence[Array]) -> list[Array]:
            if node.body.name == "body":  # of a loop; an If has other bodies
                self._count_iteration()
            given = {layer.id: item for layer, item in zip(graph.parameters, items)}
            values = self.graph(graph, given)
            return [values[result.id, 0] for result in graph.results]

        inferred = facts.bodies.get(node.body.name)
        promised: tuple[Fact, ...] = ()
        if inferred is not None:
            outputs = (inferred.layers[result.id].outputs for result in graph.results)
            promised = tuple(facts_of[0] if facts_of else Fact() for facts_of in outputs)
        ports = (node.declared, maps.inputs, maps.outputs, maps.back_edges)
        left = self.limits.tensor_bytes - self.bytes_held
        return BodyFunction(apply, *ports, promised, self.limits.iterations, left)

    def _count_iteration(self) -> None:
        """Count an iteration of any loop: nested loops multiply, and each alone may be within the limit."""
        self._iterations += 1
        if self._iterations > self.limits.iterations:
            message = f"the loops of the model run more often together; {self.limits.message('iterations')}"
            raise LimitExceeded("iteration-limit", message)


def _checked(op: Op, results: tuple[Any, ...], outputs: Sequence[Fact]) -> list[Array]:
    """Results as arrays of the inferred facts. Raises: OpFault for one of another type or shape"""
    found = [result_array(result, fact) for result, fact in zip(results, outputs)]
    for index, (array, fact) in enumerate(zip(found, outputs)):
        if not admits(fact, array):
            message = f"the kernel of {op.id} gives {fact_of(array)} as output {index}, inferred is {fact}"
            raise OpFault("incorrect-kernel-result", message)
    return found


def _of_inferred_rank(array: Array, inferred: Fact) -> Array:
    """A scalar of one branch of an If as one element, where the other branch gives an array of rank 1: the
    output then has rank 1, whichever branch runs.
    """
    return array.reshape(1) if array.ndim == 0 and inferred.shape.rank == 1 else array


def run_model(
    evaluator: Evaluator,
    given: Mapping[int, Array],
    keep: Collection[int],
    variables: Variables,
    record: Record | None = None,
    observer: Observer | None = None,
) -> dict[ValueKey, Array]:
    """Values of Results, and of the layers to keep, by layer id and output.

    given: values of Parameters, and of constants that are replaced, by layer id; record: takes the warnings,
    and what its profile measures; observer: called for every layer, those of bodies included
    Raises:  EvaluationError; the variables are then as before
    """
    transaction = variables.begin()
    run_type = DirectRun if observer is None and evaluator.progress is None else Run
    if record is not None and record.profile is not None:
        run_type = MeasuredRun
    require_unchanged_weights(evaluator.analysis.model)
    run = run_type(evaluator, transaction, record, observer)
    values = run.graph(evaluator.analysis.root, given, keep)
    require_unchanged_weights(evaluator.analysis.model)  # else the results would be of unknown weights
    variables.commit(transaction)
    return values


def walk_model(
    evaluator: Evaluator, given: Mapping[int, Array], variables: Variables, observer: Observer | None = None
) -> Iterator[Computed]:
    """Every layer of the outermost graph in order, once it is computed; replaced outputs are passed on.

    given: values of Parameters by layer id; observer: called for every layer, those of bodies included. The
    variables stay as they are.
    Raises:  EvaluationError
    """
    yield from Run(evaluator, variables.begin(), observer=observer).walk(evaluator.analysis.root, given)


def run_layer(evaluator: Evaluator, step: PlannedLayer, inputs: Arrays, observer: Observer) -> list[Array]:
    """The outputs of one layer. observer: called for the layers of its bodies. Raises: EvaluationError"""
    return Run(evaluator, Variables().begin(), observer=observer).layer(step, inputs).outputs


# The fast execution path, used where there is no observer: it executes the program of a plan.


class DirectRun(Run):
    """A run whose graphs are executed as programs; it gives what `Run` gives, and fails as `Run` fails."""

    def graph(
        self, graph: GraphNode, given: Mapping[int, Array], keep: Collection[int] = ()
    ) -> dict[ValueKey, Array]:
        program = self.evaluator.program(graph, given, keep)
        for warning in program.plan.warnings:
            self.record.warn(warning)
        held_before = self.bytes_held
        values = self._execute(program, given)
        self.bytes_held = held_before
        kept = {}
        for key, slot, fact, is_copied in program.outputs:
            array = values[slot]
            assert array is not None
            kept[key] = rounded(array.copy() if is_copied else array, fact)
        return kept

    def _execute(self, program: Program, given: Mapping[int, Array]) -> Values:
        """The values after all actions: those of outputs, and the kept constants."""
        values = list(program.values)
        for slot, number, fact in program.inputs:
            values[slot] = result_array(given[number], fact)
        sized, ndarray, limit, end = program.sized, np.ndarray, self.limits.tensor_bytes, self._clock.end
        in_use = self.bytes_held  # before the graph, and of the values whose sizes the plan does not know
        step = program.plan.steps[0] if program.plan.steps else None
        try:
            if step is not None:
                self._require_time(step.op)
            with np.errstate(all="ignore"), collect_warnings() as warnings:
                for action in program.actions:
                    step, function, arguments, keywords, dtype, shape, slots, freed, need, _ = action
                    if in_use + need > limit or monotonic() > end:
                        self._refuse(step, in_use + need - step.size)
                    if function is None:
                        self._compute_step(program, action, values, given, in_use, warnings)
                        in_use += _bytes_of(values, slots, sized)
                    else:
                        try:
                            result = function(*arguments(values), **keywords)
                        except OF_KERNELS:
                            raise
                        except Exception as error:
                            raise self._kernel_fault(step, error) from error
                        if type(result) is ndarray and result.dtype is dtype and result.shape == shape:
                            values[slots[0]] = result
                        else:
                            self._store(action, result, values)
                        del result  # else it lives while the next one is computed
                    if warnings:
                        self._warn(step, warnings)
                        warnings.clear()
                    if sized:
                        in_use -= _bytes_of(values, freed, sized)
                    for slot in freed:
                        values[slot] = None
        except FAULTS as error:
            assert step is not None
            raise self._located(step, error) from error.__cause__
        return values

    def _refuse(self, step: PlannedLayer, in_use: float) -> None:
        """Raise the error of a step for which time or memory does not suffice."""
        self.bytes_held = in_use
        self._require_time(step.op)
        require_room(in_use, step.size, self.limits)

    def _compute_step(
        self,
        program: Program,
        action: Action,
        values: Values,
        given: Mapping[int, Array],
        in_use: float,
        warnings: list[Violation],
    ) -> None:
        """Compute a step of which the plan does not know everything; keep what the session keeps."""
        step = action.step
        self.bytes_held = in_use + action.need - step.size
        arrays = self._inputs(step, list(action.arguments(values)))
        outputs, _ = self._computed(step, arrays, given.get(step.layer.id))
        for slot, array in zip(action.slots, outputs):
            values[slot] = array
        if action.keeps and program.kept is not None:
            for store in program.kept if warnings else ():
                store.refuse(step.node.path)
            store = program.kept.constants if step.constant else program.kept.of_shapes
            for key, array, fact in zip(action.keeps, outputs, step.facts.outputs):
                if key is not None:
                    store.put(key, rounded(array, fact))

    def _store(self, action: Action, result: Any, values: Values) -> None:
        """Store a result that is not one array of the type and shape that the plan expects."""
        results = result if isinstance(result, tuple) else (result,)
        facts = action.step.facts.outputs
        for slot, array in zip(action.slots, _checked(action.step.op, results, facts)):
            values[slot] = array


def _bytes_of(values: Values, slots: Collection[int], sized: Collection[int]) -> int:
    """The bytes of the values in those slots whose sizes the plan does not know."""
    arrays = (values[slot] for slot in slots if slot in sized)
    return sum(array.nbytes for array in arrays if array is not None)


class MeasuredRun(Run):
    """A run whose record has a profile, which takes the time and the bytes of each step."""

    @property
    def profile(self) -> Profile:
        assert self.record.profile is not None
        return self.record.profile

    def walk(
        self, graph: GraphNode, given: Mapping[int, Array], keep: Collection[int] = ()
    ) -> Iterator[Computed]:
        self.profile.begin()
        yield from super().walk(graph, given, keep)
        self.profile.end_graph(graph.path)

    def _plan(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        self.profile.begin()
        plan = super()._plan(graph, given)
        self.profile.end_planning()
        return plan

    def layer(self, step: PlannedLayer, arrays: Arrays, given: Array | None = None) -> Computed:
        self.profile.begin()
        computed = super().layer(step, arrays, given)
        self.profile.end_layer(step, self.evaluator.kernel(step.op)[0].name, computed.outputs)
        return computed
