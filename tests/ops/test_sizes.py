"""What is inferred where sizes, axes, lengths, positions and pads are known in part, or not at all."""

from itertools import combinations
from math import inf

import numpy as np
import pytest
from invoking import inferred, shapes_of, sizes

from irops.analysis.invocation import OpFault
from irops.ops.stock import broadcast, normal_axes, reduced
from irops.values.dim import ANY, UNKNOWN, Dim
from irops.values.element import F32, I64
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape
from irops.values.violation import Violation, collect_warnings

S = Dim(1, inf).named("length")
ONE, TWO, SOME, SCALAR = "i64[1]", "i64[2]", "i64[?]", "i64[]"
PLAIN = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
STEPS = PLAIN | {"strides": "2,3", "auto_pad": "same_lower"}
NO_MASKS = {"begin_mask": "", "end_mask": ""}
FEW_MASKS = {"begin_mask": "1, 0", "end_mask": "1, 0"}
MORE_MASKS = {"ellipsis_mask": "1, 0, 0", "new_axis_mask": "0, 1, 0"}
ALL_MASKS = {"begin_mask": "0, 0, 0", "end_mask": "0, 0, 0"} | MORE_MASKS
FORWARD = {"hidden_size": "5", "direction": "forward", "activations": "sigmoid, tanh, tanh"}
LARGEST = {"axis": "-1", "mode": "max", "sort": "value", "index_element_type": "i64"}
BOXES = ("1..3,8,4", "1..3,2..4,8")
CORNERS = {"box_encoding": "corner", "output_type": "i64"}
DEFORMED = ["?,4,?,6", "1..2,18,..4,?", "3,4,3,3", "2..,9,4..,4"]
POOLING = {"pooled_h": 2, "pooled_w": 2, "spatial_scale": 1.0, "method": "max"}


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "shapes"),
    [
        ("Transpose-1", ["2,3..4,9", "i64[3]"], {}, ["[2..9,2..9,2..9]"]),
        ("Transpose-1", ["2,3..4,9", [UNKNOWN, 0, UNKNOWN]], {}, ["[2..9,2,2..9]"]),
        ("Transpose-1", ["2,3", "i64[0]"], {}, ["[3,2]"]),
        ("Transpose-1", ["...", "i64[3]"], {}, ["[?,?,?]"]),
        ("Transpose-1", ["...", "i64[0]"], {}, ["[...]"]),
        ("Transpose-1", ["2,3", "i64[...]"], {}, ["[2..3,2..3]"]),
        ("Concat-1", ["?,3", "2..4,3"], {"axis": 0}, ["[2..,3]"]),
        ("Concat-1", ["...", "2,?", "1..2,3"], {"axis": 0}, ["[3..,3]"]),
        ("Concat-1", ["...", "..."], {"axis": 0}, ["[...]"]),
        ("Concat-1", ["?,1..3", "2,2..5"], {"axis": 0}, ["[2..,2..3]"]),
        ("Split-1", ["2,?", 1], {"num_splits": 3}, ["[2,?]"] * 3),
        ("Split-1", ["2,5..11", -1], {"num_splits": 3}, ["[2,2..3]"] * 3),
        ("Split-1", ["2,5..", 1], {"num_splits": 3}, ["[2,2..]"] * 3),
        ("Split-1", ["..2,7", 0], {"num_splits": 3}, ["[0,7]"] * 3),
        ("Split-1", ["...", 1], {"num_splits": 3}, ["[...]"] * 3),
        ("Split-1", ["2,6", SCALAR], {"num_splits": 3}, ["[2,2]"] * 3),
        ("Split-1", ["3,6", SCALAR], {"num_splits": 3}, ["[1..3,2..6]"] * 3),
        ("VariadicSplit-1", ["2,5..10", 1, [1, -1, 3]], {}, ["[2,1]", "[2,1..6]", "[2,3]"]),
        ("VariadicSplit-1", ["2,6", 1, [UNKNOWN, 2]], {}, ["[2,4]", "[2,2]"]),
        ("VariadicSplit-1", ["2,6", 1, TWO], {}, ["[2,..6]", "[2,..6]"]),
        ("VariadicSplit-1", [Shape([2, S]), 1, [S, UNKNOWN]], {}, ["[2,1..]", "[2,0]"]),
        ("VariadicSplit-1", ["3,7", SCALAR, [3, 4]], {}, ["[3,3]", "[3,4]"]),
        ("VariadicSplit-1", ["2,6", 1, SOME], {}, []),
        ("VariadicSplit-1", ["...", 0, [1, 2]], {}, ["[...]", "[...]"]),
        ("VariadicSplit-1", ["2,6", 1, "i64[1099511627776]"], {}, []),  # no number is taken on trust
        ("Broadcast-3", ["5,1", [Dim(2, 9), ANY]], {"mode": "numpy"}, ["[5,?]"]),
        ("Broadcast-3", ["3..5,2", [Dim(2, 4), 2]], {"mode": "numpy"}, ["[3..4,2]"]),
        ("Broadcast-3", ["...", [2, ANY]], {"mode": "numpy"}, ["[2,?]"]),
        ("Broadcast-3", ["?", TWO], {"mode": "numpy"}, ["[?,?]"]),
        ("Broadcast-3", ["3,1", [2, ANY, 4]], {"mode": "bidirectional"}, ["[2,3,4]"]),
        ("Broadcast-3", ["3,2", ONE], {"mode": "bidirectional"}, ["[3,2]"]),
        ("Broadcast-3", ["...", [2]], {"mode": "bidirectional"}, ["[...]"]),
        ("Broadcast-3", ["3", SOME], {"mode": "numpy"}, ["[...]"]),
        ("Tile-1", ["2,3", [Dim(1, 3), ANY]], {}, ["[2..6,?]"]),
        ("Tile-1", ["2,0", TWO], {}, ["[?,0]"]),
        ("Tile-1", ["2,3", ONE], {}, ["[2,?]"]),
        ("Tile-1", ["2", "i64[3]"], {}, ["[?,?,?]"]),
        ("Tile-1", ["...", [2]], {}, ["[...]"]),
        ("Tile-1", ["2,3", SOME], {}, ["[...]"]),
        # Slice opens only the axes that it may cut
        ("Slice-8", ["2..10,3", SOME, SOME, SOME, [1]], {}, ["[2..10,..3]"]),
        ("Slice-8", ["2..10,3", SOME, SOME, SOME, ONE], {}, ["[..10,..3]"]),
        ("Slice-8", ["2..10,3", SOME, SOME, SOME, SOME], {}, ["[..10,..3]"]),
        ("Slice-8", ["2..10,3", SOME, SOME, SOME, "i64[0]"], {}, ["[2..10,3]"]),
        ("Slice-8", ["10,?", sizes("2..4,1"), [8, 5], [1, 1]], {}, ["[4..6,..4]"]),
        ("StridedSlice-1", ["2..5,3", TWO, TWO, None], FEW_MASKS, ["[2..5,..3]"]),
        ("StridedSlice-1", ["2,3,4", "i64[3]", "i64[3]", [1, 1, 1]], ALL_MASKS, ["[2,3,1,..4]"]),
        ("StridedSlice-1", ["2,3", SOME, "i64[1..2]", None], NO_MASKS, ["[...]"]),
        ("StridedSlice-1", ["2,3", SOME, ONE, None], NO_MASKS, ["[..2,3]"]),
        # along an unknown axis, what all axes have in common
        ("Gather-8", ["2,3", "i64[4]", SCALAR], {}, ["[2..4,3..4]"]),
        ("Gather-8", ["2,3,5", "i64[2,4]", SCALAR], {"batch_dims": 1}, ["[2,3..4,4..5]"]),
        ("Gather-8", ["7", "i64[4,?]", "i64[...]"], {}, ["[4,?]"]),
        ("ScatterNDUpdate-4", ["?,?,2..9", "i64[7,1]", "?,5,..4"], {}, ["[?,5,2..4]"]),
        ("Pad-12", ["3,?", sizes("2..5,1"), [1, 1], None], {"pad_mode": "constant"}, ["[6..9,2..]"]),
        ("Pad-12", ["?", [3], [1], None], {"pad_mode": "reflect"}, ["[8..]"]),  # what is mirrored is there
        ("Pad-12", ["?", [3], [1], None], {"pad_mode": "symmetric"}, ["[7..]"]),
        ("Pad-12", ["...", TWO, SOME, None], {"pad_mode": "edge"}, ["[?,?]"]),
        ("Squeeze-1", ["?,3", [0]], {}, ["[3]"]),
        ("Squeeze-1", ["2..,3", [0]], {}, ["[2..,3]"]),
        ("Squeeze-1", ["?,3"], {}, ["[...]"]),
        ("Squeeze-1", ["2..,1,3", np.zeros(0, np.int64)], {}, ["[2..,3]"]),
        ("Squeeze-1", ["...", [0]], {}, ["[...]"]),
        ("Squeeze-1", ["2,3", ONE], {}, ["[2,3]"]),
        ("Squeeze-1", ["2,3", SOME], {}, ["[2,3]"]),
        ("Squeeze-1", ["1,5,1", ONE], {}, ["[1..5,1..5]"]),
        ("Squeeze-1", ["1,5", TWO], {}, ["[...]"]),
        ("Squeeze-1", ["", [-1]], {}, ["[]"]),
        ("Unsqueeze-1", ["?,3", [1]], {}, ["[?,1,3]"]),
        ("Unsqueeze-1", ["2,3", ONE], {}, ["[1..2,1..3,1..3]"]),
        ("Unsqueeze-1", ["2,3", TWO], {}, ["[...]"]),
        ("Unsqueeze-1", ["...", [0]], {}, ["[...]"]),
        ("Unsqueeze-1", ["2,3,4", [4, -1, 2]], {}, ["[2,3,1,4,1,1]"]),
        ("Unsqueeze-1", ["2,3", [0, -3, 1]], {}, ["[1,1,1,2,3]"]),
        ("DFT-7", ["?,3..4,2", ONE], {}, ["[?,3..4,2]"]),
        ("DFT-7", ["?,3..4,2", ONE, ONE], {}, ["[?,?,2]"]),
        ("DFT-7", ["5,3..4,2", [-1], [7]], {}, ["[5,7,2]"]),
        ("DFT-7", ["5,3..4,?", [-1], ONE], {}, ["[5,?,2]"]),
        ("RDFT-9", ["5,..4", [1]], {}, ["[5,..3,2]"]),
        ("RDFT-9", ["5,1..4", [0, 1], [-1, -1]], {}, ["[5,1..3,2]"]),
        ("RDFT-9", ["5,4", [1, 0], TWO], {}, ["[?,?,2]"]),
        ("IRDFT-9", ["5,..4,2", [1]], {}, ["[5,..6]"]),
        ("IRDFT-9", ["5,4,2", [1, 0], [-1, 7]], {}, ["[7,4]"]),
        ("IRDFT-9", ["...", [1]], {}, ["[...]"]),
        ("STFT-15", ["5..33", "?", 4, 4], {"transpose_frames": False}, ["[1..8,3,2]"]),
        ("STFT-15", ["2,?", "?", 4, SCALAR], {"transpose_frames": False}, ["[2,1..,3,2]"]),
        ("STFT-15", ["2,32", "?", SCALAR, 4], {"transpose_frames": False}, ["[2,1..8,1..,2]"]),
        ("STFT-15", ["...", "?", 4, 4], {"transpose_frames": False}, ["[...]"]),
        # as OpenVINO infers them
        ("MatMul-1", ["1..4,2,3", "7,3,4"], {}, ["[7,2,4]"]),
        ("MatMul-1", ["1..4,2,3", "2..9,3,4"], {}, ["[2..9,2,4]"]),
        ("MatMul-1", ["2..4,2,3", "3..9,3,4"], {}, ["[3..4,2,4]"]),
        ("MatMul-1", ["0..4,2,3", "3..9,3,4"], {}, ["[3..9,2,4]"]),
        ("MatMul-1", ["2..4,2,3", "?,3,4"], {}, ["[2..4,2,4]"]),
        ("MatMul-1", ["?,2,3..4", "4..5,5"], {}, ["[?,2,5]"]),
        ("MatMul-1", ["...", "3,4"], {}, ["[...]"]),
        ("MatMul-1", ["5,1,2,3", "7,3,4"], {}, ["[5,7,2,4]"]),
        ("MatMul-1", ["3", "5,3,4"], {}, ["[5,4]"]),
        ("MatMul-1", ["5,2,3", "3"], {}, ["[5,2]"]),
        ("MatMul-1", ["?", "?"], {}, ["[]"]),
        ("Convolution-1", ["?,3,8..20,?", "4,3,3,3"], PLAIN, ["[?,4,6..18,1..]"]),
        ("Convolution-1", ["?,3,0..20,1..", "4,3,3,3"], PLAIN, ["[?,4,1..18,1..]"]),
        ("Convolution-1", ["?,3,8..20,?", "4,3,3,3"], PLAIN | {"strides": "2,2"}, ["[?,4,3..9,1..]"]),
        ("Convolution-1", ["...", "4,3,3,3"], PLAIN, ["[?,4,1..,1..]"]),
        ("Convolution-1", ["1,3,8,8", "..."], PLAIN, ["[1,?,1..8,1..8]"]),
        ("Convolution-1", ["...", "..."], PLAIN, ["[?,?,1..,1..]"]),
        ("Convolution-1", ["1,3,8,8..10", "4..5,3,3,0..12"], PLAIN, ["[1,4..5,6,1..10]"]),
        ("Convolution-1", ["1,3,8,8", "4,3,1..3,3"], PLAIN | {"dilations": "4,1"}, ["[1,4,1..8,6]"]),
        ("Convolution-1", ["1,3,?,1..9", "4,3,3,3"], STEPS, ["[1,4,?,1..3]"]),
        ("Convolution-1", ["1,3,0,8", "4,3,9,9"], PLAIN | {"auto_pad": "same_upper"}, ["[1,4,0,8]"]),
        ("Convolution-1", ["...", "4,3,3,3"], PLAIN | {"auto_pad": "same_upper"}, ["[?,4,?,?]"]),
        # the number of groups follows from the channels
        ("GroupConvolution-1", ["1,10..20,5,5", "?,2,3,3,3"], PLAIN, ["[1,8..12,3,3]"]),
        ("GroupConvolution-1", ["1,12,5,5", "0..5,2..3,3,2,2"], PLAIN, ["[1,8..12,4,4]"]),
        ("GroupConvolution-1", ["1,12,5,5", "?,2,3..4,1,1"], PLAIN, ["[1,6..8,5,5]"]),
        ("GroupConvolution-1", ["...", "?,2,3,3,3"], PLAIN, ["[?,?,1..,1..]"]),
        ("DeformableConvolution-8", DEFORMED, PLAIN, ["[2,3,4,4]"]),
        ("ROIPooling-2", ["...", "2..7,?"], POOLING, ["[2..7,?,2,2]"]),
        # positions of NonZero: between none and all, and those of dimensions that cannot be 0
        ("NonZero-3", ["2,3"], {"output_type": "i32"}, ["[2,..6]"]),
        ("NonZero-3", ["2..5,3"], {"output_type": "i32"}, ["[2,..15]"]),
        ("NonZero-3", ["?"], {"output_type": "i32"}, ["[1,?]"]),
        ("NonZero-3", ["0,?"], {"output_type": "i32"}, ["[2,0]"]),
        ("NonZero-3", [""], {"output_type": "i32"}, ["[..1,..1]"]),
        ("NonZero-3", ["..."], {"output_type": "i32"}, ["[?,?]"]),
        ("NonZero-3", [sizes("2..5,0,?,1")], {"output_type": "i64"}, ["[1,2..3]"]),
        ("NonZero-3", [np.float32([[0, 1], [2, 0]])], {"output_type": "i64"}, ["[2,2]"]),
        # k elements, but no more than there are
        ("TopK-11", ["4,3", SCALAR], LARGEST, ["[4,..3]"] * 2),
        ("TopK-11", ["4,2..7", SCALAR], LARGEST, ["[4,..7]"] * 2),
        ("TopK-11", ["4,?", SCALAR], LARGEST, ["[4,?]"] * 2),
        ("TopK-11", ["4,2..7", Dim(1, 4)], LARGEST, ["[4,1..4]"] * 2),
        ("TopK-11", ["4,2..7", Dim(5, 9)], LARGEST, ["[4,5..7]"] * 2),
        ("TopK-11", ["4,2..7", 3], LARGEST, ["[4,3]"] * 2),
        ("TopK-11", ["4,?", Dim(2, inf)], LARGEST, ["[4,2..]"] * 2),
        ("NonMaxSuppression-1", [*BOXES, 2, None, None], CORNERS, ["[4..8,3]"]),
        ("NonMaxSuppression-3", [*BOXES, 9, None, None], CORNERS, ["[8,3]"]),
        ("NonMaxSuppression-4", [*BOXES, 2, None, None], CORNERS, ["[4..24,3]"]),
        ("NonMaxSuppression-4", [*BOXES, 0, None, None], CORNERS, ["[0,3]"]),
        ("NonMaxSuppression-5", [*BOXES, 2, None, None, None], CORNERS, ["[..24,3]"] * 2 + ["[1]"]),
        ("NonMaxSuppression-9", [*BOXES, 9, None, None, None], CORNERS, ["[..96,3]"] * 2 + ["[1]"]),
    ],
)
def test_shapes_are_known_as_far_as_they_follow(op, inputs, attributes, shapes):
    assert shapes_of(op, *inputs, **attributes) == shapes


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "elements"),
    [
        ("Gather-8", [sizes("?,2..5,3"), [1, 2, 9], 0], {}, ["2..5", "3", "0"]),
        ("ScatterNDUpdate-4", [[1, 2, 3], [[1]], sizes("4..6")], {}, ["1", "4..6", "3"]),
        ("Pad-12", [sizes("2..5,3"), [1], [-1], 7], {"pad_mode": "constant"}, ["7", "2..5"]),
        ("GatherElements-6", [sizes("2..5,3"), [1, 0, -2]], {"axis": 0}, ["3", "2..5", "2..5"]),
    ],
)
def test_dimensions_are_known_as_far_as_they_follow(op, inputs, attributes, elements):
    dims = inferred(op, *inputs, **attributes)[0].dims
    assert [str(dim) for dim in dims] == elements
    assert all(isinstance(dim, Dim) for dim in dims)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "words"),
    [
        ("VariadicSplit-1", ["2,6", SCALAR, [1, 2]], {}, "sizes of the parts add up"),
        ("Squeeze-1", ["", [1]], {}, "axis 1 at rank 0"),
        # without any rank, too
        ("Gather-8", ["...", "i64[...]", 0], {"batch_dims": 1}, "batch_dims is at most axis"),
        ("Gather-8", ["2,3", "i64[...]", 0], {"batch_dims": 1}, "batch_dims is at most axis"),
        ("Gather-8", ["...", "i64[2,4]", 0], {"batch_dims": 1}, "batch_dims is at most axis"),
    ],
)
def test_what_cannot_fit_is_refused(op, inputs, attributes, words):
    with pytest.raises(OpFault, match=words):
        inferred(op, *inputs, **attributes)


