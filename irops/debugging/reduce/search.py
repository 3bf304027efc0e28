"""The steps of a reduction: layers first, then bodies, then shapes, values and attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from irops.debugging.reduce.attempts import Attempts
from irops.debugging.reduce.bisection import narrowed, without_each
from irops.debugging.reduce.bodies import body_cases
from irops.debugging.reduce.case import Case
from irops.debugging.reduce.cutting import Cutting
from irops.debugging.reduce.recording import Recording
from irops.debugging.reduce.shrinking import shrunk
from irops.debugging.reduce.simplifying import (
    in_simpler_types,
    static,
    with_default_attributes,
    with_one_result,
    with_plain_values,
    without_metadata,
)
from irops.debugging.reduce.stored_arrays import StoredArrays
from irops.debugging.reduce.within import with_smaller_bodies
from irops.diagnostics.diagnostic import DiagnosticError

SUSPECTS = 3
"""How many single layers are tried before the model is bisected."""
Step = Callable[[Case, Attempts], Case]


def reduced(case: Case, attempts: Attempts) -> Case:
    """The smallest case that is reached in steps that all fail; case must fail.

    Raises:  OutOfTries; attempts.best is then the smallest so far
    """
    case = hoisted(with_fewer_layers(_suspect(case, attempts) or case, attempts), attempts)
    if case.operations > 1 and attempts.judge.has_symptoms:
        with attempts.any_symptom():
            case = hoisted(with_fewer_layers(case, attempts), attempts)
    steps: list[Step] = [with_smaller_bodies, with_one_result, without_metadata]
    if attempts.judge.needs_values:
        steps += [static, shrunk, in_simpler_types, with_default_attributes, with_plain_values]
    for step in steps:
        case = step(case, attempts)
    return with_fewer_layers(case, attempts)


def suspects(case: Case, attempts: Attempts) -> Iterator[Case]:
    """The cases of single layers that the judge suspects."""
    numbers = attempts.judge.suspects(case)
    if not numbers:
        return
    store = StoredArrays()
    try:
        cutting = Cutting(case, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits)
        for number in numbers[:SUSPECTS]:
            with suppress(DiagnosticError):  # what feeds the layer cannot be computed
                yield cutting.part([number], values)
    finally:
        store.close()


def _suspect(case: Case, attempts: Attempts) -> Case | None:
    """The first suspect that fails."""
    return next((part for part in suspects(case, attempts) if attempts.fails(part)), None)


def with_fewer_layers(case: Case, attempts: Attempts) -> Case:
    """The case of few of its operations: bisected first, then without each that can be left out."""
    store = StoredArrays()
    try:
        cutting = Cutting(case, attempts.registry, attempts.limits)
        values = Recording(cutting, store, attempts.limits) if attempts.judge.needs_values else None
        smallest: dict[tuple[int, ...], Case] = {}

        def fails(operations: Sequence[int]) -> bool:
            try:
                part = cutting.part(operations, values)
            except DiagnosticError:  # the values that feed the part cannot be computed
                return False
            if attempts.fails(part, of_recording=True):
                smallest.clear()  # a case holds its analysis, which is large where the model is
                smallest[tuple(operations)] = part
                return True
            return False

        kept = without_each(narrowed(cutting.operations, fails), fails)
        return smallest.get(tuple(kept), case)
    finally:
        store.close()


def hoisted(case: Case, attempts: Attempts) -> Case:
    """The case of the body in which the fault is, where the body shows it by itself."""
    if not attempts.judge.needs_values:
        return case
    for _, body in body_cases(case, attempts):
        if attempts.fails(body):
            return hoisted(with_fewer_layers(body, attempts), attempts)
    return case
