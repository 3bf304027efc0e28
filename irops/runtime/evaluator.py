"""The evaluator: infer with the shapes that are given, then compute layer by layer, holding each result to
what was inferred.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irops.analysis.engine import Inference
from irops.analysis.facts import LayerFacts
from irops.analysis.layer import LayerFault, fault_of, named_inputs, positional, taken, with_normal_axes
from irops.analysis.port_maps import parameters_of, results_of
from irops.analysis.telling import facts_line
from irops.backends.backend import Backend, Reference, kernel_of
from irops.backends.declined import Declined
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Location, errors_of, in_document_order
from irops.diagnostics.printable import plural
from irops.diagnostics.rules import rule
from irops.ir.model import Body, Graph, Layer, LayerKind, Model
from irops.ir.weights import constant, hold_weights
from irops.limits import Clock, Limits
from irops.limits import notes as limit_notes
from irops.registry import Registry
from irops.runtime.arrays import fact_of, hold_possible, out_of_memory, result_array, size_in_bytes
from irops.runtime.plan import Plan, Step, ValueKey, absent_output, plan_of
from irops.runtime.precision import rounded, wide
from irops.runtime.variables import Variables
from irops.runtime.verify import difference
from irops.spec.body import BodyFunction
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.violation import LimitExceeded, Violation

Progress = Callable[[int, int, Layer], None]
REMEMBERED = 256
"""Of how many sets of input shapes what was inferred is kept; a sequence that grows gives new ones without
end.
"""


class Evaluator:
    """Evaluates one model; what was inferred and which kernels were chosen is kept between runs."""

    def __init__(
        self,
        model: Model,
        backends: Sequence[Backend],
        *,
        registry: Registry | None = None,
        limits: Limits | None = None,
        variables: Variables | None = None,
        verify: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.model, self.backends = model, backends
        self.limits, self.variables, self.verify, self.progress = (
            limits or Limits(),
            variables or Variables(),
            verify,
            progress,
        )
        self.inference = Inference(model, registry, self.limits)
        self.held, self._clock = 0, Clock()
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._mapped: dict[int, Array] = {}
        self._kernels: dict[str, tuple[Backend, Callable[..., Any]]] = {}

    def run(self, given: Mapping[int, Array], keep: Collection[int] = ()) -> dict[ValueKey, Array]:
        """Values of Results, and of the layers to keep, by layer id and output; given: values of Parameters,
        by layer id.

        Raises:  EvaluationError
        """
        self.held, self._clock = 0, Clock(self.limits.run_seconds)
        try:
            values = self.graph(self.model.graph, given, (), keep)
            hold_weights(self.model)  # else nobody knows what they were computed from
        except BaseException:
            self.variables.rollback()
            raise
        self.variables.commit()
        return values

    def graph(
        self, graph: Graph, given: Mapping[int, Array], path: tuple[str, ...], keep: Collection[int] = ()
    ) -> dict[ValueKey, Array]:
        plan = self.plan(graph, given, path)
        values: dict[ValueKey, Array] = {}
        kept: dict[ValueKey, Array] = {}
        before = self.held
        waiting = dict(plan.users)
        for number, step in enumerate(plan.steps):
            layer = step.layer
            arrays: list[Array | None] = [
                None if source is None else values[source] for source in step.sources
            ]
            if step.constant:
                arrays = [wide(array) for array in arrays]
            elif step.rounding:
                arrays = [
                    None if array is None else rounded(array, fact)
                    for array, fact in zip(arrays, step.rounding)
                ]
            for index, array in enumerate(self.layer(step, arrays, given.get(layer.id), path)):
                key = (layer.id, index)
                if layer.kind is LayerKind.RESULT or layer.id in keep:
                    kept[key] = rounded(array, step.known.outputs[index])
                if key in waiting:
                    values[key] = array
                    self.held += array.nbytes
            for source in step.done_with:
                if source[0] not in keep:
                    self._release(values, waiting, source)
            if self.progress is not None and not path:
                self.progress(number + 1, len(plan.steps), layer)
        self.held = before
        return kept

    def _release(self, values: dict[ValueKey, Array], waiting: dict[ValueKey, int], key: ValueKey) -> None:
        waiting[key] -= 1
        if waiting[key] == 0:
            self.held -= values.pop(key).nbytes

    def plan(self, graph: Graph, given: Mapping[int, Array], path: tuple[str, ...]) -> Plan:
        """How a graph is computed, given arrays; raises what inference finds wrong."""
        signature = (id(graph), *((key, array.shape, array.dtype) for key, array in given.items()))
        plan = self._plans.get(signature)
        if plan is None:
            facts = self.inference.graph(graph, {key: fact_of(array) for key, array in given.items()}, path)
            found = in_document_order(
                facts.found
            )  # what is wrong in bodies is told when they run, if they do
            errors = errors_of(found)
            unknown = [_uncomputable(d) for d in found if d.name == "undefined-op"]
            if errors or unknown:
                raise EvaluationError(errors or unknown)
            absent = absent_output(self.inference.wiring(graph), facts)
            if absent is not None:
                what = (
                    f"output {absent[1]} of {absent[0].layer} is asked for; its op gives"
                    f" {plural(len(absent[0].outputs), 'output')}"
                )
                raise self.error(absent[0], path, LayerFault("wrong-number-of-outputs", what))
            if len(self._plans) >= REMEMBERED:
                self._plans.pop(next(iter(self._plans)))
            plan = self._plans[signature] = plan_of(self.inference.wiring(graph), facts)
        return plan

    def layer(
        self, step: Step, arrays: Sequence[Array | None], given: Array | None, path: tuple[str, ...]
    ) -> list[Array]:
        """The outputs of one layer."""
        op, known = step.op, step.known
        try:
            if self._clock.late:
                raise LimitExceeded(
                    "evaluation-time-limit",
                    f"the time is up before {op.id}; {self.limits.said('run_seconds')}",
                )
            outputs, size = known.outputs, step.size
            if not step.settled:
                # Inferred once more, from the values themselves: the shapes alone did not say all.
                outputs = self.inference.outputs(
                    known, [None if a is None else fact_of(a, with_value=True) for a in arrays], path
                )
                size = size_in_bytes(outputs)
            self._afford(size)
            hold_possible(op, outputs)
            return self._faithful(step, arrays, self._compute(step, arrays, given, path), outputs)
        except Violation as violation:
            raise self.error(known, path, fault_of(op, violation)) from None
        except LayerFault as fault:
            raise self.error(known, path, fault) from None
        except LimitExceeded as limit:
            raise self.error(known, path, LayerFault(limit.rule, str(limit))) from None
        except MemoryError:
            raise self.error(known, path, out_of_memory(op)) from None

    def _afford(self, wanted: float) -> None:
        if self.held + wanted > self.limits.tensor_bytes:
            raise LimitExceeded(
                "byte-limit",
                f"would hold {self.held + wanted:,.0f} bytes, {self.limits.said('tensor_bytes')}",
            )

    def _compute(
        self, step: Step, arrays: Sequence[Array | None], given: Array | None, path: tuple[str, ...]
    ) -> Any:
        op = step.op
        backend, kernel = self._kernel(op)
        keywords = self._keywords(step, arrays, given, path) if step.keywords is None else step.keywords
        arguments = positional(op, named_inputs(op, arrays))
        try:
            with np.errstate(all="ignore"):
                return kernel(*arguments, **keywords)
        except (Violation, LayerFault, LimitExceeded, MemoryError, EvaluationError):
            raise
        except Declined as declined:
            raise LayerFault("declined-op", str(declined)) from None
        except Exception as error:
            message = (
                f"the kernel of {op.id} of backend {backend.name} failed: {type(error).__name__}: {error}"
            )
            raise LayerFault("failed-kernel", message) from error

    def _keywords(
        self, step: Step, arrays: Sequence[Array | None], given: Array | None, path: tuple[str, ...]
    ) -> dict[str, Any]:
        op, layer = step.op, step.layer
        value = self._constant(layer) if given is None and layer.is_constant else given
        extras: dict[str, Any] = {"value": value, "variables": self.variables}
        for name in op.definition.bodies:
            extras[name] = self._body(step.known, layer.bodies[name], path)
        return taken(op, "kernel", with_normal_axes(op, arrays, step.attributes), extras)

    def _constant(self, layer: Layer) -> Array:
        """A Const's tensor; kept where it is a view of the mapped weights and so takes no memory of
        its own.
        """
        array = self._mapped.get(id(layer))
        hold_weights(self.model)
        if array is None:
            array = constant(self.model, layer)
            if array.base is not None:
                self._mapped[id(layer)] = array
        return array

    def _kernel(self, op: Op) -> tuple[Backend, Callable[..., Any]]:
        if op.id not in self._kernels:
            anchored = not op.definition.inputs or op.definition.type == "Result"  # what no backend need know
            found = kernel_of(op, (Reference(),) if anchored else self.backends)
            if found is None:
                names = ", ".join(b.name for b in self.backends)
                raise LayerFault("unevaluable-op", f"no backend can compute {op.id}; asked were {names}")
            self._kernels[op.id] = found
        return self._kernels[op.id]

    def _body(self, known: LayerFacts, body: Body, path: tuple[str, ...]) -> BodyFunction:
        maps, declared = self.inference.maps(known.layer, body)
        parameters, results = parameters_of(body), results_of(body)
        deeper = (*path, known.layer.name, body.name)

        def apply(items: Sequence[Array]) -> list[Array]:
            values = self.graph(
                body.graph, {layer.id: item for layer, item in zip(parameters, items)}, deeper
            )
            return [values[result.id, 0] for result in results]

        inferred = known.bodies.get(body.name)
        promised = (
            () if inferred is None else tuple(inferred.layers[result.id].outputs[0] for result in results)
        )
        return BodyFunction(
            apply,
            declared,
            maps.inputs,
            maps.outputs,
            maps.back_edges,
            promised,
            self.limits.iterations,
            self.limits.tensor_bytes - self.held,
        )

    def _faithful(
        self, step: Step, arrays: Sequence[Array | None], result: Any, outputs: list[Fact]
    ) -> list[Array]:
        """The results as arrays, held to the inferred facts and, if asked for, to the reference."""
        op = step.op
        found = [
            result_array(r, fact)
            for r, fact in zip(result if isinstance(result, tuple) else (result,), outputs)
        ]
        for index, (array, fact) in enumerate(zip(found, outputs)):
            if not fact.admits(rounded(array, fact)):
                raise LayerFault(
                    "unfaithful-kernel",
                    f"the kernel of {op.id} gives {fact_of(array)} as output {index}, inferred is {fact}",
                )
        if self.verify and not op.definition.stateful and not op.definition.bodies and arrays:
            self._verify(step, arrays, found)
        return found

    def _verify(self, step: Step, arrays: Sequence[Array | None], found: list[Array]) -> None:
        op = step.op
        backend, _ = self._kernel(op)
        if backend.name == "reference" or op.functions.kernel is None:
            return
        keywords = taken(op, "kernel", with_normal_axes(op, arrays, step.attributes), {})
        truth = op.functions.kernel(*positional(op, named_inputs(op, arrays)), **keywords)
        for index, (ours, theirs) in enumerate(zip(found, truth if isinstance(truth, tuple) else (truth,))):
            why = difference(ours, np.asarray(theirs))
            if why:
                raise LayerFault(
                    "unfaithful-kernel",
                    f"output {index} of {op.id} by backend {backend.name} is not the reference's: {why}",
                )

    def error(self, known: LayerFacts, path: tuple[str, ...], fault: LayerFault) -> EvaluationError:
        """The error that tells what is wrong with a layer."""
        layer, source = known.layer, self.model.source
        place = (
            Location(None, None, None, layer.id, layer.name, path)
            if source is None
            else source.location(layer.at, layer, path)
        )
        constraint = f"{known.op.id}:{fault.constraint}" if known.op and fault.constraint else None
        return EvaluationError(
            [
                Diagnostic(
                    rule(fault.rule),
                    fault.message,
                    place,
                    constraint,
                    facts_line(known),
                    limit_notes(fault.rule),
                )
            ]
        )


def _uncomputable(found: Diagnostic) -> Diagnostic:
    """What is a mere warning as long as nothing runs: an op that is not defined."""
    what = re.split(r"[;,] its outputs", found.message)[0]
    return replace(found, rule=rule("unevaluable-op"), message=f"{what}, and cannot compute it")
