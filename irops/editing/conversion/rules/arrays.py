"""Steps of ops that move elements: pads, slices, gathered tuples, scattered updates, shapes and constants."""

from math import prod
from typing import Any

import numpy as np

from irops.editing.conversion.steps import ConvertedNode, NodeForm, Outputs, newer, step
from irops.editing.conversion.targets import NotConvertibleError, OtherFormError
from irops.editing.graph.node import Value
from irops.ir.model import LayerKind
from irops.ops.arithmetic.sums import lowest
from irops.values.element import BOOLEAN, DYNAMIC, I64, STRING, Array, ElementType, tagged
from irops.values.shape import Shape

ZERO, ONE, ALL = np.array(0, np.int64), np.array(1, np.int64), np.array([-1], np.int64)


newer("Gather-7", "Gather-8")
newer("Pad-1", "Pad-12")


@step("Gather-8", "Gather-7")
def gather_older(subject: ConvertedNode) -> NodeForm:
    indices = subject.fact("indices")
    signed = indices.element_type.kind == "signed"
    if signed and (indices.dims is None or any(dim.low < 0 for dim in indices.dims)):
        raise NotConvertibleError("indices may be negative, which Gather-7 does not define")
    return NodeForm(subject.inputs, subject.carried())


@step("Pad-12", "Pad-1")
def pad_older(subject: ConvertedNode) -> NodeForm:
    for name in ("pads_begin", "pads_end"):
        dims = subject.fact(name).dims
        if dims is None or any(dim.low < 0 for dim in dims):
            raise NotConvertibleError(f"{name} may be negative, which Pad-1 does not define")
    return NodeForm(subject.inputs, subject.carried())


@step("Pad-12", "Slice-8")
def pad_and_slice(subject: ConvertedNode) -> NodeForm:
    """Elements are added first, those that negative pads remove are cut off afterwards."""
    begin, end = (subject.typed(subject.input(name), I64, name) for name in ("pads_begin", "pads_end"))
    added = [subject.add("Maximum-1", pads, ZERO, part=f"{part}_added") for pads, part in _pads(begin, end)]
    removed = [
        subject.add("Minimum-1", pads, ZERO, part=f"{part}_removed") for pads, part in _pads(begin, end)
    ]
    operands, mode = (subject.input("data"), *added, *subject.inputs[3:]), subject.attributes["pad_mode"]
    padded = subject.add("Pad-1", *operands, part="padded", pad_mode=mode)
    rank = subject.fact("data").shape.rank
    if rank is None:
        message = "the rank of data is unknown, but the steps of a Slice are one for each axis"
        raise NotConvertibleError(message)
    sizes = subject.add("ShapeOf-3", padded, part="sizes", output_type=I64)
    start = subject.add("Subtract-1", ZERO, removed[0], part="start")
    stop = subject.add("Add-1", sizes, removed[1], part="stop")
    last = subject.add("Maximum-1", stop, ZERO, part="last")
    return NodeForm([padded, start, last, np.ones(rank, np.int64)])


def _pads(begin: Value, end: Value) -> tuple[tuple[Value, str], tuple[Value, str]]:
    return (begin, "begin"), (end, "end")


@step("SliceScatter-15", "Reshape-1")
def slice_scatter(subject: ConvertedNode) -> NodeForm:
    """The positions of the part are the slice of a tensor that numbers its elements."""
    flat = subject.add("Reshape-1", subject.input("data"), ALL, part="flat", special_zero=False)
    shape, table = _numbered(subject)
    part = subject.add("Slice-8", table, *subject.inputs[2:], part="part")
    positions = subject.add("Reshape-1", part, ALL, part="positions", special_zero=False)
    updates = subject.add("Reshape-1", subject.input("updates"), ALL, part="updates", special_zero=False)
    written = subject.add("ScatterUpdate-3", flat, positions, updates, ZERO, part="written")
    return NodeForm([written, shape], {"special_zero": False})


def _numbered(subject: ConvertedNode) -> tuple[Value | Array, Value]:
    """The shape of data, and a tensor of this shape that numbers the elements."""
    shape = shape_tensor(subject, "data", "shape")
    count = subject.add("ReduceProd-1", shape, np.array([0], np.int64), part="count", keep_dims=False)
    numbers = subject.add("Range-4", ZERO, count, ONE, part="numbers", output_type=I64)
    return shape, subject.add("Reshape-1", numbers, shape, part="table", special_zero=False)


