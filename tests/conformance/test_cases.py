"""Which cases a definition brings, what is generated beyond, and how failing ones are reduced and shown."""

from collections import Counter
from contextlib import suppress
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from libraries import needs

pytest.importorskip("hypothesis")

import irops
from irops.conformance.cases import (
    LAYOUTS,
    InvalidTrial,
    Trial,
    TrialInput,
    definition_cases,
    expected_of,
    fits,
    in_layout,
    mismatch,
)
from irops.conformance.kit import PASSED, WRONG_OUT, Search, reduced, snippet
from irops.conformance.strategies import FILLS, _retyped, filled, source_of
from irops.conformance.verdict import CaseVerdict, Status
from irops.dialects.registry import default_registry
from irops.values.arrays import LONG, array_literal, literal
from irops.values.element import CODED, element_type, element_type_of, element_types, tagged

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


def trial_of(op, *inputs, **attributes):
    """inputs: arrays, or (array, layout)"""
    given = (each if isinstance(each, tuple) else (np.asarray(each), "plain") for each in inputs)
    return Trial(REGISTRY.op(op), tuple(TrialInput(*each) for each in given), attributes)


def reverse(data, axes, mode="index"):
    return trial_of("Reverse-1", data, axes, mode=mode)


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


@pytest.mark.parametrize("name", ["nf4", "u4", "u1", "f16", "i8"])
def test_a_scalar_of_another_type_is_an_array(name):
    assert isinstance(_retyped(np.array(200, np.uint8), element_type(name)), np.ndarray)


RNG = np.random.default_rng(0)


def valid(case):
    try:
        return expected_of(case).violated is None
    except InvalidTrial:
        return False


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.float16])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_case_that_always_fails_is_reduced_to_nothing(dtype, layout):
    case = reverse((RNG.integers(0, 100, (3, 17, 4)).astype(dtype), layout), [1, 2])
    small = reduced(case, valid)
    assert [given.array.size for given in small.inputs] == [0, 0]
    assert {given.layout for given in small.inputs} == {"plain"}


def test_a_fault_from_a_size_on_is_cut_down_to_that_size():
    large = reverse(RNG.random((9, 40, 3)), [0])
    small = reduced(large, lambda case: valid(case) and case.inputs[0].array.shape[1] >= 33)
    assert small.inputs[0].array.shape == (0, 33, 0)


def test_a_fault_of_one_element_keeps_that_element():
    data = np.arange(60, dtype=np.float64).reshape(3, 20)
    small = reduced(reverse(data, [0]), lambda case: valid(case) and 47 in case.inputs[0].array)
    assert small.inputs[0].array.tolist() == [[47]]


def test_a_fault_of_a_layout_keeps_the_layout():
    case = reverse((RNG.random((4, 4)), "fortran"), [0])
    small = reduced(case, lambda each: valid(each) and each.inputs[0].layout == "fortran")
    assert small.inputs[0].layout == "fortran"


def test_reductions_that_pass_are_discarded():
    case = reverse(RNG.random((4, 4)), [0])
    assert reduced(case, lambda smaller: False) is case


KINDS = [kind for kind in element_types() if kind.name != "dynamic"]
WRONG = CaseVerdict(Status.FAILED, "", "wrong result")
NAMES = {"np": np, "ml_dtypes": ml_dtypes, "zlib": __import__("zlib"), "base64": __import__("base64")}


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_array_is_written_exact_to_the_bit(kind):
    shapes = [(), (0,), (3,), (2, 0, 3), (2, 5), (LONG + 1,), (3, LONG)]
    for shape, fill in product(shapes, FILLS):
        array = filled(kind, shape, fill, 5)
        again = tagged(eval(array_literal(array), dict(NAMES)), kind)
        assert (again.shape, element_type_of(again)) == (array.shape, kind)
        if kind.name == "string":
            assert again.tolist() == array.tolist()
        else:
            assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (True, "True"),
        ((1, -1), "(1, -1)"),
        ("mask", "'mask'"),
        (element_type("f32"), "'f32'"),
        (0.5, "0.5"),
    ],
)
def test_attributes_are_written_as_call_takes_them(value, text):
    assert literal(value) == text


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["f32", "i8", "u3", "nf4", "string", "bf16", "boolean"])
def test_a_layout_changes_no_element_and_no_type(layout, kind):
    for shape in ((), (0,), (2, 3), (3, 1, 2)):
        array = filled(element_type(kind), shape, "counting")
        there = in_layout(array, layout)
        assert (there.shape, element_type_of(there)) == (shape, element_type(kind))
        assert there.tolist() == array.tolist()
        assert not np.shares_memory(there, array)


