"""Which cases a definition brings, what is true of them, and what is generated beyond."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from irops.conformance.cases import definition_cases
from irops.conformance.client import PASSED, mismatch
from irops.conformance.kit import Search
from irops.conformance.strategies import _retyped, source_of
from irops.conformance.trial import InvalidTrial, Trial, TrialInput, expected_of
from irops.dialects.registry import default_registry
from irops.values.element import element_type, element_type_of

REGISTRY = default_registry()


def known(op):
    return list(definition_cases(REGISTRY.op(op)))


def test_every_example_is_a_case():
    assert sum(case.kind == "example" for case in known("ReverseSequence-1")) == 5


def test_counterexamples_detected_by_types_and_shapes_are_skipped():
    violated = {}
    for case in known("ReverseSequence-1"):
        with suppress(InvalidTrial):
            if case.kind == "counterexample":
                violated[case.name.split(",")[0]] = case.expected(case.trial).violated
    rules = {"C2": "C2", "C3": "C3", "C4": "C4", "C5": None, "C6": None}
    assert violated == {f"counterexample of {name}": rule for name, rule in rules.items()}


def test_counterexamples_of_warnings_must_be_computed():
    truths = [case.expected(case.trial) for case in known("ReverseSequence-1") if "of C5" in case.name]
    assert [output.tolist() for output in truths[0].outputs] == [[[1, 2]]]


def reverse(data, axes, mode="index"):
    return Trial(
        REGISTRY.op("Reverse-1"), (TrialInput(np.asarray(data)), TrialInput(np.asarray(axes))), {"mode": mode}
    )


@pytest.mark.parametrize(
    "trial", [reverse([1.0], [True]), reverse([1.0], [0], "sideways"), reverse([1.0], [[0]])]
)
def test_invalid_types_shapes_and_attributes_are_not_trials(trial):
    with pytest.raises(InvalidTrial):
        expected_of(trial)


def test_invalid_values_violate_a_constraint():
    assert expected_of(reverse([1.0], [1])).violated == "C4"


def test_movement_is_compared_bit_by_bit():
    op = REGISTRY.op("Reverse-1")
    zeros = np.array([0.0, -0.0], np.float32)
    assert mismatch(op, zeros, zeros) == ""
    assert mismatch(op, zeros, zeros[::-1]) == "2 of 2 elements differ, the first at [0]: 0.0, must be -0.0"
    signalling = np.array([0x7C01], np.uint16).view(np.float16)
    quiet = np.array([0x7E01], np.uint16).view(np.float16)
    bits = "1 of 1 elements differ, the first at [0]: nan, must be nan (bits 0x7e01 and 0x7c01)"
    assert mismatch(op, quiet, signalling) == bits
    assert mismatch(op, zeros, zeros[:1]) == "shape [2], must be [1]"
    assert mismatch(op, zeros, zeros.astype(np.float64)) == "element type f32, must be f64"


def test_arithmetic_is_compared_within_its_tolerance():
    op = REGISTRY.op("Sin-1")
    one = np.array([1.0], np.float32)
    assert mismatch(op, one, one + np.float32(1e-6)) == ""
    assert mismatch(op, one, one + np.float32(0.1)) != ""


def generated(op, examples, seed=0):
    seen = []

    def check(trial):
        seen.append((trial, expected_of(trial)))
        return PASSED

    search = Search(check, 60.0)
    source = source_of(REGISTRY.op(op))
    search.run(source.sweep, source.strategy, examples, seed)
    return seen


@pytest.mark.parametrize("op", ["Reverse-1", "ReverseSequence-1"])
def test_most_generated_cases_are_valid_and_of_many_kinds(op):
    seen = generated(op, 400)
    assert len(seen) >= 400
    counted = Counter(expected.violated for _, expected in seen)
    assert counted[None] > 0.9 * len(seen)
    assert len(counted) > 1, "some are to be refused"
    first = [trial.inputs[0] for trial, _ in seen]
    layouts = {"plain", "read-only", "fortran", "stepped", "backward", "unaligned"}
    assert {given.layout for given in first} == layouts
    data, second = REGISTRY.op(op).definition.inputs
    assert {element_type_of(given.array).name for given in first} == data.allowed
    found = {element_type_of(trial.inputs[1].array).name for trial, _ in seen}
    assert found >= second.allowed - {"boolean"}
    assert any(given.array.size == 0 for given in first)
    assert any(max(given.array.shape, default=0) > 256 for given in first)
    assert max(given.array.ndim for given in first) >= 6


def test_axes_of_reverse_sequence_come_in_any_order():
    attributes = [trial.attributes for trial, _ in generated("ReverseSequence-1", 400)]
    both = [each for each in attributes if {"batch_axis", "seq_axis"} <= each.keys()]  # others are defaults
    pairs = {(each["batch_axis"], each["seq_axis"]) for each in both}
    assert len(both) > 200
    assert any(int(batch) > int(seq) >= 0 for batch, seq in pairs)
    assert any(int(batch) < 0 for batch, _ in pairs)


@pytest.mark.parametrize("op", ["Add-1", "Concat-1", "Gather-8", "Transpose-1", "Split-1", "SoftMax-8"])
def test_other_ops_have_their_examples_varied(op):
    seen = generated(op, 60)
    starts = {repr(case.trial.inputs) for case in known(op)}
    assert sum(repr(trial.inputs) not in starts for trial, _ in seen) > 30


def test_an_op_without_an_example_of_its_own_has_nothing_to_vary():
    assert source_of(REGISTRY.op("If-8")) is None


@pytest.mark.parametrize("op", ["Reverse-1", "ReverseSequence-1"])
def test_large_cases_are_larger_than_a_cache_and_valid(op):
    large = list(source_of(REGISTRY.op(op)).large)
    assert len(large) > 10
    assert all(30e6 < trial.inputs[0].array.nbytes < 60e6 for trial in large)
    assert expected_of(large[-1]).violated is None


@pytest.mark.parametrize("name", ["nf4", "u4", "u1", "f16", "i8"])
def test_a_scalar_of_another_type_is_an_array(name):
    assert isinstance(_retyped(np.array(200, np.uint8), element_type(name)), np.ndarray)