@step("GatherND-5", "GatherND-8")
@step("GatherND-8", "GatherND-5")
def gather_nd(subject: ConvertedNode) -> NodeForm:
    if subject.attributes["batch_dims"] > 1:
        message = "batch_dims is more than 1: GatherND-5 flattens the batch axes, GatherND-8 keeps them"
        raise NotConvertibleError(message)
    return NodeForm(subject.inputs, subject.carried())


newer("ScatterElementsUpdate-3", "ScatterElementsUpdate-12")


@step("ScatterElementsUpdate-12", "ScatterElementsUpdate-3")
def scatter_elements_update(subject: ConvertedNode) -> NodeForm:
    """Indices that may be negative are counted from 0: releases before 2023.1 refuse others."""
    subject.require_attribute("reduction", "none")
    data, indices, updates, axis = (subject.input(port.name) for port in subject.op.definition.inputs)
    dims = indices.fact.dims
    if dims is None or any(dim.low < 0 for dim in dims):
        kind = subject.element_type("indices")
        shape = shape_tensor(subject, "data", "shape")
        single = subject.add("Reshape-1", axis, ALL, part="axis", special_zero=False)
        size = subject.add("Gather-8", shape, single, ZERO, part="size")
        indices = _counted_from_0(subject, indices, subject.typed(size, kind, "typed_size"))
    return NodeForm([data, indices, updates, axis])


def _counted_from_0(subject: ConvertedNode, indices: Value, size: Value) -> Value:
    """Indices of which negative ones count from the end: the size of the axis is added to those."""
    zero = subject.like(0, subject.element_type("indices"))
    is_negative = subject.add("Less-1", indices, zero, part="is_negative")
    from_end = subject.add("Add-1", indices, size, part="from_end")
    return subject.add("Select-1", is_negative, from_end, indices, part="indices")


@step("ScatterNDUpdate-15", "Reshape-1")
def scatter_nd_update(subject: ConvertedNode) -> NodeForm:
    """The positions of the written elements are gathered from a tensor that numbers all elements."""
    reduction = subject.attributes["reduction"]
    if reduction == "none":
        raise OtherFormError("ScatterNDUpdate-4 means the same")
    updates = subject.input("updates")
    if reduction == "sub":
        kind = subject.element_type("data")
        if kind.kind == "unsigned" or kind is BOOLEAN:
            message = f"it has reduction=sub of {kind}, which no sum of negative updates equals"
            raise NotConvertibleError(message)
        updates, reduction = subject.add("Negative-1", updates, part="negative"), "sum"
    shape, table = _numbered(subject)
    found = subject.add("GatherND-8", table, subject.input("indices"), part="found")
    written = subject.add(
        "ScatterElementsUpdate-12",
        subject.add("Reshape-1", subject.input("data"), ALL, part="flat", special_zero=False),
        subject.add("Reshape-1", found, ALL, part="positions", special_zero=False),
        subject.add("Reshape-1", updates, ALL, part="updates", special_zero=False),
        ZERO,
        part="written",
        reduction=reduction,
        use_init_val=True,
    )
    return NodeForm([written, shape], {"special_zero": False})


@step("SegmentMax-16", "Slice-8")
def segment_max_of_integers(subject: ConvertedNode) -> NodeForm:
    if not subject.element_type("data").integral:
        raise OtherFormError("its data are not integers")
    return _segment_max(subject)


@step("SegmentMax-16", "Slice-8", rounds="a segment with NaN gives NaN, which SegmentMax ignores")
def segment_max(subject: ConvertedNode) -> NodeForm:
    return _segment_max(subject)


