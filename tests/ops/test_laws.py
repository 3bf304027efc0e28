"""Laws that every op obeys: weakening, agreement, totality, and the algebra of reversing."""

import zlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from invoking import infer_layer, loaded
from tiers import random_cases

import irops
from irops.analysis.invocation import OpFault
from irops.conformance.cases import inputs_of, outcome
from irops.dialects import others
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.spec.load import counterexamples, examples
from irops.values.dim import ANY, Dim
from irops.values.element import DYNAMIC, element_type, element_types, foreign_types
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape

REGISTRY = default_registry()
FOREIGN = [REGISTRY.newest(op) for dialect in others() for op in REGISTRY.ids(dialect.name)]
IDS = [
    op.id
    for op in loaded((*REGISTRY.ids(), *FOREIGN))
    if (op.id in REGISTRY._own or op.id in FOREIGN) and not op.definition.bodies
]
ASSUMING = {"Squeeze-1", "Squeeze-15", *(op for op in FOREIGN if op.startswith("onnx:Squeeze"))}
"""Where the specification itself has inference say more than it knows: an axis that is named and may have
size 1 is taken to vanish.
"""


def facts_of(op, case):
    return [None if t is None else Fact(t.element_type, t.shape, t.value) for t in inputs_of(op, case)]


def plain_cases(op, kind):
    return [case for case in kind(op.definition) if case.net is None]


CHOICES = st.integers(0, 5)


def weakened(draw, fact):
    """A fact that says no more than another does. draw: gives what a strategy generates"""
    if fact is None:
        return None
    kind = DYNAMIC if draw(CHOICES) == 0 else fact.element_type
    if fact.value is not None and kind is fact.element_type and draw(CHOICES) < 3:
        return Fact(kind, fact.shape, fact.value)
    if draw(CHOICES) == 0:
        return Fact(kind, UNRANKED)
    return Fact(kind, Shape(looser(draw, dim) for dim in fact.shape))