def test_lengths_that_do_not_fit_leave_the_shapes_clear():
    with collect_warnings() as warnings:
        assert shapes_of("VariadicSplit-1", "2,1..3", 1, [1, 3]) == ["[2,1]", "[2,3]"]
    assert [warning.constraint for warning in warnings] == ["C2"]


LSTM = ("...", "...", "...", "i32[...]", "...", "...", "...")


@pytest.mark.parametrize(
    ("inputs", "shape"),
    [
        (LSTM, "[?,1,?,5]"),
        (("1..3,2..9,4", "2..5,1,?", "?,1,?", "i32[?]", "1,?,4", "1,?,?", "1,?"), "[2..3,1,2..9,5]"),
        (("2,3,4", "...", "...", "i32[2]", "1,24,4", "...", "..."), "[2,1,3,6]"),  # not hidden_size
        (("2,3,4", "...", "...", "i32[2]", "1,22..27,4", "...", "..."), "[2,1,3,6]"),
    ],
)
def test_sizes_of_a_sequence_follow_from_one_another(inputs, shape):
    assert shapes_of("LSTMSequence-5", *inputs, **FORWARD)[0] == shape


@pytest.mark.parametrize(
    "inputs",
    [
        ("2,3,4", "2,1,5", "2,1,5", "i32[2]", "1,19,4", "1,20,5", "1,20"),
        ("2,3,4", "2,1,5", "2,1,5", "i32[2]", "1,17..19,4", "1,20,5", "1,20"),
        ("2,3,4", "2,2,5", "2,1,5", "i32[2]", "1,20,4", "1,20,5", "1,20"),
        ("2,3,4", "2,1,5", "2,1,6", "i32[2]", "1,?,4", "1,?,?", "1,?"),
    ],
)
def test_a_sequence_that_cannot_fit_is_refused(inputs):
    with pytest.raises(OpFault, match="LSTMSequence-5 requires"):
        inferred("LSTMSequence-5", *inputs, **FORWARD)