def _segment_max(subject: ConvertedNode) -> NodeForm:
    """Rows filled with the value of empty segments, into which maxima are written; of these as many rows as
    there are segments.
    """
    data, kind = subject.input("data"), subject.element_type("data")
    rank = len(subject.sizes("data", "the ids of segments are repeated along all other axes"))
    ids = subject.typed(subject.input("segment_ids"), I64, "ids")
    count: Value | None = None
    ends = [ids, ALL]
    if subject.optional("num_segments") is not None:
        number = subject.typed(subject.input("num_segments"), I64, "number")
        count = subject.add("Reshape-1", number, ALL, part="count", special_zero=False)
        ends.append(subject.add("Subtract-1", count, ONE, part="last_segment"))
    all_ids = subject.add("Concat-1", *ends, part="all_ids", axis=0)
    last = subject.add("ReduceMax-1", all_ids, np.array([0], np.int64), part="last", keep_dims=True)
    rows = subject.add("Add-1", last, ONE, part="rows")
    shape = subject.add("ShapeOf-3", data, part="shape", output_type=I64)
    others = subject.add("Slice-8", shape, np.array([1]), np.array([rank]), np.array([1]), part="others")
    filled_shape = subject.add("Concat-1", rows, others, part="filled_shape", axis=0)
    fill = subject.like(_lowest(kind) if subject.attributes["fill_mode"] == "lowest" else 0, kind)
    filled = subject.add("Broadcast-3", fill, filled_shape, part="filled", mode="numpy")
    column = subject.add("Unsqueeze-1", ids, np.arange(1, rank), part="column") if rank > 1 else ids
    indices = subject.add("Broadcast-3", column, shape, part="indices", mode="bidirectional")
    greatest: dict[str, Any] = {"reduction": "max", "use_init_val": False}
    maxima = subject.add("ScatterElementsUpdate-12", filled, indices, data, ZERO, part="maxima", **greatest)
    return NodeForm([maxima, np.array([0]), rows if count is None else count, np.array([1]), np.array([0])])


def _lowest(kind: ElementType) -> float:
    """The smallest finite number of a type."""
    if kind.integral:
        return int(kind.extent[0])
    return float(lowest(np.zeros((), kind.dtype)))


newer("Squeeze-1", "Squeeze-15", allow_axis_skip=False)


@step("ShapeOf-3", "Convert-1")
def shape_of_converted(subject: ConvertedNode) -> NodeForm:
    """As ShapeOf-1, whose output is i64, and a Convert."""
    return NodeForm(
        [subject.add("ShapeOf-1", subject.input("data"), part="i64")],
        {"destination_type": subject.attributes["output_type"]},
    )


@step("Identity-16", "Convert-1")
def identity(subject: ConvertedNode) -> NodeForm | Outputs:
    """Nothing; for a result of the model, whose name it keeps, a Convert to the type that it has."""
    data = subject.input("data")
    if not any(user.kind is LayerKind.RESULT for user in subject.node.users):
        return Outputs([data])
    kind = subject.element_type("data", "Convert needs one")
    if kind is STRING:
        raise NotConvertibleError("it is a result of the model, and no other op gives strings as they are")
    return NodeForm([data], {"destination_type": kind})


@step("Squeeze-15", "Squeeze-1")
def squeeze_older(subject: ConvertedNode) -> NodeForm:
    """The axes must be known to have size 1: releases before 2024.3 refuse others."""
    if subject.optional("axes") is None or subject.numbers("axes") == []:
        return NodeForm(subject.inputs)
    removed = subject.numbers("axes")
    dims = subject.fact("data").shape.dims
    if not dims or removed is None:
        if subject.attributes["allow_axis_skip"]:
            raise NotConvertibleError("it may keep an axis whose size is unknown, which Squeeze-1 does not")
        return NodeForm(subject.inputs)
    removed = [axis % len(dims) for axis in removed]
    if subject.attributes["allow_axis_skip"] and not all(dims[axis].known for axis in removed):
        shape = Shape(dims).unnamed()
        message = f"it may keep an axis of unknown size of data {shape}, which Squeeze-1 does not"
        raise NotConvertibleError(message)
    ones = [axis for axis in removed if dims[axis].can_be(1)]
    if ones == removed:
        return NodeForm(subject.inputs)
    if not ones:
        raise NotConvertibleError("it removes no axis, for which Squeeze-1 has no form")
    return NodeForm([subject.input("data"), np.array(ones, np.int64)])


@step("ConvertPromoteTypes-14", "Convert-1")
def promoted(subject: ConvertedNode) -> Outputs:
    """A Convert of each input to their common type."""
    kind = subject.node.outputs[0].element_type
    if kind is DYNAMIC:
        raise NotConvertibleError("the common type of its inputs is unknown")
    data = {name: subject.input(name) for name in ("input_0", "input_1")}
    return Outputs([subject.add("Convert-1", data[n], part=n, destination_type=kind) for n in data])