def looser(draw, dim):
    match draw(CHOICES):
        case 0 | 1:
            return dim
        case 2 | 3:
            return ANY
        case _:
            return Dim(max(dim.low - draw(CHOICES) // 2, 0), dim.high + draw(CHOICES) // 2)


@random_cases(few=6, many=25)
@pytest.mark.parametrize("op_id", [op for op in IDS if op not in ASSUMING])
def test_knowing_less_never_contradicts(op_id, case_count):
    op = REGISTRY.op(op_id)
    cases = plain_cases(op, examples)

    @settings(max_examples=case_count, deadline=None, derandomize=True)
    @given(st.data())
    def law(data):
        case = data.draw(st.sampled_from(cases)) if cases else None
        if case is None:
            return
        bound = bind(op, case.attributes).values
        strong = facts_of(op, case)
        known = infer_layer(op, strong, bound)
        weak = [weakened(data.draw, fact) for fact in strong]
        try:
            weaker = infer_layer(op, weak, bound)
        except OpFault as fault:
            if fault.constraint and op.definition.constraints[fault.constraint].of_knowledge:
                return
            raise
        for before, after in zip(known, weaker):
            assert after.shape.contains(before.shape), (
                f"{[str(f) for f in weak]} gives {after}, {[str(f) for f in strong]} gives {before}"
            )
            assert after.element_type in (DYNAMIC, before.element_type)

    law()


@pytest.mark.parametrize("op_id", IDS)
def test_what_is_known_in_part_admits_what_is_computed(op_id):
    """A value inferred from partly known inputs is one that the kernel's result lies in."""
    op = REGISTRY.op(op_id)
    if op.functions.values is None:
        return
    from invoking import attach_values

    for case in plain_cases(op, examples):
        bound = bind(op, case.attributes).values
        strong = facts_of(op, case)
        if any(f is not None and not f.element_type.integral for f in strong):
            continue
        outputs, _ = outcome(op, case)
        for blurred in range(len(strong)):
            weak = [
                (
                    f
                    if k != blurred or f is None
                    else f.with_value(
                        np.array(
                            [Dim(int(v) - 1, int(v) + 1) for v in f.value.ravel()],
                            dtype=object if f.value.size else f.value.dtype,
                        ).reshape(f.value.shape)
                    )
                )
                for k, f in enumerate(strong)
            ]
            try:
                found = attach_values(op, weak, bound, infer_layer(op, weak, bound), 1 << 16)
            except OpFault:
                continue
            for fact, array in zip(found, outputs):
                known = fact.known
                if known is not None:
                    assert all(
                        Dim.of(k if isinstance(k, Dim) else int(k)).can_be(int(v))
                        for k, v in zip(known.ravel(), array.ravel())
                    )


# Strategies are made once: to make one anew for each draw takes longer than what is tested.
DIMS = st.one_of(
    st.integers(0, 5).map(Dim.of),
    st.just(ANY),
    st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda p: Dim(min(p), max(p))),
    st.sampled_from([Dim.of(2**31), Dim.of(2**63 - 1), Dim(2, 2**63 - 1)]),
)
FACTS = st.builds(
    Fact,
    st.sampled_from((*element_types(), *foreign_types())),
    st.one_of(st.just(UNRANKED), st.lists(DIMS, max_size=5).map(Shape)),
)
KINDS = st.sampled_from(["i32", "i64", "f32", "boolean"]).map(element_type)
SMALL_SHAPES = st.lists(st.integers(0, 3), max_size=2)
NUMBERS = st.lists(
    st.one_of(st.integers(-3, 6), st.sampled_from([2**31 - 1, -(2**31)])), min_size=9, max_size=9
)


def with_value(kind, shape, numbers):
    return Fact(kind, Shape(shape), np.array(numbers[: int(np.prod(shape))], dtype=kind.dtype).reshape(shape))


ANY_FACTS = st.one_of(FACTS, st.builds(with_value, KINDS, SMALL_SHAPES, NUMBERS))


@random_cases(few=8, many=40)
@pytest.mark.parametrize("op_id", IDS)
def test_inference_is_total(op_id, case_count):
    """On any facts, inference returns or raises OpFault, nothing else."""
    op = REGISTRY.op(op_id)
    sets = [case.attributes for kind in (examples, counterexamples) for case in plain_cases(op, kind)] or [{}]

    @settings(max_examples=case_count, deadline=None, derandomize=True)
    @given(st.data())
    def law(data):
        bound = bind(op, data.draw(st.sampled_from(sets)))
        if not bound.usable:
            return
        count = data.draw(st.integers(0, len(op.definition.inputs) + 1))
        facts = [data.draw(ANY_FACTS) for _ in range(count)]
        try:
            outputs = infer_layer(op, facts, bound.values)
        except OpFault:
            return
        assert all(isinstance(fact, Fact) for fact in outputs)

    law()


SHAPES = st.lists(st.integers(0, 4), min_size=2, max_size=4)
TYPES = st.sampled_from(["f32", "i64", "boolean", "bf16", "u4", "string", "f8e4m3", "i8"])


def some_array(shape, kind):
    count = int(np.prod(shape))
    rng = np.random.default_rng(zlib.crc32(repr((shape, kind)).encode()))
    numbers = rng.integers(0, 2 if kind == "boolean" else 7, count)
    if kind == "string":
        return np.array([str(n) for n in numbers], object).reshape(shape)
    return numbers.astype(element_type(kind).dtype).reshape(shape)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(SHAPES, TYPES, st.data())
def test_reversing_twice_changes_nothing(shape, kind, data):
    array = some_array(shape, kind)
    axes = np.array(data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=3)), np.int64)
    once = irops.call("Reverse-1", array, axes, mode="index")
    assert np.array_equal(irops.call("Reverse-1", once, axes, mode="index"), array)
    batch, seq = data.draw(st.permutations(range(len(shape))))[:2]
    lengths = np.array([data.draw(st.integers(0, shape[seq])) for _ in range(shape[batch])], np.int32)
    turned = irops.call("ReverseSequence-1", array, lengths, batch_axis=batch, seq_axis=seq)
    assert np.array_equal(
        irops.call("ReverseSequence-1", turned, lengths, batch_axis=batch, seq_axis=seq), array
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(SHAPES, TYPES, st.data())
def test_the_formula_of_reverse_sequence_holds_for_every_element(shape, kind, data):
    array = some_array(shape, kind)
    lengths = np.array([data.draw(st.integers(0, shape[1])) for _ in range(shape[0])], np.int32)
    turned = irops.call("ReverseSequence-1", array, lengths, batch_axis=0, seq_axis=1)
    for b, length in enumerate(lengths):
        for s in range(shape[1]):
            source = length - 1 - s if s < length else s
            assert np.array_equal(turned[b, s], array[b, source])
