"""Stored values of a model that nobody has: the cause is the change of a layer that gives what is stored."""

from __future__ import annotations

import numpy as np
import pytest

import irops

RANDOM = np.random.default_rng(11)
X = {"x": RANDOM.standard_normal((2, 4, 6)).astype(np.float32)}
W = RANDOM.standard_normal((6, 6)).astype(np.float32)
BIAS = RANDOM.standard_normal(6).astype(np.float32)


def made(
    *,
    eps=1e-5,
    axis=-1,
    active="Gelu",
    mode="ERF",
    swapped=False,
    reordered=False,
    other_half=False,
    without_bias=False,
    added="",
    reshaped=False,
    alpha=0.5,
    weight=W,
):
    g = irops.Graph("made")
    x = g.parameter("x", "f32", [2, 4, 6])
    product = g.ops.MatMul(x, weight, name="product")
    biased = product if without_bias else g.ops.Add(product, BIAS, name="biased")
    if added:
        biased = g.add(added, biased, name="added")
    norm = g.ops.MVN(biased, [2], normalize_variance=True, eps=eps, eps_mode="inside_sqrt", name="norm")
    extra = {"approximation_mode": mode} if active == "Gelu" else {}
    acted = g.add(active, norm, name="acted", **extra)
    bent = g.ops.Elu(acted, alpha=alpha, name="bent")
    pair = (x, bent) if swapped else (bent, x)
    apart = g.ops.Subtract(*pair, name="apart")
    soft = g.ops.SoftMax(apart, axis=axis, name="soft")
    parts = g.ops.Split(soft, np.int64(1), num_splits=2, name="parts")
    joined = [parts[0], g.ops.Abs(parts[1 - other_half], name="absolute"), parts[1], parts[0]]
    both = g.ops.Concat(*(joined[1:] + joined[:1] if reordered else joined), axis=1, name="joined")
    residual = g.ops.Multiply(both, g.ops.ReduceSum(bent, [1], keep_dims=True), name="scaled")
    if reshaped:
        turned = g.ops.Reshape(residual, [2, 6, 8], special_zero=False, name="turned")
    else:
        turned = g.ops.Transpose(residual, [0, 2, 1], name="turned")
    g.result(g.ops.Tanh(turned, name="last"), name="y")
    return g.model()


CASES = [
    ({"eps": 1e-3}, "norm", "as if eps were 0.001, not 1e-05"),
    ({"eps": 0.37}, "norm", "as if eps were 0.37, not 1e-05"),
    ({"alpha": 0.3}, "bent", "as if alpha were 0.3, not 0.5"),
    ({"axis": 1}, "soft", "as if axis were -2, not -1"),
    ({"mode": "TANH"}, "acted", "as if approximation_mode were tanh, not erf"),
    ({"active": "Tanh"}, "acted", "as if the op were Tanh-1, not Gelu-7"),
    ({"swapped": True}, "apart", "as if operands 0 and 1 were swapped"),
    ({"reordered": True}, "joined", "as if the inputs were reordered: 1,2,0,3"),
    ({"other_half": True}, "absolute", "as if input 0 were output 0 of parts"),
    ({"without_bias": True}, "norm", "as if input 0 were product, and the layer biased missing"),
    ({"added": "Tanh"}, "norm", "as if input 0 were added, a stored value of no layer of the model"),
    ({"reshaped": True}, "turned", "as if the op were Reshape, not Transpose"),
    ({"weight": W.T.copy()}, "product", "constant input 1 (b) is transposed"),
    ({"weight": np.roll(W, 1, 1)}, "product", "constant input 1 (b) is rolled by 1 along axis 1"),
]


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize(("fault", "name", "cause"), CASES)
def test_the_change_that_gives_the_stored_value_is_the_cause(fault, name, cause, mode):
    stored = dict(irops.run(made(**fault), X, keep="all"))
    found = irops.compare(made(), X, b=stored, mode=mode)
    assert not found.ok
    assert (found.first.name, found.first.cause) == (name, cause)


