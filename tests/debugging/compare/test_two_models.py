"""Two models beside each other: the wrong layer is named with its cause, whatever names the layers have."""

from __future__ import annotations

import numpy as np
import pytest
from model_faults import KINDS, plant
from planted_models import judged, renamed
from small_networks import NETWORKS
from tiers import counts, slow_but

import irops
from irops.debugging.compare.cause import compression, difference

RANDOM = np.random.default_rng(5)
X = {"x": RANDOM.standard_normal((3, 8)).astype(np.float32)}
W1, W2 = (RANDOM.standard_normal((8, 8)).astype(np.float32) for _ in range(2))
GAMMA = (1 + 0.1 * RANDOM.standard_normal(8)).astype(np.float32)
SLIGHT = ("in_f16_and_back", "weights_in_f16")
"""Faults that rounding can hide in the values of a layer."""


def made(
    w1=W1, w2=W2, eps=1e-5, active="Tanh", swapped=False, without="", added=False, names="{}", folded=False
):
    graph = irops.Graph("block")
    x = graph.parameter("x", "f32", [3, 8])
    first = graph.add("MatMul", x, w1, name=names.format("first"))
    if active != without:
        first = graph.add(active, first, name=names.format("active"))
    if added:
        first = graph.add("Abs", first, name=names.format("added"))
    if folded:
        second = graph.add("MatMul", first, w2 * np.float32(2), name=names.format("second"))
    else:
        twice = graph.add("Multiply", first, np.float32(2), name=names.format("twice"))
        second = graph.add("MatMul", twice, w2, name=names.format("second"))
    pair = (x, second) if swapped else (second, x)
    apart = graph.add("Subtract", *pair, name=names.format("apart"))
    norm = graph.add(
        "MVN",
        apart,
        np.int64([1]),
        normalize_variance=True,
        eps=eps,
        eps_mode="inside_sqrt",
        name=names.format("norm"),
    )
    graph.result(graph.add("Multiply", norm, GAMMA, name=names.format("scaled")), name="y")
    return graph.model()


CASES = [
    ({"eps": 0.5}, "norm", "eps 1e-05 → 0.5"),
    ({"w1": W1.T.copy()}, "first", "constant input 1 (b) is transposed"),
    ({"w2": W2 * np.float32(1.01)}, "second", "constant input 1 (b) is scaled by 1.01"),
    ({"w2": -W2}, "second", "constant input 1 (b) has the other sign"),
    ({"active": "Sigmoid"}, "active", "op Tanh-1 → Sigmoid-1"),
    ({"swapped": True}, "apart", "operands 0 and 1 are swapped"),
    ({"without": "Tanh"}, "active", "the layer is missing in b"),
    ({"added": True}, "twice", "1 layer added in b before it"),
]


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
@pytest.mark.parametrize(("fault", "name", "cause"), CASES)
def test_the_layer_is_named_with_its_cause_in_both_modes_and_under_other_names(
    fault, name, cause, names, mode
):
    found = irops.compare(made(), X, b=made(**fault, names=names), mode=mode)
    assert not found.ok
    assert found.first.name == name
    assert found.first.cause.startswith(cause)
    if mode == "isolated":
        assert [layer.name for layer in found.layers if layer.is_fault] == [name]


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_models_that_compute_the_same_in_other_steps_agree(mode):
    found = irops.compare(made(), X, b=made(folded=True), mode=mode)
    assert found.ok
    assert found.coverage.left_out == {"not in B": 1}


