"""Laws of all expansions: as nodes and as arrays they give the results, types and names of the op itself."""

from __future__ import annotations

import contextlib
from functools import cache
from itertools import islice, pairwise

import networkx
import numpy as np
import pytest
from long_laws import measured, outcomes, trials_of
from step_cases import StepCase, bits, cases_of, names_of

import irops
from irops.diagnostics.diagnostic import DiagnosticError, EvaluationError
from irops.editing.conversion.convert import take
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node
from irops.expansion.arrays import computed
from irops.expansion.expanding import Expansion, RefusedError, expanded_ops, expansions_of
from irops.expansion.openvino.arithmetic import mean_of_integers, squared_difference
from irops.expansion.openvino.movement import col2im_without_batch
from irops.ir.model import Model
from irops.ops.invocation import Invocation, OpFault
from irops.registry import default_registry
from irops.spec.op import Op
from irops.spec.opsets import opsets
from irops.values.element import STRING, Array
from irops.values.fact import Fact
from irops.values.violation import Violation

ALL = [step for op in expanded_ops() for step in expansions_of(op)]
IDS = [f"{step.old} to {step.new} {number}" for number, step in enumerate(ALL)]
USUAL = ("f32", "f16", "i64", "i8", "boolean")
"""The element types of the first input that tests take; long_laws.py takes all."""
MOST_UNITS = 16
"""How many units in the last place of the largest number, or of 1, expansions that round may differ by."""
WITHOUT_EXAMPLES = (squared_difference, mean_of_integers, col2im_without_batch)
"""Expansions for types that no example of the op has; random inputs reach them."""
cases = cache(lambda op_id: tuple(cases_of(op_id)))


def taken(case: StepCase, step: Expansion) -> Model | None:
    """The model of a case after a step; None where it is invalid, or the step refuses it."""
    graph = Graph(case.model)
    node = next(node for node in graph if node.op is not None and node.op.id == step.old)
    if node.failed:
        return None
    try:
        with graph.store.change():
            take(graph, node, step)
    except RefusedError as refused:
        if str(refused).startswith("its output would be"):
            pytest.fail(f"{case.name}: {refused}")
        return None
    except DiagnosticError:
        return None
    return graph.model()


def results(model: Model, case: StepCase) -> dict[str, Array] | None:
    """The results; None where the model refuses the values of the case."""
    try:
        return irops.run(model, dict(enumerate(case.inputs)))
    except EvaluationError:
        return None


@pytest.mark.parametrize("step", ALL, ids=IDS)
def test_a_step_changes_no_result_type_or_name_and_gives_a_valid_model(step: Expansion) -> None:
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
    assert count >= 2 or step.function in WITHOUT_EXAMPLES, "no example has a form that the step accepts"


@pytest.mark.parametrize("step", ALL, ids=IDS)
def test_an_expansion_computes_what_the_kernel_computes(step: Expansion) -> None:
    count, registry = 0, default_registry()
    op = registry.op(step.old)
    for case in cases(step.old):
        graph = Graph(case.model)
        node = next(node for node in graph if node.op is not None and node.op.id == step.old)
        if any(source is not None and source.element_type is STRING for source in node.sources):
            continue  # constants of strings have no known value in a graph
        arrays, used = arrays_of_inputs(case, node), [bool(users) for users in node.consumers]
        invocation = Invocation(op, node.data)
        try:
            invocation.infer([None if array is None else Fact.of(array) for array in arrays])
            expected = invocation.compute(arrays)
        except (OpFault, Violation):
            continue
        try:
            found = computed(step, invocation, arrays, registry, used.__getitem__)
        except RefusedError:
            continue
        except OpFault:
            assert not step.is_decomposition, case.name
            continue
        for before, after, is_used in zip(expected, found, used, strict=False):
            if is_used:
                assert_same(np.asarray(before), after, step, case.name)
        count += 1
    assert count >= 2 or step.function in WITHOUT_EXAMPLES, "no example has a form that it accepts"


@pytest.mark.parametrize("step", ALL, ids=IDS)
def test_an_expansion_agrees_with_the_kernel_on_random_inputs(step: Expansion) -> None:
    with np.errstate(all="ignore"):
        rows = measured(step, USUAL)
    if step.function in WITHOUT_EXAMPLES:
        assert sum(row.taken for row in rows.values()) >= 2
    for kind, row in rows.items():
        assert not row.faults, (kind, row.faults[0])
        if step.rounds:
            assert row.of_largest <= MOST_UNITS, (kind, row)
        else:
            assert (row.units, row.apart) == (0, 0), (kind, row)


def test_ops_in_the_place_of_an_op_do_not_lead_back_to_it() -> None:
    parts = networkx.DiGraph()
    for step in ALL:
        if step.is_decomposition:
            parts.add_edges_from((step.old, part) for part in ops_of(step))
    assert list(islice(networkx.simple_cycles(parts), 3)) == []


class RecordedOps:
    """Looks ops up, and keeps their ids."""

    def __init__(self) -> None:
        self.ids: set[str] = set()

    def named(self, name: str) -> Op:
        op = default_registry().named(name)
        self.ids.add(op.id)
        return op


def ops_of(step: Expansion) -> set[str]:
    """The ops that an expansion adds for the examples of its op."""
    recorded = RecordedOps()
    for trial in trials_of(default_registry().op(step.old), ("f32", "i32", "boolean")):
        with contextlib.suppress(OpFault):
            outcomes(step, trial, recorded)
    return recorded.ids


def arrays_of_inputs(case: StepCase, node: Node) -> list[Array | None]:
    """The inputs of the only op of a case, whether Parameters or constants."""
    given = iter(case.inputs)
    return [
        None if source is None else next(given) if source.value is None else source.value
        for source in node.sources
    ]


def assert_same(before: Array, after: Array, step: Expansion, where: str) -> None:
    if not step.rounds:
        assert bits(before) == bits(after), where
        return
    assert (before.dtype, before.shape) == (after.dtype, after.shape), where
    a, b = before.astype(np.float64), after.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    tolerance = 1e-5 if before.dtype.itemsize >= 4 else 2e-2
    assert np.allclose(a[finite], b[finite], rtol=tolerance, atol=tolerance), where


@pytest.mark.parametrize("step", ALL, ids=IDS)
def test_a_step_leads_to_an_op_that_exists(step: Expansion) -> None:
    known = {version.id for version in opsets().all()}
    assert {step.old, step.new} <= known
    assert step.old != step.new


def test_all_pairs_of_versions_have_steps_or_are_listed_without() -> None:
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
            down = {step.new for step in expansions_of(new.id)}
            up = {step.new for step in expansions_of(old.id)}
            expected = (old.id, new.id) not in without
            assert (old.id in down, new.id in up) == (expected, expected), (old.id, new.id)