@pytest.mark.parametrize(
    ("fault", "name", "cause"),
    [
        ({"weight": W.T.copy()}, "product", "as if transpose_b were true, not false"),
        ({"weight": np.roll(W, 1, 1)}, "product", "as if constant input 1 (b) were rolled by 1 along axis 1"),
        ({"weight": W * np.float32(1.01)}, "product", "as if constant input 1 (b) were scaled by 1.01"),
        ({"added": "Floor"}, "norm", "as if Floor were added before input 0"),
    ],
)
def test_a_change_is_found_where_constants_and_added_layers_are_not_stored(fault, name, cause):
    model = made()
    constants = {layer.name for layer in made(**fault).layers if layer.is_constant}
    values = irops.run(made(**fault), X, keep="all")
    stored = {key: array for key, array in values.items() if key not in (*constants, "added")}
    found = irops.compare(model, X, b=stored)
    assert (found.first.name, found.first.cause) == (name, cause)


def test_a_value_that_no_change_gives_is_described():
    stored = dict(irops.run(made(), X, keep="all"))
    stored["apart"] = stored["apart"] + np.random.default_rng(0).normal(0, 1, (2, 4, 6)).astype(np.float32)
    found = irops.compare(made(), X, b=stored)
    assert found.first.name == "apart"
    assert found.first.cause.startswith("the value differs by ")


def test_several_changes_that_give_the_same_value_are_all_said():
    def inverse(op):
        g = irops.Graph("inverse")
        g.result(g.add(op, np.float32(1), g.parameter("x", "f32", [2, 4, 6]), name="inverse"), name="y")
        return g.model()

    found = irops.compare(inverse("Divide"), X, b=dict(irops.run(inverse("Multiply"), X, keep="all")))
    text = "the value is that of input 1, as if the layer were missing, or as if the op were Multiply-1, not"
    assert found.first.cause == f"{text} Divide-1"


def test_a_constant_behind_folded_weights_is_the_cause():
    def folded(scale):
        g = irops.Graph("folded")
        x = g.parameter("x", "f32", [2, 4, 6])
        codes = g.constant(np.arange(36, dtype=np.int8).reshape(6, 6), name="codes")
        wide = g.ops.Convert(codes, destination_type="f32", name="wide")
        weight = g.ops.Multiply(wide, np.float32(scale), name="weight")
        g.result(g.ops.MatMul(x, weight, name="product"), name="y")
        return g.model()

    found = irops.compare(folded(0.1), X, b=dict(irops.run(folded(0.102), X, keep="all")))
    assert not found.ok
    assert found.first.cause.startswith("constant ")
    alone = irops.compare(folded(0.1), X, b=dict(irops.run(folded(0.102), X, keep="all")), mode="isolated")
    assert [layer.name for layer in alone.layers if layer.is_fault] == ["product"]
    assert alone.first.cause == "constant input 1 (b) is scaled by 1.02"


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_stored_size_that_further_layers_do_not_take_is_named(mode):
    def sized(axis):
        g = irops.Graph("sized")
        x = g.parameter("x", "f32[2,4,6]")
        size = g.ops.Gather(g.ops.ShapeOf(x, name="sizes"), np.int64([axis]), np.int64(0), name="size")
        g.result(g.ops.Slice(x, [0], size, [1], [0], name="part"), name="y")
        return g.model()

    stored = dict(irops.run(sized(0), X, keep="all"))
    stored["size"] = np.int64([-5])
    stored["y"] = stored["part"] = stored["part"] + 1
    found = irops.compare(sized(0), X, b=stored, mode=mode)
    assert not found.ok
    assert found.first.name == "size"