def test_a_fault_behind_other_steps_is_named():
    found = irops.compare(made(), X, b=made(folded=True, eps=0.5), mode="isolated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["norm"]


def test_isolated_names_every_wrong_layer_and_no_other():
    found = irops.compare(made(), X, b=made(w1=-W1, eps=0.5), mode="isolated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["first", "norm"]


def test_names_that_belong_to_other_layers_accuse_nobody():
    """The names of two layers of one type are exchanged."""
    model = made(names="{}")
    for layer in model.layers:
        layer.name = {"first": "second", "second": "first"}.get(layer.name, layer.name)
    assert irops.compare(made(), X, b=model).ok
    assert irops.compare(made(), X, b=model, mode="isolated").ok


def test_map_sets_partners_and_unknown_names_are_errors():
    found = irops.compare(made(), X, b=made(eps=0.5, names="r_{}"), map={"norm": "r_norm"})
    assert (found.first.name, found.first.cause) == ("norm", "eps 1e-05 → 0.5")
    with pytest.raises(ValueError, match=r"no layer or tensor 'r_nrm'; did you mean 'r_norm'"):
        irops.compare(made(), X, b=made(names="r_{}"), map={"norm": "r_nrm"})
    with pytest.raises(ValueError, match=r"map sets partners in another model"):
        irops.compare(made(), X, b="reference", map={"norm": "norm"})


def test_compressed_weights_are_no_fault_of_a_layer():
    graph = irops.Graph("compressed")
    x = graph.parameter("x", "f32", [3, 8])
    weight = graph.add("Convert", graph.constant(W1.astype(np.float16)), destination_type="f32")
    graph.result(graph.add("MatMul", x, weight, name="first"), name="y")
    plain = irops.Graph("plain")
    plain.result(plain.add("MatMul", plain.parameter("x", "f32", [3, 8]), W1, name="first"), name="y")
    found = irops.compare(plain.model(), X, b=graph.model())
    assert found.first is None
    assert any(note.startswith("weights of 1 layer are rounded to f16") for note in found.notes)
    assert not found.ok  # the results differ by more than rounding in f32
    assert found.compressed == ("weights of 1 layer are rounded to f16",)
    lines = str(found).splitlines()
    place = lines.index("no single layer is wrong, but the results differ")
    assert lines[place + 1] == "  the weights of 1 layer are rounded to f16 in model:compressed"
    assert lines[place + 2] == "  with the weights of the first model, all layers agree"
    assert found.to_json()["compressed"] == list(found.compressed)


def test_stored_values_are_judged_by_their_own_inputs():
    model = made()
    stored = dict(irops.run(made(w2=W2 * np.float32(1.01)), X, keep="all"))
    for mode in ("isolated", "propagated"):
        found = irops.compare(model, X, b=stored, mode=mode)
        assert found.first.name == "second"
        assert found.first.cause == "constant input 1 (b) is scaled by 1.01"
    alone = irops.compare(model, X, b=stored, mode="isolated")
    assert [layer.name for layer in alone.layers if layer.is_fault] == ["second"]


def test_a_quantisation_range_that_is_two_percent_off_is_named_from_stored_values():
    def quantised(high):
        graph = irops.Graph("levels")
        x = graph.parameter("x", "f32", [3, 8])
        low = np.float32(-2)
        levels = graph.ops.FakeQuantize(
            x, low, np.float32(2), low, np.float32(high), levels=256, name="levels"
        )
        graph.result(graph.add("MatMul", levels, W1, name="product"), name="y")
        return graph.model()

    stored = dict(irops.run(quantised(2.04), X, keep="all"))
    found = irops.compare(quantised(2), X, b=stored, mode="isolated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["levels"]


def ended(*added, take=0, names="{}"):
    """A Split whose output 0 is the result, as it is or through further layers."""
    graph = irops.Graph("ended")
    x = graph.parameter("x", "f32", [3, 8])
    product = graph.add("MatMul", x, W1, name=names.format("product"))
    parts = graph.add("Split", product, np.int64(1), num_splits=2, name=names.format("parts"))
    found = parts[take]
    for op in added:
        found = graph.add(op, found, name=names.format(op.lower()))
    graph.result(found, name="y")
    graph.result(parts[1], name="z")
    return graph.model()


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_a_layer_between_the_last_one_and_a_result_is_named_as_the_cause(names, mode):
    found = irops.compare(ended(), X, b=ended("Floor", "Abs", names=names), mode=mode)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["parts"]
    floor, absolute = names.format("floor"), names.format("abs")
    cause = f"2 layers added in b between it and the result y: {floor} (Floor), {absolute} (Abs)"
    assert found.first.cause == cause


def joined_at_the_end(*, bias=GAMMA, further="", names="{}"):
    """A layer with two operands in front of a result, as it is or through one more layer of the same op."""
    graph = irops.Graph("joined")
    x = graph.parameter("x", "f32", [3, 8])
    wide = graph.add("MatMul", x, W1, name=names.format("wide"))
    last = graph.add("Add", wide, bias, name=names.format("last"))
    active = graph.add("Tanh", last, name=names.format("active"))
    if further == "Add":
        last = graph.add("Add", last, np.float32(0.5), name=names.format("further"))
    elif further == "Tanh":
        active = graph.add("Tanh", active, name=names.format("further"))
    graph.result(last, name="sum")
    graph.result(active, name="bounded")
    return graph.model()


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
@pytest.mark.parametrize(("op", "layer", "result"), [("Add", "last", "sum"), ("Tanh", "active", "bounded")])
def test_a_layer_of_the_same_op_in_front_of_a_result_is_not_taken_for_the_last_one(
    op, layer, result, names, mode
):
    """The layer in front of it gives equal values, of equal inputs: nothing differs in it."""
    found = irops.compare(joined_at_the_end(), X, b=joined_at_the_end(further=op, names=names), mode=mode)
    assert [entry.name for entry in found.layers if entry.is_fault] == [layer]
    added = f"{names.format('further')} ({op})"
    assert found.first.cause == f"1 layer added in b between it and the result {result}: {added}"


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_a_last_layer_that_gave_its_input_until_a_constant_changed_is_named_with_the_constant(names, mode):
    """The value that it gave is the value of the layer in front of it, in both models."""
    zeros, other = np.zeros(8, np.float32), joined_at_the_end(names=names)
    found = irops.compare(joined_at_the_end(bias=zeros), X, b=other, mode=mode)
    assert found.first.name == "last"
    assert found.first.cause.startswith("constant b 0,0,0,0,0,0,0,0 → ")


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_a_result_that_takes_another_output_is_named_as_the_cause(names, mode):
    found = irops.compare(ended(), X, b=ended(take=1, names=names), mode=mode)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["parts"]
    assert found.first.cause == "the result y takes output 1 of parts in place of output 0"


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_layer_that_is_missing_in_front_of_a_result_is_named(mode):
    found = irops.compare(ended("Abs"), X, b=ended(), mode=mode)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["abs"]
    assert found.first.cause == "the layer is missing in b; y uses its input"


def reshaped(*, from_shape, normalized=True, index=0, last=False, names="{}"):
    """Rows in two halves: sizes follow from the shape of x, or one does and another one is left open."""
    graph = irops.Graph("halves")
    x = graph.parameter("x", "f32", [-1, 8])
    active = graph.add("Tanh", x, name=names.format("active"))
    shape = graph.add("ShapeOf", x, name=names.format("shape"))
    size = graph.add("Gather", shape, np.int64([index]), np.int64(0), name=names.format("size"))
    if from_shape:
        parts = (np.int64([2, 4]), size) if last else (size, np.int64([2, 4]))
        sizes = graph.add("Concat", *parts, axis=0, name=names.format("sizes"))
    else:
        half = graph.add("Divide", size, np.int64([2]), name=names.format("half"))
        sizes = graph.add("Concat", np.int64([-1, 2]), half, axis=0, name=names.format("sizes"))
    if normalized:
        active = graph.add("Multiply", active, np.float32(1.5), name=names.format("scaled"))
    halves = graph.add("Reshape", active, sizes, special_zero=False, name=names.format("halves"))
    graph.result(graph.add("Sin", halves, name=names.format("wave")), name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_sizes_that_two_models_compute_otherwise_are_not_the_cause_of_other_values(names, mode):
    right = reshaped(from_shape=True)
    other = {"from_shape": False, "index": 1, "names": names}
    assert irops.compare(right, X, b=reshaped(**other), mode=mode).ok
    found = irops.compare(right, X, b=reshaped(**other, normalized=False), mode=mode)
    assert not found.ok
    assert found.first.name == "scaled"
    assert found.first.cause.startswith("the layer is missing in b")


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_size_that_differs_is_the_cause_where_it_changes_a_shape(mode):
    """In b, the sizes stand in another order, which no other fault explains."""
    given = {"x": np.ones((8, 8), np.float32) * np.arange(8, dtype=np.float32)}
    found = irops.compare(reshaped(from_shape=True), given, b=reshaped(from_shape=True, last=True), mode=mode)
    assert found.first.name == "sizes"


def laid_out(weights, *, otherwise, names="{}"):
    """A size is used in front of a product and behind it; otherwise: by another size, and only behind it."""
    graph = irops.Graph("layouts")
    x = graph.parameter("x", "f32", [-1, 8])
    shape = graph.add("ShapeOf", x, name=names.format("shape"))
    size = graph.add(
        "Gather", shape, np.int64([1 if otherwise else 0]), np.int64(0), name=names.format("size")
    )
    if otherwise:
        half = graph.add("Divide", size, np.int64([2]), name=names.format("half"))
        sizes = graph.add("Concat", np.int64([-1, 2]), half, axis=0, name=names.format("sizes"))
        wave = graph.add("Sin", x, name=names.format("wave"))
    else:
        sizes = graph.add("Concat", size, np.int64([2, 4]), axis=0, name=names.format("sizes"))
        wave = graph.add("Sin", graph.add("Reshape", x, sizes, special_zero=False, name="before"), name="sin")
        wave = graph.add("Reshape", wave, np.int64([-1, 8]), special_zero=False, name="wave")
    product = graph.add("MatMul", wave, weights, name=names.format("product"))
    halves = graph.add("Reshape", product, sizes, special_zero=False, name=names.format("halves"))
    graph.result(graph.add("Cos", halves, name=names.format("last")), name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_a_size_whose_values_are_equal_again_before_a_fault_is_not_named(names, mode):
    right = laid_out(W1, otherwise=False)
    assert irops.compare(right, X, b=laid_out(W1, otherwise=True, names=names), mode=mode).ok
    found = irops.compare(right, X, b=laid_out(W1.T.copy(), otherwise=True, names=names), mode=mode)
    assert (found.first.name, found.first.cause) == ("product", "constant input 1 (b) is transposed")


def recurrent_step(weights, *, as_cell):
    """A step of an RNN from a state of zeros, as one layer, or of transposed values in many."""
    graph = irops.Graph("step")
    x = graph.parameter("x", "f32", [-1, 8])
    if as_cell:
        size = graph.add("Gather", graph.add("ShapeOf", x), np.int64([0]), np.int64(0))
        state = graph.add("Broadcast", np.float32(0), graph.add("Concat", size, np.int64([8]), axis=0))
        bias = np.zeros(8, np.float32)
        step = graph.add("RNNCell", x, state, weights, W2, bias, hidden_size=8, name="cell")
    else:
        across = graph.add("Transpose", x, np.int64([1, 0]), name="across")
        product = graph.add("MatMul", weights, across, name="product")
        step = graph.add("Transpose", graph.add("Tanh", product, name="tanh"), np.int64([1, 0]), name="back")
    graph.result(graph.add("Sin", step, name="last"), name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_layer_that_only_moves_equal_elements_is_not_named_for_what_is_computed_of_them(mode):
    right = recurrent_step(W1, as_cell=False)
    assert irops.compare(right, X, b=recurrent_step(W1, as_cell=True), mode=mode).ok
    found = irops.compare(right, X, b=recurrent_step(W1[::-1].copy(), as_cell=True), mode=mode)
    assert not found.ok
    assert found.first.name == "back"
    assert found.first.cause.startswith("computed by Transpose, MatMul, Tanh, Transpose → by ")
    assert found.between == (("across", "product", "tanh") if mode == "propagated" else ())
    back = irops.compare(recurrent_step(W1, as_cell=True), X, b=recurrent_step(W1.T.copy(), as_cell=False))
    assert back.first.name == "cell"


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_stored_result_that_is_not_the_stored_value_in_front_of_it_is_named(mode):
    stored = dict(irops.run(ended(), X, keep="all"))
    stored["y"] = -stored["y"]
    found = irops.compare(ended(), X, b=stored, mode=mode)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["parts"]
    text = "the result y is another value than its output 0, as if a layer were added between"
    assert found.first.cause == f"{text}: it has the other sign"


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_stored_result_that_is_a_stored_value_of_no_layer_is_named_with_it(mode):
    stored = {**irops.run(ended("Floor"), X, keep="all"), "floor": irops.run(ended("Floor"), X)["y"]}
    found = irops.compare(ended(), X, b=stored, mode=mode)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["parts"]
    text = "the result y uses floor, a stored value of no layer of the model, in place of output 0"
    assert found.first.cause == text


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_two_layers_that_are_missing_in_front_of_a_result_are_named(mode):
    found = irops.compare(ended("Floor", "Abs"), X, b=ended(), mode=mode)
    assert (found.first.name, found.first.cause) == ("floor", "the layer is missing in b; y uses its input")


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_layer_without_stored_values_is_judged_by_the_stored_result_that_it_gives(mode):
    stored = dict(irops.run(ended(), X, keep="all"))
    assert "abs" not in stored
    found = irops.compare(ended("Abs"), X, b=stored, mode=mode)
    assert [layer.name for layer in found.layers if layer.is_fault] == ["abs"]
    assert found.first.cause == "the value is that of input 0, as if the layer were missing"


def weighted(weight, *, compressed=False, quantised=False, names="{}"):
    """A product with a weight of 8-bit integers times a scale, of quantised inputs."""
    graph = irops.Graph("weighted")
    x = graph.parameter("x", "f32", [3, 8])
    if quantised:
        low, high = np.float32(-2), np.float32(2)
        x = graph.ops.FakeQuantize(x, low, high, low, high, levels=256, name=names.format("levels"))
    if compressed:
        whole = graph.constant(weight.astype(np.int8), name=names.format("whole"))
        wide = graph.add("Convert", whole, destination_type="f32", name=names.format("wide"))
        weight = graph.add("Multiply", wide, np.float32(0.01), name=names.format("scaled"))
    graph.result(graph.add("MatMul", x, weight, name=names.format("product")), name="y")
    return graph.model()


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_a_changed_weight_is_no_compression_where_the_first_model_is_compressed_as_much(names, mode):
    whole = np.rint(W1 * 127 / np.abs(W1).max())
    changed = whole.copy()
    changed[3, 3] += 1
    model = weighted(whole, compressed=True)
    found = irops.compare(model, X, b=weighted(changed, compressed=True, names=names), mode=mode)
    assert found.first.name == "product"
    assert "constant input 1 (b)" in found.first.cause
    assert not any("rounded to" in note for note in found.notes)


@pytest.mark.parametrize("names", ["{}", "other_{}"])
def test_a_quantisation_that_both_models_have_is_compared(names):
    found = irops.compare(
        weighted(W1, quantised=True), X, b=weighted(-W1, quantised=True, names=names), mode="isolated"
    )
    assert [layer.name for layer in found.layers if layer.is_fault] == ["product"]
    assert not any("quantizes" in note for note in found.notes)


def test_stored_values_of_no_layer_are_reported():
    stored = {**irops.run(made(), X, keep="all"), "nobody": np.zeros(3)}
    found = irops.compare(made(), X, b=stored, mode="isolated")
    assert "1 stored value of no layer of the model: nobody" in found.notes


GRID = RANDOM.standard_normal((12, 6, 4)).astype(np.float32)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (GRID.transpose(0, 2, 1), "is transposed in axes 1 and 2"),
        (GRID * np.float32(0.5), "is scaled by 0.5"),
        (GRID + np.float32(0.25), "is shifted by 0.25"),
        (-GRID, "has the other sign"),
        (GRID[::-1], "is reversed along axis 0"),
        (np.roll(GRID, 1, 1), "is rolled by 1 along axis 1"),
        (GRID[[6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]], "rolled by 6 along axis 0"),
        (
            GRID[[3, 4, 5, 0, 1, 2, 6, 7, 8, 9, 10, 11]],
            "has its 4 blocks of 3 along axis 0 in the order 1,0,2,3",
        ),
        (GRID.astype(np.float16).astype(np.float32), "is rounded to f16"),
        (np.rint(GRID * 7 / np.abs(GRID).max()) / 7 * np.abs(GRID).max(), "is rounded to int4"),
        (np.zeros_like(GRID), "is set to 0"),
        (GRID + RANDOM.standard_normal(GRID.shape).astype(np.float32), "% of the greatest element"),
    ],
)
def test_what_was_done_to_a_constant_is_said(changed, text):
    assert text in difference(GRID, np.ascontiguousarray(changed))


def test_a_scaled_weight_does_not_pass_for_a_compressed_one():
    rounded = np.rint(GRID * 127 / np.abs(GRID).max()) / 127 * np.abs(GRID).max()
    assert compression(GRID, rounded, "f32", "i8 * f32") == "i8"
    assert compression(GRID, rounded * 1.02, "f32", "i8 * f32") == ""
    assert compression(GRID, rounded, "f32", "f16") == ""


@pytest.mark.parametrize("before", ["i8 * f32", "u8 * f16", "i4 * f16"])
def test_weights_that_are_rounded_already_are_not_rounded_by_the_same_type(before):
    rounded = np.rint(GRID * 127 / np.abs(GRID).max()) / 127 * np.abs(GRID).max()
    assert compression(GRID, rounded, "bf16", "i8 * f32") == "i8"
    assert compression(GRID, rounded, before, "i8 * f32") == ""


@pytest.mark.parametrize("network", slow_but(NETWORKS, ("recurrent",)))
def test_planted_faults_are_named_and_explained(network):
    model, inputs = NETWORKS[network]()
    random = np.random.default_rng(20261123)
    kinds = tuple(kind for kind in KINDS if kind not in SLIGHT)
    rows = []
    while len(rows) < 4:
        try:
            row = judged(model, *plant(model, random, kinds), inputs, random, ("isolated", "renamed"))
        except (irops.DiagnosticError, ValueError):
            continue  # the faulty model has another shape, or does not run
        if row["effect"] == "clear":
            rows.append(row)
    modes = [row[mode] for row in rows for mode in ("isolated", "renamed")]
    assert [found for found in modes if found["ok"] or not found["named"]] == []
    assert [found for found in modes if not found["explained"]] == []


@pytest.mark.parametrize("network", NETWORKS)
def test_a_renamed_copy_has_no_wrong_layer(network):
    model, inputs = NETWORKS[network]()
    other = renamed(model, np.random.default_rng(7))
    for mode in ("propagated", "isolated"):
        assert irops.compare(model, inputs, b=other, mode=mode).ok


def other_op(op, *, product=False):
    """An op whose two operands are such that another op gives one of them: 1 * x, sign(x) * x for x > 0."""
    graph = irops.Graph("other_op")
    x = graph.parameter("x", "f32", [3, 8])
    size = graph.ops.Sqrt(graph.ops.Add(graph.ops.ReLU(x, name="relu"), np.float32(0.5)), name="size")
    one = graph.ops.Sign(size, name="sign") if product else np.float32(1)
    found = graph.add(op, one, size, name="found")
    scaled = graph.ops.Multiply(found, np.float32(0.3), name="scaled")
    graph.result(graph.ops.MatMul(scaled, W1, name="last"), name="y")
    return graph.model()


@pytest.mark.parametrize("ops", [("Divide", "Multiply"), ("Multiply", "Divide")])
@pytest.mark.parametrize("product", [False, True])
@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_layer_of_another_op_is_named_in_a_renamed_copy_although_its_value_is_another_one(
    mode, product, ops
):
    faulty = renamed(other_op(ops[1], product=product), np.random.default_rng(1))
    found = irops.compare(other_op(ops[0], product=product), X, b=faulty, mode=mode)
    assert (found.first.name, found.first.cause) == ("found", f"op {ops[0]}-1 → {ops[1]}-1")


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_layer_that_takes_another_output_is_named_where_another_layer_has_its_value(mode):
    def reshaped(take):
        graph = irops.Graph("reshaped")
        x = graph.parameter("x", "f32", [3, 8])
        parts = graph.add("Split", x, np.int64(1), num_splits=2, name="parts")
        for index, output in enumerate((take, 1)):
            flat = graph.add("Reshape", parts[output], [1, 3, 4], special_zero=False, name=f"flat{index}")
            graph.result(flat, name=f"y{index}")
        return graph.model()

    found = irops.compare(reshaped(0), X, b=reshaped(1), mode=mode)
    assert (found.first.name, found.first.cause) == ("flat0", "input 0 parts:0 → parts:1")


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_concat_of_other_slices_of_one_value_is_named_in_a_renamed_copy(mode):
    def padded(*order):
        graph = irops.Graph("padded")
        x = graph.parameter("x", "f32", [3, 8])
        left = graph.ops.Slice(x, [0], [1], [1], [1], name="left")
        right = graph.ops.Slice(x, [-1], [8], [1], [1], name="right")
        parts = (left, x, right)
        graph.result(graph.ops.Concat(*(parts[k] for k in order), axis=1, name="joined"), name="y")
        return graph.model()

    faulty = renamed(padded(1, 2, 0), np.random.default_rng(2))
    found = irops.compare(padded(0, 1, 2), X, b=faulty, mode=mode)
    assert (found.first.name, found.first.cause) == ("joined", "Concat inputs are reordered: 0,1,2 → 1,2,0")


# ---- differences that jumps between levels could explain, if values before them were not the same


def quantised_twice(x, weights, factor=0.9, by="Multiply", reach=1.13, levels=256, half=0.5, as_f16=False):
    """Quantized values are scaled and quantized again. half: the factor before the first quantization"""
    graph = irops.Graph("quantised")
    given = graph.ops.Multiply(graph.parameter("x", "f32", list(x.shape)), np.float32(half), name="given")
    first = graph.ops.FakeQuantize(given, *np.float32([-1, 1, -1, 1]), levels=256, name="first")
    if by == "Power":
        first = graph.ops.Abs(first, name="size")
    constant = np.float32(factor)
    if as_f16:
        constant = graph.ops.Convert(graph.constant(np.float16(factor)), destination_type="f32")
    scaled = graph.add(by, first, constant, name="scaled")
    ends = np.float32([-reach, reach, -reach, reach])
    second = graph.ops.FakeQuantize(scaled, *ends, levels=levels, name="second")
    graph.result(graph.ops.MatMul(second, weights, name="product"), name="y")
    return graph.model()


def near_the_middle_of_levels(random, shape, by):
    """Inputs of quantised_twice, relatively as far from the middle of two levels as `by`."""
    middles = 2 * (random.integers(60, 250, shape) + 0.5) / 255 - 1
    return np.float32(2 * middles * (1 + random.choice([-by, by], shape)))


FAULTS_BEHIND_EQUAL_VALUES = ("factor", "reach", "levels")


def drawn_pair(seed):
    """Inputs, a network, the same network with one other constant or attribute, and the name of its layer."""
    random = np.random.default_rng(seed)
    shape = int(random.choice([2, 8])), int(random.choice([32, 96]))
    x = near_the_middle_of_levels(random, shape, 10 ** random.uniform(-7.5, -4.5))
    weights = random.standard_normal((shape[1], 8)).astype(np.float32)
    by = str(random.choice(["Multiply", "Divide", "Add", "Power", "MatMul"]))
    size = (shape[1], shape[1])
    options = {
        "by": by,
        "factor": random.standard_normal(size) / 8 if by == "MatMul" else random.uniform(0.5, 1.3),
        "reach": random.uniform(0.9, 1.6),
        "levels": int(random.choice([16, 255, 256])),
    }
    changed = str(random.choice(FAULTS_BEHIND_EQUAL_VALUES))
    other = options["levels"] - 1
    if changed != "levels":
        other = options[changed] * (1 + float(random.choice([-1, 1])) * 10 ** random.uniform(-3, -1.5))
    name = "scaled" if changed == "factor" else "second"
    networks = [quantised_twice(x, weights, **(options | more)) for more in ({}, {changed: other})]
    return x, *networks, name, (weights, options)


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@counts("drawn", 4, 40)
def test_jumps_before_equal_values_hide_no_difference_behind_them(drawn, mode):
    """The inputs are so near to the middle of two levels that rounding could make them jump, but does not."""
    judged_pairs = 0
    for seed in range(drawn):
        x, right, wrong, name, _ = drawn_pair(seed)
        results = [irops.run(model, [x])["y"] for model in (right, wrong)]
        if np.abs(results[0] - results[1]).max() < 1e-3 * np.abs(results[0]).max():
            continue
        judged_pairs += 1
        if seed % 2:
            wrong = renamed(wrong, np.random.default_rng(seed))
        found = irops.compare(right, [x], b=wrong, mode=mode)
        assert not found.ok, seed
        assert (found.first.name, bool(found.first.cause)) == (name, True), seed
        assert [result.is_fault for result in found.results] == [True], seed
    assert judged_pairs > drawn // 2


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@counts("drawn", 4, 40)
def test_constants_that_differ_in_their_last_bits_are_no_difference(drawn, mode):
    for seed in range(drawn):
        x, right, _, _, (weights, options) = drawn_pair(seed)
        random = np.random.default_rng(seed)
        towards = np.float32(random.choice([-9, 9]))
        factor = np.nextafter(np.float32(options["factor"]), towards)
        half = np.nextafter(np.float32(0.5), towards)
        reach = np.nextafter(np.float32(options["reach"]), towards)
        for more in ({"factor": factor}, {"reach": reach}, {"factor": factor, "half": half, "reach": reach}):
            other = quantised_twice(x, weights, **(options | more))
            if seed % 2:
                other = renamed(other, random)
            found = irops.compare(right, [x], b=other, mode=mode)
            assert found.ok, (seed, list(more), str(found))
        found = irops.compare(right, [x], b=quantised_twice(x, weights, **options, as_f16=True), mode=mode)
        assert found.first is None, (seed, str(found))


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
def test_a_slight_difference_that_makes_half_of_the_elements_jump_is_named(mode):
    """It is within what errors of 16 times rounding do to the layer, and to what follows from it."""
    random = np.random.default_rng(4)
    x = near_the_middle_of_levels(random, (4, 64), 2e-6)
    weights = random.standard_normal((64, 8)).astype(np.float32)
    right, wrong, other = (
        quantised_twice(x, weights, half=np.float32(half))
        for half in (0.5, 0.5000025, np.nextafter(np.float32(0.5), np.float32(1)))
    )
    found = irops.compare(right, [x], b=wrong, mode=mode)
    assert (found.first.name, found.first.cause) == ("given", "constant b 0.5 → 0.500003")
    assert [result.is_fault for result in found.results] == [True]
    assert irops.compare(right, [x], b=other, mode=mode).ok


@pytest.mark.parametrize("mode", ["propagated", "isolated"])
@pytest.mark.parametrize("changed", [0, 1])
def test_a_layer_that_is_changed_to_what_another_one_gives_is_explained_by_its_attribute(changed, mode):
    def sums(reverse):
        graph = irops.Graph("sums")
        x = graph.parameter("x", "f32", [3, 8])
        for index in range(2):
            options = {"reverse": reverse[index], "name": f"sum{index}"}
            graph.result(graph.add("CumSum", x, np.int64(1), **options), name=f"y{index}")
        return graph.model()

    other = [True, True]
    other[changed] = False
    for pair, cause in (((True, True), other), "true → false"), ((other, (True, True)), "false → true"):
        found = irops.compare(sums(pair[0]), X, b=sums(pair[1]), mode=mode)
        assert (found.first.name, found.first.cause) == (f"sum{changed}", f"reverse {cause}")
        assert [layer.is_fault for layer in found.layers] == [index == changed for index in range(2)]