def fact(text):
    return Fact(F32, Shape.parse(text))


def axes(*items):
    whole = all(isinstance(item, int) for item in items)
    return Fact(I64, Shape((len(items),)), np.array(items, np.int64) if whole else dims_array(items))


@pytest.mark.parametrize(
    ("a", "b", "auto_broadcast", "axis", "shape"),
    [
        ("2..5,?", "3..", "numpy", 0, "[2..5,3..]"),
        ("?,1", "?,7", "numpy", 0, "[?,7]"),
        ("..2,..3", "1..4,..3", "numpy", 0, "[..4,..3]"),
        ("1..4,3..", "2..,3", "none", 0, "[2..4,3]"),
        ("[...]", "2,3", "numpy", 0, "[...]"),
        ("[...]", "2,3", "none", 0, "[2,3]"),
        ("2..,3..,4..", "..2,2..5", "pdpd", 0, "[2..,3..5,4..]"),
        ("2,3", "[...]", "pdpd", 0, "[2,3]"),
        ("2,?,4", "3,1", "pdpd", -1, "[2,3,4]"),
    ],
)
def test_two_shapes_combine(a, b, auto_broadcast, axis, shape):
    assert str(broadcast(fact(a), fact(b), auto_broadcast, "C1", axis)) == shape


@pytest.mark.parametrize(
    ("a", "b", "axis"),
    [("1", "3", 0), ("2,3", "3", 0), ("2,3", "2", -1), ("2,3", "3", 2), ("3", "2,3", -1), ("2", "2", -2)],
)
def test_under_pdpd_b_fits_onto_a_or_is_refused(a, b, axis):
    with pytest.raises(Violation):
        broadcast(fact(a), fact(b), "pdpd", "C1", axis)


