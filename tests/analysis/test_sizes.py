"""Sizes through a model: what is known of a dynamic size stays known on its way through shape sub-graphs."""

import numpy as np
import pytest

from irops.analysis.model_analysis import infer


@pytest.fixture
def attention(net):
    """x [?,?,32] -> heads by a Reshape to (batch, length, 4, 8) that a shape sub-graph computes, swapped,
    and merged again.
    """
    return net(
        "x: f32[?,?,32]; shape: ShapeOf-opset3 x output_type=i64",
        "batch: Gather-opset8 shape first zero batch_dims=0",
        "length: Gather-opset8 shape second zero batch_dims=0",
        "split: Concat batch length four rest axis=0; heads: Reshape x split special_zero=false",
        "swapped: Transpose heads order; together: Concat batch length rest axis=0",
        "merged: Reshape swapped together special_zero=false; flat: Reshape merged rest special_zero=false",
        "again: Reshape flat together special_zero=false; y: Result again",
        **{name: np.array([n]) for name, n in (("first", 0), ("second", 1), ("four", 4), ("rest", -1))},
        zero=np.array(0),
        order=np.array([0, 2, 1, 3]),
    )


def shapes(facts, *names):
    return [str(facts[name, 0].shape) for name in names]


def test_a_size_that_is_left_is_known_where_the_dynamic_ones_cancel_out(attention):
    found = shapes(infer(attention), "heads", "swapped", "merged", "flat", "again")
    assert found == ["[?,?,4,8]", "[?,4,?,8]", "[?,?,32]", "[?]", "[?,?,32]"]


def test_bounds_go_through_a_shape_sub_graph(attention):
    facts = infer(attention, {"x": "2,1..16,32"})
    assert shapes(facts, "heads", "again", "flat") == ["[2,1..16,4,8]", "[2,1..16,32]", "[64..1024]"]
    assert [str(size) for size in facts["split", 0].dims] == ["2", "1..16", "4", "-1"]


def test_names_that_a_caller_gives_come_out_again(attention):
    flat, again = (infer(attention, {"x": "batch,length,32"})[name, 0].shape for name in ("flat", "again"))
    assert (flat.spelled, again.spelled) == ("[32*batch*length]", "[batch,length,32]")
    assert (str(flat), str(again)) == ("[?]", "[?,?,32]")


def test_no_name_that_a_caller_gives_is_taken_for_another(attention):
    facts = infer(attention, {"x": "n0,n1,32"})
    assert facts["heads", 0].shape.spelled == "[n0,n1,4,8]"
    assert infer(attention)["heads", 0].shape.spelled == "[?,?,4,8]"


def test_no_two_sizes_share_a_name_without_reason(net):
    facts = infer(net("x: f32[?,?]; y: f32[?]; r: Result x; s: Result y"))
    names = [size.symbol for name in ("x", "y") for size in facts[name, 0].shape]
    assert len(set(names)) == 3
    assert facts["r", 0].shape[0].symbol == names[0]


def test_a_long_chain_of_shape_arithmetic_is_no_recursion(net):
    chain = [f"a{k}: Add {f'a{k - 1}' if k else 'shape'} one" for k in range(2000)]
    end = "wide: Broadcast-opset3 x a1999 mode=numpy; y: Result wide"
    model = net("x: f32[?]; shape: ShapeOf-opset3 x output_type=i64", *chain, end, one=np.array([1]))
    assert shapes(infer(model, {"x": "1"}), "wide") == ["[2001]"]
    assert shapes(infer(model, {"x": "1..3"}), "wide") == ["[2001..2003]"]
