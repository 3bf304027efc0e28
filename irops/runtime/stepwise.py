"""One run of a model, step by step: its values, its clock, the memory that it takes, and the variables as it
sees them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from irops.analysis.inference import Inference
from irops.analysis.inferred import LayerFacts
from irops.analysis.structure import BodyNode, GraphNode
from irops.backends.declined import Declined
from irops.diagnostics.diagnostic import EvaluationError
from irops.invocation import OpFault, fault_of, fault_of_limit, out_of_memory
from irops.ir.model import LayerKind
from irops.ir.weights import require_unchanged_weights
from irops.limits import Clock
from irops.runtime.arrays import check_possible, require_room, size_in_bytes
from irops.runtime.assumptions import contradiction
from irops.runtime.computed import Arrays, Computed, Observer
from irops.runtime.evaluator import Evaluator
from irops.runtime.plan import Plan, Step, ValueKey
from irops.runtime.precision import admits, rounded, wide
from irops.runtime.record import Record
from irops.runtime.variables import Transaction
from irops.spec.body import BodyFunction
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.tensors import fact_of, result_array
from irops.values.violation import LimitExceeded, Violation, collect_warnings
from irops.verdicts.judge import judge
from irops.verdicts.question import Question


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
                    self._release(values, waiting, source)
            if progress is not None and not graph.path:
                progress(number + 1, len(plan.steps), layer)
        self.bytes_held = held_before

    def _plan(self, graph: GraphNode, given: Mapping[int, Array]) -> Plan:
        return self.evaluator.plan(graph, given)

    def _inputs(self, step: Step, arrays: Arrays) -> Arrays:
        """The arrays that a kernel gets, widened among constants, and rounded where they leave these."""
        if step.constant:
            return [wide(array) for array in arrays]
        if step.rounding:
            return [
                None if array is None else rounded(array, fact) for array, fact in zip(arrays, step.rounding)
            ]
        return arrays

    def _release(self, values: dict[ValueKey, Array], waiting: dict[ValueKey, int], key: ValueKey) -> None:
        waiting[key] -= 1
        if waiting[key] == 0:
            self.bytes_held -= values.pop(key).nbytes

    def layer(self, step: Step, arrays: Arrays, given: Array | None = None) -> Computed:
        """One layer, computed; its warnings are recorded. Raises: EvaluationError"""
        with collect_warnings() as warnings:
            outputs, facts = self._computed(step, arrays, given)
        self._warn(step, warnings)
        return Computed(step, arrays, outputs, partial(self._compute, step, facts, given=given))

    def _warn(self, step: Step, warnings: Sequence[Violation]) -> None:
        for warning in warnings:
            fault = fault_of(step.op, warning)
            self.record.warn(self.evaluator.finding(step.facts, step.node.path, fault))

    def _computed(self, step: Step, arrays: Arrays, given: Array | None) -> tuple[list[Array], LayerFacts]:
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
            found = self._checked(step, arrays, results, facts.outputs)
            return [*map(_of_inferred_rank, found, step.facts.outputs)], facts
        except OpFault as fault:
            raise self._located(step, fault) from fault.__cause__
        except (Violation, LimitExceeded, MemoryError) as error:
            raise self._located(step, error) from None

    def _located(self, step: Step, error: Exception) -> EvaluationError:
        """The error of a step at its place in the file."""
        if isinstance(error, OpFault):
            fault = error
        elif isinstance(error, Violation):
            fault = fault_of(step.op, error)
        else:
            fault = fault_of_limit(error) if isinstance(error, LimitExceeded) else out_of_memory(step.op)
        return self.evaluator.error(step.facts, step.node.path, fault)

    def _require_time(self, op: Op) -> None:
        if self._clock.expired:
            message = f"the time is up before {op.id}; {self.limits.message('run_seconds')}"
            raise LimitExceeded("evaluation-time-limit", message)

    def _compute(
        self, step: Step, facts: LayerFacts, arrays: Arrays, *, given: Array | None
    ) -> tuple[Any, ...]:
        _, kernel = self.evaluator.kernel(step.op)
        keywords = step.keywords
        if keywords is None:
            keywords = step.invocation.keywords("kernel", arrays, self._extras(step, facts, given))
        try:
            return step.invocation.compute(arrays, kernel=kernel, keywords=keywords)
        except (Violation, OpFault, LimitExceeded, MemoryError, EvaluationError):
            raise
        except Exception as error:
            cause = None if isinstance(error, Declined) else error
            raise self._kernel_fault(step, error) from cause

    def _kernel_fault(self, step: Step, error: Exception) -> OpFault:
        """The fault of a kernel that declines, or that fails with an error of its own."""
        if isinstance(error, Declined):
            return OpFault("declined-op", str(error))
        name = self.evaluator.kernel(step.op)[0].name
        message = f"the kernel of {step.op.id} of backend {name} failed: {type(error).__name__}: {error}"
        return OpFault("failed-kernel", message)

    def _extras(self, step: Step, facts: LayerFacts, given: Array | None) -> dict[str, Any]:
        layer = step.layer
        value = self._constant(step) if given is None and layer.is_constant else given
        bodies = {name: self._body(facts, step.node.bodies[name]) for name in step.op.definition.bodies}
        return {"value": value, "variables": self.variables, **bodies}

    def _constant(self, step: Step) -> Array:
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
        return BodyFunction(
            apply,
            node.declared,
            maps.inputs,
            maps.outputs,
            maps.back_edges,
            promised,
            self.limits.iterations,
            self.limits.tensor_bytes - self.bytes_held,
        )

    def _count_iteration(self) -> None:
        """Count an iteration of any loop: nested loops multiply, and each alone may be within the limit."""
        self._iterations += 1
        if self._iterations > self.limits.iterations:
            message = f"the loops of the model run more often together; {self.limits.message('iterations')}"
            raise LimitExceeded("iteration-limit", message)

    def _checked(
        self, step: Step, arrays: Arrays, results: tuple[Any, ...], outputs: Sequence[Fact]
    ) -> list[Array]:
        """The results as arrays, compared with the inferred facts and, if asked for, with the reference."""
        op = step.op
        found = [result_array(result, fact) for result, fact in zip(results, outputs)]
        for index, (array, fact) in enumerate(zip(found, outputs)):
            if not admits(fact, array):
                message = (
                    f"the kernel of {op.id} gives {fact_of(array)} as output {index}, inferred is {fact}"
                )
                raise OpFault("incorrect-kernel-result", message)
        if self.evaluator.verify and arrays and step.layer.kind is not LayerKind.RESULT:
            verify(self.record, self.evaluator.kernel(op)[0].name, step, arrays, found)
        return found


def _of_inferred_rank(array: Array, inferred: Fact) -> Array:
    """A scalar of one branch of an If as one element, where the other branch gives an array of rank 1: the
    output then has rank 1, whichever branch runs.
    """
    return array.reshape(1) if array.ndim == 0 and inferred.shape.rank == 1 else array


# Results of backends compared with those of the reference, layer by layer.


def verify(
    record: Record, backend: str, step: Step, arrays: Sequence[Array | None], results: Sequence[Array]
) -> None:
    """Compare the results of a layer with the reference; record what was compared.

    backend: what computed them. Raises: OpFault where they differ by more than rounding
    """
    key = (step.node.path, step.layer.id)
    reason = _why_not_compared(step.op, backend)
    if reason:
        record.unverified[key] = reason
        return
    record.compared[key] = backend
    question = Question.of(step.invocation, arrays)
    for index, (ours, reference) in enumerate(zip(results, question.again(arrays))):
        judgement = judge(question, result_array(reference, step.facts.outputs[index]), ours, index)
        record.verdicts[judgement.verdict] += 1
        if judgement.is_fault:
            message = (
                f"output {index} of {step.op.id} by backend {backend} differs from the reference:"
                f" {judgement.reason}"
            )
            raise OpFault("incorrect-kernel-result", message)


def _why_not_compared(op: Op, backend: str) -> str:
    """Why the result of a layer is not compared with the reference; empty if it is."""
    if backend == "reference" or op.functions.kernel is None:
        return "computed by the reference"
    if op.definition.bodies:
        return "with bodies, whose layers are compared"
    return "with a state" if op.definition.stateful else ""