def test_an_axis_that_is_not_known_may_be_any():
    data = fact("2,3,4")
    found = reduced(data, axes(UNKNOWN, 1), False, "C1")
    assert str(found) == "[2..4]"
    for gone in (0, 2):
        assert found.contains(data.shape.without((gone, 1)))
    assert str(reduced(data, axes(UNKNOWN, 1), True, "C1")) == "[1..2,1,1..4]"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_as_many_axes_go_as_are_named_whichever_they_are(count):
    data = fact("2,5,1..3,?")
    found = reduced(data, Fact(I64, Shape((count,))), False, "C1")
    for gone in combinations(range(4), count):
        assert found.contains(data.shape.without(gone))


def test_axes_of_which_the_number_is_not_known_leave_the_rank_open_unless_they_are_kept():
    some = Fact(I64, Shape.parse("?"))
    assert str(reduced(fact("2,3"), some, False, "C1")) == "[...]"
    assert str(reduced(fact("2,?"), some, True, "C1")) == "[1..2,?]"
    assert str(reduced(fact(""), some, False, "C1")) == "[]"
    assert str(reduced(fact("[...]"), axes(0), True, "C1")) == "[...]"


def test_more_axes_than_there_are_say_nothing_before_they_are_known():
    assert str(reduced(fact("2,3"), Fact(I64, Shape((3,))), True, "C1")) == "[1..2,1..3]"
    assert str(reduced(fact("2,3"), Fact(I64, Shape((3,))), False, "C1")) == "[...]"


def test_a_scalar_has_an_axis_unless_it_is_to_be_kept():
    assert normal_axes([-1], 0, "C1") == (0,)
    assert str(reduced(fact(""), axes(-1), False, "C1")) == "[]"
    with pytest.raises(Violation):
        reduced(fact(""), axes(0), True, "C1")


@pytest.mark.parametrize(
    ("named", "constraint"),
    [((0, -2), "C2"), ((2,), "C1"), ((-3,), "C1"), ((2**63 - 1,), "C1"), ((Dim(0, 1), 5), "C1")],
)
def test_axes_are_held_to_the_rank_and_to_being_different(named, constraint):
    with pytest.raises(Violation) as caught:
        reduced(fact("2,3"), axes(*named), False, "C1", "C2")
    assert caught.value.constraint == constraint