def test_layouts_are_what_they_are_called():
    array = filled(element_type("f32"), (4, 6), "counting")
    there = {name: in_layout(array, name) for name in LAYOUTS}
    assert there["plain"].flags.c_contiguous
    assert not there["read-only"].flags.writeable
    assert there["fortran"].flags.f_contiguous
    assert there["stepped"].strides[-1] == 8
    assert there["backward"].strides[-1] == -4
    assert not there["unaligned"].flags.aligned


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "plain"])
def test_the_statement_of_a_layout_makes_it(layout):
    array = filled(element_type("f32"), (4, 6), "counting")
    scope = {"np": np, "x": array.copy()}
    exec(LAYOUTS[layout].statement, scope)
    ours, theirs = scope["x"], in_layout(array, layout)
    assert (ours.tolist(), ours.strides, ours.flags.writeable, ours.flags.aligned) == (
        theirs.tolist(),
        theirs.strides,
        theirs.flags.writeable,
        theirs.flags.aligned,
    )


def test_strings_cannot_be_unaligned():
    assert not fits(np.array(["a"], object), "unaligned")


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_snippet_ends_well_with_the_reference(kind, layout):
    trial = reverse((filled(element_type(kind), (2, 3), "bits"), layout), [1])
    exec(snippet(trial, expected_of(trial), WRONG, "reference"), {})


@needs("numba")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("data", [np.zeros((), "f4"), np.ones((2, 3), "f4")])
def test_a_snippet_lets_a_kernel_fill_an_array_in_a_layout_that_can_be_written(layout, data):
    axes = TrialInput(np.arange(data.ndim))
    trial = Trial(default_registry().op("Reverse-1"), (TrialInput(data, layout), axes), {"mode": "index"})
    exec(snippet(trial, expected_of(trial), CaseVerdict(Status.FAILED, "", WRONG_OUT), "numba"), {})


def test_a_snippet_of_several_inputs_and_outputs():
    trial = trial_of("Split-1", np.arange(6.0).reshape(2, 3), 1, num_splits="3")
    text = snippet(trial, expected_of(trial), WRONG, "reference")
    exec(text, {})
    assert "ours[2]" in text
    concat = trial_of("Concat-1", np.zeros((1, 2)), np.ones((3, 2)), axis="0")
    text = snippet(concat, expected_of(concat), WRONG, "reference")
    exec(text, {})
    assert "_0, " in text


def test_invalid_inputs_are_passed_to_the_kernel_directly():
    trial = trial_of("ReverseSequence-1", np.zeros((1, 2)), [3], batch_axis="0", seq_axis="-1")
    text = snippet(trial, expected_of(trial), WRONG, "reference")
    assert "batch_axis=0, seq_axis=1)" in text
    exec(text, {})


def test_codes_are_tagged_again():
    assert set(CODED) == {"u1", "u3", "u6", "nf4"}
    trial = reverse(filled(element_type("u3"), (2,), "bits"), [0])
    assert 'data = irops.tagged(data, element_type("u3"))' in snippet(trial, expected_of(trial), WRONG, "x")
    assert irops.tagged
