"""What values carry through a model: axes of items, sizes, and indices made of the numbers of items."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.analysis.batching.case import COUNTED, SAME, Items, Numbered
from irops.analysis.batching.proof import prove
from irops.analysis.model_analysis import ModelAnalysis
from irops.values.shape import Shape


def proof_of(g, *shapes):
    analysis = ModelAnalysis(g.model())
    ports = analysis.signature.inputs
    facts = {port.layer.id: port.fact.with_shape(Shape(shape)) for port, shape in zip(ports, shapes)}
    batched = {port.layer.id: 0 for port in ports}
    return prove(analysis, facts, batched, 8, [layer.id for layer in analysis.root.results])


def carried(proof, name, index=0):
    return proof.carried[proof.analysis.root.find(name).layer.id, index]


def test_heads_and_positions_are_merged_with_items_and_split_again():
    g = irops.Graph("heads")
    x = g.parameter("x", "f32[N,6,8]")
    rows = g.ops.Reshape(x, [-1, 8], special_zero=False, name="rows")
    heads = g.ops.Reshape(rows, [-1, 6, 2, 4], special_zero=False, name="heads")
    moved = g.ops.Transpose(heads, [1, 2, 0, 3], name="moved")
    merged = g.ops.Reshape(moved, [6, -1, 4], special_zero=False, name="merged")
    g.result(g.ops.Reshape(merged, [-1, 4], special_zero=False, name="all"), name="y")
    proof = proof_of(g, (8, 6, 8))
    assert proof.refusals == ()
    names = ("rows", "heads", "moved", "merged", "all")
    assert [carried(proof, name) for name in names] == [
        Items(0, 6),
        Items(0),
        Items(2),
        Items(1, outer=2),
        Items(0, outer=12),
    ]


def test_a_reshape_that_takes_items_apart_is_refused():
    g = irops.Graph("apart")
    g.result(g.ops.Reshape(g.parameter("x", "f32[N,6]"), [4, -1], special_zero=False), name="y")
    (refused,) = proof_of(g, (8, 6)).refusals
    assert "has no axis of items" in refused.message


def test_sizes_are_followed_and_other_sizes_are_the_same_for_all_items():
    g = irops.Graph("sizes")
    sizes = g.ops.ShapeOf(g.parameter("x", "f32[N,6]"), output_type="i64", name="sizes")
    g.result(g.ops.Gather(sizes, 1, 0, name="length"), name="y")
    proof = proof_of(g, (8, 6))
    assert carried(proof, "sizes") is COUNTED
    assert carried(proof, "length") is SAME


@pytest.mark.parametrize(
    ("step", "shift", "is_own"), [(5, 0, True), (4, 0, False), (5, 1, False), (5, -1, False)]
)
def test_an_item_may_read_only_its_own_elements_by_index(step, shift, is_own):
    g = irops.Graph("read")
    mask = g.parameter("mask", "i64[N,5]")
    items = g.ops.Gather(g.ops.ShapeOf(mask, output_type="i64"), 0, 0)
    numbers = g.ops.Unsqueeze(g.ops.Range(0, items, 1, output_type="i64"), [1])
    index = g.ops.Add(numbers * step, np.arange(5) + shift, name="index")
    g.result(g.ops.Gather(g.ops.Reshape(mask, [-1], special_zero=False), index, 0, name="read"), name="y")
    proof = proof_of(g, (8, 5))
    found = carried(proof, "index")
    assert isinstance(found, Numbered)
    assert found.step.tolist() == [[step] * 5]
    assert (proof.refusals == ()) is is_own
    assert is_own == ((proof.analysis.root.find("read").layer.id, 0) in proof.carried)


def test_what_depends_on_a_refused_layer_is_not_refused_again():
    g = irops.Graph("once")
    total = g.ops.ReduceSum(g.parameter("x", "f32[N,6]"), [0], keep_dims=True)
    g.result(g.ops.ReduceSum(g.ops.Exp(total), [0], keep_dims=False), name="y")
    assert len(proof_of(g, (8, 6)).refusals) == 1


def test_a_layer_that_no_result_needs_is_not_looked_at():
    g = irops.Graph("unused")
    x = g.parameter("x", "f32[N,6]")
    g.ops.ReduceSum(x, [0], keep_dims=False)
    g.result(g.ops.Exp(x), name="y")
    assert proof_of(g, (8, 6)).refusals == ()
