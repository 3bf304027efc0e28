"""Where a rule says that items do not meet, blocks give what the whole batch gives: all ops, all axes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from irops.analysis.batching.case import SAME, BatchedLayer, Input, Items, ItemsMeet, axis_of_items
from irops.analysis.batching.rules import rule_of
from irops.editing.splitting.worker import joined, packed, parts_of
from irops.ops.invocation import Invocation, OpFault
from irops.registry import default_registry
from irops.spec.cases import examples
from irops.values.dim import Dim
from irops.values.element import element_type_of, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import LimitExceeded, Violation

SIZES = (2, 3)
FORMS = ((1, 1), (2, 1), (1, 2))
"""each and outer of Items."""
COUNT = Dim(2, sum(SIZES)).named("items")
MAX_CHOICES = 60
REGISTRY = default_registry()
ONES = np.ones((3, 2, 2), np.float32)
MORE = {
    "Inverse-14": [({}, [np.array([[[2.0, 1.0], [1.0, 3.0]]])])],
    "Pad-12": [({"pad_mode": "edge"}, [ONES, np.array([0, 1, -1]), np.array([0, 0, 2]), None])],
}
"""Inputs of ops whose examples have no axis for a batch."""
OPS = [op for op in map(REGISTRY.op, REGISTRY.ids()) if rule_of(op) and op.id != "Broadcast-1"]


def choices(arrays, form):
    """For each input, the items that it may carry, or SAME."""
    options = [[SAME, *(Items(axis, *form) for axis in range(0 if a is None else a.ndim))] for a in arrays]
    every = [choice for choice in product(*options) if any(c is not SAME for c in choice)]
    if len(every) <= MAX_CHOICES:
        return every
    first = [choice for choice in every if all(c is SAME or c.axis == 0 for c in choice)]
    return [*first, *every[:: len(every) // MAX_CHOICES + 1]]


def batch(array, items, random):
    """An array with items along an axis, of elements of another array."""
    shape = list(array.shape)
    shape[items.axis] = sum(SIZES) * items.positions
    made = random.choice(array.ravel(), shape) if array.size else np.zeros(shape, array.dtype)
    return tagged(made.astype(array.dtype), element_type_of(array))


def fact_of_batch(array, items):
    return Fact(element_type_of(array), Shape(array.shape).with_dim(items.axis, COUNT * items.positions))


def accepted(invocation, arrays, choice):
    """What the rule gives for the outputs; None where it refuses, or the inputs break the definition."""
    op = invocation.op
    facts = [
        None if a is None else Fact.of(a) if items is SAME else fact_of_batch(a, items)
        for a, items in zip(arrays, choice)
    ]
    try:
        outputs = invocation.infer(facts, {"output_count": 0})
        attributes = invocation.normal_attributes(facts)
        names = [port.name for port in op.definition.inputs]
        entries = tuple(
            Input(names[min(k, len(names) - 1)], k, fact, items)
            for k, (fact, items) in enumerate(zip(facts, choice))
            if fact is not None
        )
        if any(fact.shape.dims is None for fact in outputs):
            return None
        carried = rule_of(op)(BatchedLayer(op.definition, attributes, entries, outputs, COUNT, range(9)))
    except (Violation, OpFault, ItemsMeet, LimitExceeded):
        return None
    for items, fact in zip(carried, outputs, strict=True):
        placed = axis_of_items(fact.shape, COUNT) if isinstance(items, Items) else None
        if placed is None or (placed.axis, placed.positions) != (items.axis, items.positions):
            return None
    return carried


def same(a, b):
    if a.dtype.kind in "biuOSU":
        return np.array_equal(a, b)
    return np.allclose(a.astype(np.float64), b.astype(np.float64), rtol=1e-4, atol=1e-5, equal_nan=True)


def tried(op):
    """How many ways to carry a batch the rule of an op accepts; each is computed whole and in blocks."""
    count = 0
    own = [
        (case.attributes, list(arrays_of(op, case))) for case in examples(op.definition) if case.net is None
    ]
    for attributes, arrays in (*own, *MORE.get(op.id, ())):
        invocation = Invocation(op, attributes)
        for form in FORMS:
            for choice in choices(arrays, form):
                count += agrees(invocation, arrays, choice)
    return count


def arrays_of(op, case):
    """The inputs of an example in order, None for one that is left out."""
    for port in op.definition.inputs:
        values = [t.value for t in case.tensors if t.name == port.name and not t.output]
        yield from values or ([] if port.variadic else [None])


def agrees(invocation, arrays, choice):
    carried = accepted(invocation, arrays, choice)
    if carried is None:
        return 0
    random = np.random.default_rng(0)
    whole = [a if c is SAME else batch(a, c, random) for a, c in zip(arrays, choice)]
    parts = [[a] * len(SIZES) if c is SAME else list(parts_of(a, c, SIZES)) for a, c in zip(whole, choice)]
    try:
        expected = invocation.compute(whole)
        results = [invocation.compute(list(block)) for block in zip(*parts)]
    except (Violation, OpFault):
        return 0  # random values may break what is required of values
    for index, items in enumerate(carried):
        together = joined([packed(np.asarray(result[index])) for result in results], items)
        assert same(expected[index], together), f"{invocation} {choice} output {index}"
    return 1


@pytest.mark.parametrize("op", [pytest.param(op, id=op.id) for op in OPS])
def test_what_a_rule_accepts_gives_the_same_in_blocks(op):
    assert tried(op) > 0
