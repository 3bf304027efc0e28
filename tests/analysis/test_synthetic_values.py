"""Values that are generated for inputs: zeros, ones, and random numbers that fit what layers ask."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import analyse
from irops.analysis.synthetic_inputs.generate import synthetic_inputs
from irops.files.limits import Limits
from irops.values.element import element_type_of


def filled(net, fill, kind="f32", declared="2,3", name="x", shape=None, limits=None, **options):
    model = net(
        (name, "Parameter", {"shape": declared, "element_type": kind}, []), ("y", "Result", {}, [name])
    )
    shapes = {} if shape is None else {0: shape}
    chosen = synthetic_inputs(analyse(model), fill, shapes=shapes, limits=limits, **options)
    return chosen.arrays[0], chosen.inputs[0].is_assumed


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16", "f64", "i8", "u64", "boolean"])
@pytest.mark.parametrize(("fill", "number"), [("zeros", 0), ("ones", 1)])
def test_zeros_and_ones_have_the_type_of_the_input(net, fill, number, kind):
    array, assumed = filled(net, fill, kind)
    assert (str(element_type_of(array)), array.shape, assumed) == (kind, (2, 3), False)
    assert array.astype(float).tolist() == [[number] * 3] * 2


@pytest.mark.parametrize("kind", ["f64", "f32"])
def test_random_floats_lie_between_minus_one_and_one_on_both_sides_of_zero(net, kind):
    array, _ = filled(net, "random", kind, "1000")
    assert array.min() < -0.9
    assert array.max() > 0.9
    assert abs(array).max() <= 1


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("i64", set(range(-9, 10))),
        ("u8", set(range(10))),
        ("i4", set(range(-8, 8))),
        ("u2", {0, 1, 2, 3}),
        ("boolean", {0, 1}),
    ],
)
def test_random_integers_that_no_layer_asks_for_are_small(net, kind, numbers):
    array, _ = filled(net, "random", kind, "2000")
    assert {int(n) for n in array.astype(int)} == numbers
    assert str(element_type_of(array)) == kind


def test_a_type_without_zero_and_sign_is_filled_with_numbers_that_it_has(net):
    array, _ = filled(net, "random", "f8e8m0", "100")
    assert set(array.astype(float).tolist()) == {1, 2}


def test_strings_are_empty_one_or_a_letter(net):
    assert filled(net, "zeros", "string", "2")[0].tolist() == ["", ""]
    assert filled(net, "ones", "string", "2")[0].tolist() == ["1", "1"]
    letters = filled(net, "random", "string", "20,20")[0]
    assert letters.shape == (20, 20)
    assert set(letters.ravel()) == set("abcdefghijklmnopqrstuvwxyz")


def test_random_values_depend_on_the_seed_and_on_the_name(net):
    first = filled(net, "random", seed=1)[0]
    assert np.array_equal(first, filled(net, "random", seed=1)[0])
    assert not np.array_equal(first, filled(net, "random", seed=2)[0])
    assert not np.array_equal(first, filled(net, "random", seed=1, name="other")[0])
    assert np.array_equal(filled(net, "random")[0], filled(net, "random", seed=0)[0])


@pytest.mark.parametrize(
    ("declared", "shape", "assumed"),
    [
        ("?,3", (2, 3), True),
        ("3..5,4", (5, 4), True),
        ("0,3", (0, 3), False),
        ("0..1", (1,), True),
        ("...", (2, 5, 3), True),
    ],
)
def test_an_unknown_size_is_above_1_where_it_may_be(net, declared, shape, assumed):
    array, was_assumed = filled(net, "zeros", declared=declared)
    assert (array.shape, was_assumed) == (shape, assumed)


@pytest.mark.parametrize("text", ["4,3", "[4,3]"])
def test_a_shape_may_be_given(net, text):
    array, assumed = filled(net, "ones", declared="?,3", shape=text)
    assert (array.shape, assumed) == ((4, 3), False)


@pytest.mark.parametrize(
    ("declared", "kind", "shape", "message"),
    [
        ("?,3", "f32", "?,3", "the shape '?,3' for input 'x' must be sizes alone: "),
        ("?,3", "f32", "[2,4]", "the shape [2,4] does not fit input 'x', which is f32[?,3]"),
        ("2", "dynamic", None, "input 'x' has no known element type and cannot be filled; give it a value"),
    ],
)
def test_what_cannot_be_filled_is_reported_at_the_input(net, declared, kind, shape, message):
    with pytest.raises(irops.DiagnosticError) as caught:
        filled(net, "zeros", kind, declared, shape=shape)
    (found,) = caught.value.diagnostics
    assert (found.code, found.location.layer_name) == ("IR611", "x")
    assert found.message.startswith(message)


@pytest.mark.parametrize(("kind", "size"), [("f32", 24), ("f64", 48), ("i8", 6)])
def test_the_limit_of_bytes_is_exact(net, kind, size):
    assert filled(net, "zeros", kind, limits=Limits(tensor_bytes=size))[0].nbytes == size
    with pytest.raises(irops.DiagnosticError) as caught:
        filled(net, "zeros", kind, limits=Limits(tensor_bytes=size - 1))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (
        "IR605",
        f"input 'x' is {kind}[2,3], {size} bytes; the limit is {size - 1} (tensor_bytes)",
    )
    assert any("tensor_bytes=N" in note for note in found.notes)


def model_of(net, *layers, result="out", weights=b""):
    return analyse(net(*layers, ("y", "Result", {}, [result]), weights=weights))


def parameter(name, shape, kind="f32"):
    return (name, "Parameter", {"shape": shape, "element_type": kind}, [])


def constant(name, kind, shape, offset, size):
    data = {"element_type": kind, "shape": shape, "offset": str(offset), "size": str(size)}
    return (name, "Const", data, [])


def test_an_id_stays_below_the_rows_of_its_table_through_arithmetic_and_conversions(net):
    weights = np.float32(np.arange(200)).tobytes() + np.int64([0, 3]).tobytes()
    analysis = model_of(
        net,
        parameter("ids", "?,?", "i32"),
        ("wide", "Convert", {"destination_type": "i64"}, ["ids"]),
        constant("three", "i64", "", 808, 8),
        ("moved", "Add", {}, ["wide", "three"]),
        constant("table", "f32", "100,2", 0, 800),
        constant("axis", "i64", "", 800, 8),
        ("out", "Gather", {}, ["table", "moved", "axis"]),
        weights=weights,
    )
    for seed in range(30):
        chosen = synthetic_inputs(analysis, seed=seed)
        ids = chosen.arrays[0]
        assert ids.min() >= -3
        assert ids.max() <= 96
        assert ids.max() > 20
    assert chosen.inputs[0].why == "Gather-1 out indexes 100 rows"
    assert chosen.inputs[0].line.startswith("ids: i32[?,?] is filled as [2,5], values ")


def test_lengths_lie_within_the_axis_that_they_count(net):
    analysis = model_of(
        net,
        parameter("x", "?,?,3"),
        parameter("lengths", "?", "i64"),
        ("out", "ReverseSequence", {"batch_axis": "0", "seq_axis": "1"}, ["x", "lengths"]),
    )
    seen = set()
    for seed in range(30):
        arrays = synthetic_inputs(analysis, seed=seed).arrays
        assert arrays[1].shape == arrays[0].shape[:1]
        seen |= set(arrays[1].tolist())
    assert seen == set(range(1, arrays[0].shape[1] + 1))


def test_a_mask_is_of_zeros_and_ones_and_never_all_zeros(net):
    analysis = model_of(
        net,
        parameter("mask", "?,?", "i64"),
        constant("one", "f32", "", 0, 4),
        ("float", "Convert", {"destination_type": "f32"}, ["mask"]),
        ("out", "Subtract", {}, ["one", "float"]),
        weights=np.float32([1]).tobytes(),
    )
    chosen = synthetic_inputs(analysis, seed=4)
    assert set(chosen.arrays[0].ravel().tolist()) <= {0, 1}
    assert chosen.arrays[0].any(axis=-1).all()
    assert chosen.inputs[0].why == "a mask of Subtract-1 out"


def test_indices_of_an_update_are_distinct():
    graph = irops.Graph("update")
    data, indices, updates = (
        graph.parameter(name, kind, shape)
        for name, kind, shape in (
            ("data", "f32", [6, 2]),
            ("indices", "i64", [6]),
            ("updates", "f32", [6, 2]),
        )
    )
    graph.result(graph.add("ScatterUpdate-3", data, indices, updates, np.int64(0)), name="y")
    chosen = synthetic_inputs(analyse(graph.model()), seed=8)
    assert sorted(chosen.arrays[1].tolist()) == list(range(6))


def test_a_value_that_becomes_a_shape_is_one_that_inference_accepts(net):
    analysis = model_of(
        net,
        parameter("x", "4,6"),
        parameter("pattern", "2", "i64"),
        ("out", "Reshape", {"special_zero": "false"}, ["x", "pattern"]),
    )
    chosen = synthetic_inputs(analysis)
    assert chosen.arrays[1].tolist() == [6, 4]
    assert not chosen.errors
    assert irops.run(analysis, chosen.arrays)["y"].shape == (6, 4)


def test_what_was_chosen_is_the_same_as_lines_and_as_json(net):
    chosen = synthetic_inputs(model_of(net, parameter("x", "?,..1,4"), ("out", "Log", {}, ["x"])), seed=3)
    (entry,) = chosen.inputs
    assert entry.ones == (1,)
    assert chosen.lines == (entry.line,)
    assert entry.line.endswith(" (Log-1 out takes 0.1 to 2 as data); size 1 along axis 1")
    content = chosen.to_json()
    assert (content["fill"], content["seed"], content["errors"]) == ("random", 3, [])
    assert content["inputs"][0]["shape"] == [2, 1, 4]
    assert content["inputs"][0]["axes_of_size_1"] == [1]
