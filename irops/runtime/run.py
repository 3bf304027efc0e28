"""Runs of a model: at once, or layer by layer for those who watch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from time import monotonic
from typing import Any

import numpy as np

from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import EvaluationError
from irops.invocation import OpFault
from irops.ir.weights import require_unchanged_weights
from irops.runtime.arrays import require_room
from irops.runtime.computed import Arrays, Computed, Observer
from irops.runtime.evaluator import Evaluator
from irops.runtime.overwriting import in_order, unshared
from irops.runtime.plan import Step, ValueKey
from irops.runtime.precision import rounded
from irops.runtime.program import Action, Program, Values
from irops.runtime.record import Record
from irops.runtime.stepwise import Run
from irops.runtime.variables import Variables
from irops.values.element import Array
from irops.values.tensors import result_array
from irops.values.violation import LimitExceeded, Violation, collect_warnings


def run_model(
    evaluator: Evaluator,
    given: Mapping[int, Array],
    keep: Collection[int],
    variables: Variables,
    record: Record | None = None,
    observer: Observer | None = None,
    run_type: type[Run] | None = None,
) -> dict[ValueKey, Array]:
    """Values of Results, and of the layers to keep, by layer id and output.

    given: values of Parameters, and of constants that are replaced, by layer id; record: takes the warnings;
    observer: called for every layer, those of bodies included; run_type: a class of runs, by default the
    fastest one
    Raises:  EvaluationError; the variables are then as before
    """
    transaction = variables.begin()
    if run_type is None:
        is_watched = observer is not None or evaluator.verify or evaluator.progress is not None
        run_type = Run if is_watched else DirectRun
    require_unchanged_weights(evaluator.analysis.model)
    run = run_type(evaluator, transaction, record, observer)
    values = run.graph(evaluator.analysis.root, given, keep)
    require_unchanged_weights(evaluator.analysis.model)  # else nobody knows what they were computed from
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


def run_layer(evaluator: Evaluator, step: Step, inputs: Arrays, observer: Observer) -> list[Array]:
    """The outputs of one layer. observer: called for the layers of its bodies. Raises: EvaluationError"""
    return Run(evaluator, Variables().begin(), observer=observer).layer(step, inputs).outputs


# The run that nobody watches: it executes the program of a plan.

OF_KERNELS = (Violation, OpFault, LimitExceeded, MemoryError, EvaluationError)
"""What kernels raise by intention."""


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
                    step, function, arguments, keywords, dtype, shape, slots, freed, need, _, overwrites = (
                        action
                    )
                    if in_use + need > limit or monotonic() > end:
                        self._refuse(step, in_use + need - step.size)
                    if function is None:
                        self._compute_step(program, action, values, given, in_use, warnings)
                        in_use += _bytes_of(values, slots, sized)
                    else:
                        if overwrites:
                            room = unshared(values, overwrites)
                            fits = room is not None and in_order(arguments(values))
                            keywords = {"out": room} if fits else {}
                            del room
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
                        del result, keywords  # else it lives while the next one is computed
                    if warnings:
                        self._warn(step, warnings)
                        warnings.clear()
                    if sized:
                        in_use -= _bytes_of(values, freed, sized)
                    for slot in freed:
                        values[slot] = None
        except EvaluationError:
            raise
        except OpFault as fault:
            assert step is not None
            raise self._located(step, fault) from fault.__cause__
        except (Violation, LimitExceeded, MemoryError) as error:
            assert step is not None
            raise self._located(step, error) from None
        return values

    def _refuse(self, step: Step, in_use: float) -> None:
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
        for slot, array in zip(action.slots, self._checked(action.step, (), results, facts)):
            values[slot] = array


def _bytes_of(values: Values, slots: Collection[int], sized: Collection[int]) -> int:
    """The bytes of the values in those slots whose sizes the plan does not know."""
    arrays = (values[slot] for slot in slots if slot in sized)
    return sum(array.nbytes for array in arrays if array is not None)
