"""What is inferred where positions, axes and pads are known in part, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from invoking import attach_values, infer_layer

from irops.analysis.invocation import OpFault
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.values.dim import Dim
from irops.values.element import element_type
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape


def of(shape, kind="f32"):
    return Fact(element_type(kind), Shape.parse(shape))


def constant(value, kind="i64"):
    array = np.array(value, dtype=element_type(kind).dtype)
    return Fact(element_type(kind), Shape(array.shape), array)


def in_part(shape):
    """What ShapeOf gives of a shape."""
    dims = Shape.parse(shape)
    return Fact(element_type("i64"), Shape.of(len(dims)), dims_array(list(dims)))


def infer(op_id, *inputs, **attributes):
    op = default_registry().op(op_id)
    values = bind(op, {name: str(value) for name, value in attributes.items()}).values
    return attach_values(op, inputs, values, infer_layer(op, inputs, values), 1 << 16)[0]


def shape_of(*arguments, **attributes):
    return str(infer(*arguments, **attributes).shape)


@pytest.mark.parametrize(
    ("axes", "shape"),
    [
        (constant([1]), "[2..10,..3]"),
        (of("1", "i64"), "[..10,..3]"),
        (of("?", "i64"), "[..10,..3]"),
        (of("0", "i64"), "[2..10,3]"),
    ],
)
def test_slice_opens_only_the_axes_that_it_may_cut(axes, shape):
    limits = of("?", "i64")
    assert shape_of("Slice-8", of("2..10,3"), limits, limits, limits, axes) == shape


def test_slice_takes_positions_from_a_dynamic_shape():
    assert (
        shape_of("Slice-8", of("10,?"), in_part("2..4,1"), constant([8, 5]), constant([1, 1])) == "[4..6,..4]"
    )


def test_masks_speak_where_begin_is_not_known():
    masks = {"begin_mask": "1, 0", "end_mask": "1, 0"}
    assert (
        shape_of("StridedSlice-1", of("2..5,3"), of("2", "i64"), of("2", "i64"), None, **masks)
        == "[2..5,..3]"
    )
    masks = {
        "begin_mask": "0, 0, 0",
        "end_mask": "0, 0, 0",
        "ellipsis_mask": "1, 0, 0",
        "new_axis_mask": "0, 1, 0",
    }
    assert (
        shape_of("StridedSlice-1", of("2,3,4"), of("3", "i64"), of("3", "i64"), constant([1, 1, 1]), **masks)
        == "[2,3,1,..4]"
    )


def test_without_the_number_of_positions_nothing_is_known_of_a_strided_slice():
    assert (
        shape_of(
            "StridedSlice-1", of("2,3"), of("?", "i64"), of("1..2", "i64"), None, begin_mask="", end_mask=""
        )
        == "[...]"
    )
    assert (
        shape_of(
            "StridedSlice-1", of("2,3"), of("?", "i64"), of("1", "i64"), None, begin_mask="", end_mask=""
        )
        == "[..2,3]"
    )


def test_gather_along_an_unknown_axis_says_what_all_axes_have_in_common():
    assert shape_of("Gather-8", of("2,3"), of("4", "i64"), of("", "i64")) == "[2..4,3..4]"
    assert (
        shape_of("Gather-8", of("2,3,5"), of("2,4", "i64"), of("", "i64"), batch_dims="1") == "[2,3..4,4..5]"
    )
    assert shape_of("Gather-8", of("7"), of("4,?", "i64"), of("...", "i64")) == "[4,?]"


def test_gather_holds_batch_dims_to_an_axis_without_any_rank():
    for inputs in (
        (of("..."), of("...", "i64")),
        (of("2,3"), of("...", "i64")),
        (of("..."), of("2,4", "i64")),
    ):
        with pytest.raises(OpFault, match="batch_dims is at most axis"):
            infer("Gather-8", *inputs, constant(0), batch_dims="1")


def test_gather_picks_dimensions_of_a_dynamic_shape():
    found = infer("Gather-8", in_part("?,2..5,3"), constant([1, 2, 9]), constant(0))
    assert [str(dim) for dim in found.dims] == ["2..5", "3", "0"]


def test_scatter_puts_dimensions_into_a_shape():
    found = infer("ScatterNDUpdate-4", constant([1, 2, 3]), constant([[1]]), in_part("4..6"))
    assert [str(dim) for dim in found.dims] == ["1", "4..6", "3"]


def test_scatter_learns_the_sizes_of_data_from_updates():
    assert shape_of("ScatterNDUpdate-4", of("?,?,2..9"), of("7,1", "i64"), of("?,5,..4")) == "[?,5,2..4]"


def test_pads_from_a_dynamic_shape():
    assert (
        shape_of("Pad-12", of("3,?"), in_part("2..5,1"), constant([1, 1]), None, pad_mode="constant")
        == "[6..9,2..]"
    )


def test_what_is_mirrored_is_there():
    assert shape_of("Pad-12", of("?"), constant([3]), constant([1]), None, pad_mode="reflect") == "[8..]"
    assert shape_of("Pad-12", of("?"), constant([3]), constant([1]), None, pad_mode="symmetric") == "[7..]"


def test_pads_tell_the_rank():
    assert shape_of("Pad-12", of("..."), of("2", "i64"), of("?", "i64"), None, pad_mode="edge") == "[?,?]"


def test_padding_a_dynamic_shape_keeps_its_dimensions():
    found = infer(
        "Pad-12", in_part("2..5,3"), constant([1]), constant([-1]), constant(7), pad_mode="constant"
    )
    assert [str(dim) for dim in found.dims] == ["7", "2..5"]


def test_gather_elements_of_a_dynamic_shape():
    found = infer("GatherElements-6", in_part("2..5,3"), constant([1, 0, -2]), axis="0")
    assert [str(dim) for dim in found.dims] == ["3", "2..5", "2..5"]
    assert isinstance(found.dims[0], Dim)
