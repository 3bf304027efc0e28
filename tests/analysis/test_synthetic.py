"""Values that are made up for inputs: zeros, ones and random numbers, in range and within limits, and sizes
that are assumed for axes whose size is not known.
"""

import numpy as np
import pytest
from tables import table

import irops
from irops.analysis.model_analysis import analyse
from irops.analysis.synthetic import Span, assumed_shapes, synthetic_inputs
from irops.files.limits import Limits
from irops.values.element import element_type_of
from tests.conftest import model_of


def filled(net, fill, kind="f32", declared="2,3", name="x", shape=None, **options):
    analysis = analyse(net(f"{name}: {kind}[{declared}]; y: Result {name}"))
    (found,) = synthetic_inputs(analysis, fill, shapes={} if shape is None else {0: shape}, **options)
    return found.array


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16", "f64", "i8", "u64", "boolean"])
@pytest.mark.parametrize(("fill", "number"), [("zeros", 0), ("ones", 1)])
def test_zeros_and_ones_have_the_type_of_the_input(net, fill, number, kind):
    array = filled(net, fill, kind)
    assert (str(element_type_of(array)), array.shape) == (kind, (2, 3))
    assert array.astype(float).tolist() == [[number] * 3] * 2


@pytest.mark.parametrize("kind", ["f64", "f32"])
def test_random_floats_lie_between_minus_one_and_one_on_both_sides_of_zero(net, kind):
    array = filled(net, "random", kind, "1000")
    assert array.min() < -0.9
    assert array.max() > 0.9
    assert abs(array).max() <= 1


@pytest.mark.parametrize("kind", ["i64", "u8", "i4", "boolean"])
def test_random_integers_are_0_or_1(net, kind):
    array = filled(net, "random", kind, "100")
    assert {int(n) for n in array.astype(int)} == {0, 1}
    assert str(element_type_of(array)) == kind


ROWS = "rows: Gather-opset8 table x zero"


@pytest.mark.parametrize("kind", ["i64", "i32", "boolean"])
def test_random_masks_are_1_up_to_a_place_and_hide_no_row_from_its_start(net, kind):
    rows = filled(net, "random", kind, "9,4,6").astype(int)
    assert (rows[..., 0] == 1).all()
    assert (rows[..., -1] == 0).all()
    assert (np.diff(rows, axis=-1) <= 0).all()
    assert set(rows.sum(-1).ravel().tolist()) == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("users", "greatest"),
    [
        ([ROWS], 6),
        (["c: Convert x destination_type=i32", "rows: Gather-opset8 table c zero"], 6),
        ([ROWS, "same: Equal x x", "shape: ShapeOf x"], 6),
        ([ROWS, "deep: Gather-opset8 rows x zero"], 1),  # of 2 items of rows
        ([ROWS, "more: Add x x"], 1),  # may be a number, too
        (["some: Convert x destination_type=boolean"], 1),  # a mask
    ],
)
def test_random_indices_are_below_the_size_of_all_that_they_index(net, users, greatest):
    names = [user.partition(":")[0] for user in users]
    ends = [f"of_{name}: Result {name}" for name in names if name != "c"]
    model = net("x: i64[2,300]", *users, *ends, table=np.zeros((7, 4), np.float32), zero=np.array(0))
    (found,) = synthetic_inputs(analyse(model), "random")
    assert set(found.array.ravel().tolist()) == set(range(greatest + 1))
    assert (found.span is None) == (greatest == 1 and names[-1] != "deep")
    irops.run(model, {"x": found.array})


def test_random_lengths_are_from_1_to_the_size_of_their_axis(net):
    model = net("x: f32[200,5]; n: i32[200]; p: ReverseSequence x n batch_axis=0 seq_axis=-1; y: Result p")
    _, lengths = synthetic_inputs(analyse(model), "random")
    assert set(lengths.array.tolist()) == {1, 2, 3, 4, 5}
    assert lengths.span == Span(1, 5, model.graph.layers[2])


def test_a_type_without_zero_and_sign_is_filled_with_numbers_that_it_has(net):
    array = filled(net, "random", "f8e8m0", "100")
    assert set(array.astype(float).tolist()) == {1, 2}


def test_strings_are_empty_one_or_a_letter(net):
    assert filled(net, "zeros", "string", "2").tolist() == ["", ""]
    assert filled(net, "ones", "string", "2").tolist() == ["1", "1"]
    letters = filled(net, "random", "string", "20,20")
    assert letters.shape == (20, 20)
    assert set(letters.ravel()) == set("abcdefghijklmnopqrstuvwxyz")


