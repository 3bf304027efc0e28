"""Runs of a model: at once, or layer by layer for those who watch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from irops.ir.weights import require_unchanged_weights
from irops.runtime.computed import Arrays, Computed, Observer
from irops.runtime.direct import DirectRun
from irops.runtime.evaluator import Evaluator
from irops.runtime.plan import Step, ValueKey
from irops.runtime.record import Record
from irops.runtime.stepwise import Run
from irops.runtime.variables import Variables
from irops.values.element import Array


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