@step("Range-1", "Range-4")
def range_newer(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, {"output_type": subject.element_type("start")})


@step("Range-4", "Range-1")
def range_older(subject: ConvertedNode) -> NodeForm:
    kind = subject.attributes["output_type"]
    others = {str(subject.element_type(name)) for name in ("start", "stop", "step")} - {str(kind)}
    if others:
        message = f"its output is {kind} and an input {min(others)}; Range-1 has one type for all"
        raise NotConvertibleError(message)
    return NodeForm(subject.inputs)


@step("OneHot-16", "OneHot-1", decomposition=True)
def one_hot_normalized(subject: ConvertedNode) -> NodeForm:
    """Negative indices, which count from the end, with depth added to them."""
    if subject.attributes["negative_indices_mode"] != "normalize":
        raise OtherFormError("OneHot-1 means the same")
    indices = subject.input("indices")
    depth = subject.typed(subject.input("depth"), subject.element_type("indices"), "depth")
    chosen = _counted_from_0(subject, indices, depth)
    return NodeForm([chosen, *subject.inputs[1:]], {"axis": subject.attributes["axis"]})


def shape_tensor(subject: ConvertedNode, name: str, part: str) -> Value | Array:
    """The shape of an input as an i64 tensor: a constant where it is known."""
    shape = subject.fact(name).shape
    if shape.static:
        return np.array(shape.to_tuple(), np.int64)
    return subject.add("ShapeOf-3", subject.input(name), part=part, output_type=I64)


ROUNDS = "overlapping elements are summed in another order, and with zeros, so that infinities give NaN"


@step("Col2Im-15", "GroupConvolutionBackpropData-1", rounds=ROUNDS)
def col2im(subject: ConvertedNode) -> NodeForm:
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 3:
        raise OtherFormError("its data have no axis of batch items")
    return _folded(subject, subject.input("data"))


@step("Col2Im-15", "Squeeze-1", rounds=ROUNDS)
def col2im_without_batch(subject: ConvertedNode) -> NodeForm:
    axis = np.array([0], np.int64)
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 2:
        raise OtherFormError("its data have an axis of batch items")
    batch = subject.add("Unsqueeze-1", subject.input("data"), axis, part="batch")
    form = _folded(subject, batch)
    folded = subject.add("GroupConvolutionBackpropData-1", *form.inputs, part="folded", **form.attributes)
    return NodeForm([folded, axis])


def _folded(subject: ConvertedNode, data: Value) -> NodeForm:
    """The blocks, each element in a channel of its own, spread by filters of which each has one element 1."""
    purpose = "the filters and the padding follow from it"
    size, kernel = (subject.constant(name, purpose) for name in ("output_size", "kernel_size"))
    rows = subject.sizes("data", purpose)[-2]
    if not rows.known:
        raise NotConvertibleError(f"the number of rows of data is unknown, but {purpose}")
    numbers = [subject.attributes[name] for name in ("strides", "dilations", "pads_begin", "pads_end")]
    along = [_along(*each) for each in zip(size, kernel, *numbers)]
    elements, channels = prod(kernel), int(rows) // prod(kernel)
    places = np.array([0, int(rows), *(count for count, _ in along)], np.int64)
    blocks = subject.add("Reshape-1", data, places, part="blocks", special_zero=True)
    kind = subject.element_type("data", "the filters have it")
    single = np.eye(elements).reshape(1, elements, 1, *kernel)
    filters = tagged(np.repeat(single, channels, 0).astype(kind.dtype), kind)
    attributes = {
        "strides": numbers[0],
        "dilations": numbers[1],
        "pads_begin": numbers[2],
        "pads_end": numbers[3],
        "output_padding": tuple(padding for _, padding in along),
        "auto_pad": "explicit",
    }
    return NodeForm([blocks, filters], attributes)


def _along(size: int, kernel: int, stride: int, dilation: int, begin: int, end: int) -> tuple[int, int]:
    """Along an axis: the number of blocks, and of elements that none of them reaches."""
    reach = dilation * (kernel - 1) + 1
    count = (size + begin + end - reach) // stride + 1
    return count, size + begin + end - ((count - 1) * stride + reach)
