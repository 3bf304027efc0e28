"""Laws of all steps of conversions: results, types, names and attributes are those of the node before."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from step_cases import bits, cases_of, names_of

import irops
from irops.diagnostics.diagnostic import DiagnosticError, EvaluationError
from irops.editing.conversion.convert import take_step
from irops.editing.conversion.steps import STEPS
from irops.editing.conversion.targets import NotConvertibleError
from irops.editing.graph.graph import Graph
from irops.spec.releases import opsets

ALL = [step for steps in STEPS.values() for step in steps]
IDS = [f"{step.old} to {step.new} {number}" for number, step in enumerate(ALL)]
cases = cache(lambda op_id: tuple(cases_of(op_id)))


def taken(case, step):
    """The model of a case after a step; None where it is invalid, or the step refuses it."""
    graph = Graph(case.model)
    node = next(node for node in graph if node.op is not None and node.op.id == step.old)
    if node.failed:
        return None
    try:
        with graph.changes():
            take_step(graph, node, step)
    except (NotConvertibleError, DiagnosticError):
        return None
    return graph.model()


def results(model, case):
    """The results; None where the model refuses the values of the case."""
    try:
        return irops.run(model, dict(enumerate(case.inputs)))
    except EvaluationError:
        return None


@pytest.mark.parametrize("step", ALL, ids=IDS)
def test_a_step_changes_no_result_type_or_name_and_gives_a_valid_model(step):
    count = 0
    for case in cases(step.old):
        model = taken(case, step)
        before = None if model is None else results(case.model, case)
        if model is None or before is None:
            continue
        assert irops.check(model).errors == (), case.name
        assert names_of(case.model) == names_of(model), case.name
        after = results(model, case)
        assert after is not None, case.name
        assert list(after) == list(before), case.name
        for name in before:
            assert_same(before[name], after[name], step, f"{case.name}, {name}")
        count += 1
    assert count >= 2, "no example has a form that the step accepts"


def assert_same(before, after, step, where):
    if not step.rounds:
        assert bits(before) == bits(after), where
        return
    assert (before.dtype, before.shape) == (after.dtype, after.shape), where
    a, b = before.astype(np.float64), after.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    tolerance = 1e-5 if before.dtype.itemsize >= 4 else 2e-2
    assert np.allclose(a[finite], b[finite], rtol=tolerance, atol=tolerance), where


def test_all_pairs_of_versions_have_steps_or_are_listed_without():
    """Versions of an op that differ in more than a conversion can express, in either direction."""
    without = {
        ("Assign-3", "Assign-6"),
        ("Interpolate-1", "Interpolate-4"),
        ("NonMaxSuppression-3", "NonMaxSuppression-4"),
        ("NonMaxSuppression-4", "NonMaxSuppression-5"),
        ("ReadValue-3", "ReadValue-6"),
    }
    for versions in opsets().versions.values():
        for old, new in pairwise(versions):
            down = {step.new for step in STEPS.get(new.id, ())}
            up = {step.new for step in STEPS.get(old.id, ())}
            expected = (old.id, new.id) not in without
            assert (old.id in down, new.id in up) == (expected, expected), (old.id, new.id)