def reduced(*, axes=(1,), keep_dims=True, order=(0, 1, 2, 3, 4, 5), part=(0, 6), ops=("ReduceMean", "Sqrt")):
    """A mean over an axis, sizes and parts in some order, which faults give other shapes and orders."""
    g = irops.Graph("reduced")
    x = g.parameter("x", "f32[2,4,6]")
    whole = g.ops.Slice(x, [part[0]], [part[1]], [1], [2], name="whole")
    mean = g.add(ops[0], g.ops.Abs(whole, name="size"), np.int64(axes), keep_dims=keep_dims, name="mean")
    root = g.add(ops[1], mean, name="root")
    g.result(g.ops.Tanh(root, name="last"), name="y")
    parts = g.ops.VariadicSplit(x, np.int64(2), np.int64([1] * 6), name="parts")
    joined = g.ops.Concat(*(parts[k] for k in order), axis=2, name="joined")
    g.result(g.ops.Sin(joined, name="wave"), name="z")
    return g.model()


OTHER_SHAPE = "the value has shape [2,1,6] → [2,1,1], and other elements"
OTHER_SHAPES = [
    ({"axes": (2,)}, "mean", "constant axes 1 → 2", "as if constant input 1 (axes) were 2"),
    ({"axes": (1, 2)}, "mean", "constant axes 1 → 1,2", OTHER_SHAPE),
    ({"keep_dims": False}, "mean", "as if keep_dims were false, not true", ""),
    ({"part": (0, 5)}, "whole", "constant stop 6 → 5", "as if constant input 2 (stop) were 5"),
    ({"order": (0, 4, 2, 3, 1, 5)}, "joined", "as if the inputs were reordered: 0,4,2,3,1,5", ""),
]


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize(("fault", "name", "cause", "without_constants"), OTHER_SHAPES)
def test_the_cause_is_found_where_a_fault_changes_the_shape_or_the_order_of_many_parts(
    fault, name, cause, without_constants, mode
):
    model = reduced()
    constants = {layer.name for layer in reduced(**fault).layers if layer.is_constant}
    stored = dict(irops.run(reduced(**fault), X, keep="all"))
    for values, text in (
        (stored, cause),
        ({key: array for key, array in stored.items() if key not in constants}, without_constants or cause),
    ):
        found = irops.compare(model, X, b=values, mode=mode)
        assert not found.ok
        assert (found.first.name, found.first.cause) == (name, text)
        if mode == "isolated":
            assert [layer.name for layer in found.layers if layer.is_fault] == [name]


def test_fewer_axes_than_are_stored_are_found():
    values = irops.run(reduced(axes=(1,)), X, keep="all")
    model = reduced(axes=(1, 2))
    constants = {layer.name for layer in model.layers if layer.is_constant}
    found = irops.compare(model, X, b={key: array for key, array in values.items() if key not in constants})
    assert (found.first.name, found.first.cause) == ("mean", "as if constant input 1 (axes) were 1")


def test_a_layer_that_is_wrong_behind_a_stored_value_of_another_shape_is_named_as_well():
    """It is computed from the stored value, although the model gives another shape."""
    stored = dict(irops.run(reduced(axes=(2,), ops=("ReduceMean", "Exp")), X, keep="all"))
    found = irops.compare(reduced(), X, b=stored, mode="isolated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["mean", "root"]
    assert [layer.cause for layer in found.layers if layer.is_fault] == [
        "constant axes 1 → 2",
        "as if the op were Exp-1, not Sqrt-1",
    ]


def test_a_reordered_concat_of_constants_is_named_with_the_order():
    def stacked(*order):
        g = irops.Graph("stacked")
        parts = [g.constant(np.full((1, 6), k + 1, np.float32), name=f"part{k}") for k in range(3)]
        table = g.ops.Concat(*(parts[k] for k in order), axis=0, name="table")
        g.result(g.ops.MatMul(g.parameter("x", "f32", [4, 3]), table, name="product"), name="y")
        return g.model()

    given = {"x": X["x"][0, :, :3]}
    stored = dict(irops.run(stacked(2, 0, 1), given, keep="all"))
    found = irops.compare(
        stacked(0, 1, 2), given, b={**stored, "table": np.float32([[3] * 6, [1] * 6, [2] * 6])}
    )
    assert (found.first.name, found.first.cause) == ("table", "as if the inputs were reordered: 2,0,1")