def test_random_values_depend_on_the_seed_and_on_the_name(net):
    first = filled(net, "random", seed=1)
    assert np.array_equal(first, filled(net, "random", seed=1))
    assert not np.array_equal(first, filled(net, "random", seed=2))
    assert not np.array_equal(first, filled(net, "random", seed=1, name="other"))
    assert np.array_equal(filled(net, "random"), filled(net, "random", seed=0))


def test_sizes_are_given_or_assumed(net):
    model = net("a: f32[?,3]; b: f32[?,3]; c: f32[?,3]; ay: Result a; by: Result b; cy: Result c")
    given = {0: np.zeros((9, 3), np.float32)}
    found = synthetic_inputs(analyse(model), "ones", given=given, shapes={2: "1,3"})
    expected = [("b", (2, 3), True, []), ("c", (1, 3), False, [])]
    assert [(one.port.name, one.array.shape, one.assumed, one.ones) for one in found] == expected


@pytest.mark.parametrize(
    ("declared", "kind", "shape", "message"),
    [
        ("?,3", "f32", "?,3", "the shape '?,3' for input 'x' must be sizes alone: "),
        ("?,3", "f32", "[2,4]", "the shape [2,4] does not fit input 'x', which is f32[?,3]"),
        ("...", "f32", None, "input 'x' has any number of axes; give a shape (run --shape x:SHAPE)"),
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
    assert filled(net, "zeros", kind, limits=Limits(tensor_bytes=size)).nbytes == size
    with pytest.raises(irops.DiagnosticError) as caught:
        filled(net, "zeros", kind, limits=Limits(tensor_bytes=size - 1))
    (found,) = caught.value.diagnostics
    expected = ("IR605", f"input 'x' is {kind}[2,3], {size} bytes; the limit is {size - 1} (tensor_bytes)")
    assert (found.code, found.message) == expected
    assert any("tensor_bytes=N" in note for note in found.notes)


def assumed(net, layers, known=None, **constants):
    found = assumed_shapes(analyse(net(layers, **constants)), known or {})
    return {position: str(shape) for position, shape in found.items()}


PRODUCT = "a: f32[?,?]; b: f32[?,?]; p: MatMul a b transpose_a=false transpose_b=false; y: Result p"


@pytest.mark.parametrize(("layers", "sizes"), table(__file__, "unknown_sizes_are_assumed"))
def test_unknown_sizes_are_assumed(net, layers, sizes):
    assert assumed(net, layers) == dict(enumerate(sizes))


def test_a_size_that_meets_weights_is_theirs(net):
    layers = "x: f32[?,?]; p: MatMul x w; y: Result p"
    assert assumed(net, layers, w=np.zeros((768, 10), np.float32)) == {0: "[2,768]"}


def test_a_size_is_1_where_inference_refuses_all_others(net):
    assert assumed(net, "x: f32[?,?]; s: Squeeze x axes; y: Result s", axes=np.int64([1])) == {0: "[2,1]"}


def test_known_shapes_of_other_inputs_count(net):
    layers = "a: f32[?]; b: f32[?]; c: Add a b auto_broadcast=none; y: Result c"
    assert assumed(net, layers, {0: (11,)}) == {1: "[11]"}


def attention(axis):
    return model_of(
        "q: f32[?,?,?,8]; k: f32[?,?,?,8]; v: f32[?,?,?,8]; scores: MatMul q k transpose_b=true",
        f"weights: SoftMax-opset8 scores axis={axis}; found: MatMul weights v; y: Result found",
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_softmax_along_a_wrong_axis_shows(axis):
    inputs = [filled.array for filled in synthetic_inputs(analyse(attention(3)), "random")]
    found = irops.compare(attention(3), inputs, b=attention(axis))
    assert [result.is_fault for result in found.results] == [True]
    assert found.notes[0].startswith("dynamic inputs in this run: q [2,")
    assert not any("size 1" in note for note in found.notes)
    small = [np.ones((1, 1, 1, 8), np.float32)] * 3
    note = irops.compare(attention(3), small, b=attention(axis)).notes[1]
    assert note.startswith("  size 1: q in axis 0, q in axis 1, q in axis 2, k in axis 0")


def test_sizes_are_alike_where_distinct_ones_need_too_many_tries(net, monkeypatch):
    monkeypatch.setattr("irops.analysis.synthetic.MAX_TRIES", 2)
    assert assumed(net, PRODUCT) == {0: "[2,2]", 1: "[2,2]"}
