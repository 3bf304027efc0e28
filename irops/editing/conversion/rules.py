"""Steps of conversions: ops that move elements in older forms, and ops in simpler ones."""

from math import inf, prod, sqrt
from typing import Any

import numpy as np

from irops.analysis.invocation import OpFault
from irops.editing.conversion.steps import ConvertedNode, NodeForm, Outputs, newer, step, versions
from irops.editing.conversion.targets import NotConvertibleError, OtherFormError
from irops.editing.graph.node import Value
from irops.ir.model import LayerKind
from irops.ops.arithmetic.sums import lowest
from irops.values.element import BOOLEAN, DYNAMIC, I64, STRING, Array, ElementType, tagged
from irops.values.shape import Shape

ZERO, ONE = np.array(0, np.int64), np.array(1, np.int64)
FIRST, SINGLE, LAST = np.array([0], np.int64), np.array([1], np.int64), np.array([-1], np.int64)


newer("Gather-7", "Gather-8")
newer("Pad-1", "Pad-12")


@step("Gather-8", "Gather-7")
def gather_older(subject: ConvertedNode) -> NodeForm:
    signed = subject.fact("indices").element_type.kind == "signed"
    if signed and subject.may_be_negative("indices"):
        raise NotConvertibleError("indices may be negative, which Gather-7 does not define")
    return NodeForm(subject.inputs, subject.carried())


@step("Pad-12", "Pad-1")
def pad_older(subject: ConvertedNode) -> NodeForm:
    for name in ("pads_begin", "pads_end"):
        if subject.may_be_negative(name):
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
    flat = _flat(subject, subject.input("data"), "flat")
    shape, table = _numbered(subject)
    part = subject.add("Slice-8", table, *subject.inputs[2:], part="part")
    positions = _flat(subject, part, "positions")
    updates = _flat(subject, subject.input("updates"), "updates")
    written = subject.add("ScatterUpdate-3", flat, positions, updates, ZERO, part="written")
    return NodeForm([written, shape], {"special_zero": False})


def _flat(subject: ConvertedNode, value: Value | Array, part: str) -> Value:
    """The elements of a tensor along one axis."""
    return subject.add("Reshape-1", value, LAST, part=part, special_zero=False)


def _numbered(subject: ConvertedNode) -> tuple[Value | Array, Value]:
    """The shape of data, and a tensor of this shape that numbers the elements."""
    shape = shape_tensor(subject)
    count = subject.add("ReduceProd-1", shape, FIRST, part="count", keep_dims=False)
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
    if subject.may_be_negative("indices"):
        kind = subject.element_type("indices")
        shape = shape_tensor(subject)
        single = _flat(subject, axis, "axis")
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
        _flat(subject, subject.input("data"), "flat"),
        _flat(subject, found, "positions"),
        _flat(subject, updates, "updates"),
        ZERO,
        part="written",
        reduction=reduction,
        use_init_val=True,
    )
    return NodeForm([written, shape], {"special_zero": False})


@step("SegmentMax-16", "Slice-8")
def segment_max_of_integers(subject: ConvertedNode) -> NodeForm | Outputs:
    if not subject.element_type("data").integral:
        raise OtherFormError("its data are not integers")
    return segment_max(subject)


@step("SegmentMax-16", "Slice-8", rounds="a segment with NaN gives NaN, which SegmentMax ignores")
def segment_max(subject: ConvertedNode) -> NodeForm:
    """Rows filled with the value of empty segments, into which maxima are written; of these as many rows as
    there are segments.
    """
    data, kind = subject.input("data"), subject.element_type("data")
    rank = len(subject.sizes("data", "the ids of segments are repeated along all other axes"))
    ids = subject.typed(subject.input("segment_ids"), I64, "ids")
    count: Value | None = None
    ends = [ids, LAST]
    if subject.optional("num_segments") is not None:
        number = subject.typed(subject.input("num_segments"), I64, "number")
        count = _flat(subject, number, "count")
        ends.append(subject.add("Subtract-1", count, ONE, part="last_segment"))
    all_ids = subject.add("Concat-1", *ends, part="all_ids", axis=0)
    last = subject.add("ReduceMax-1", all_ids, FIRST, part="last", keep_dims=True)
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


def shape_tensor(subject: ConvertedNode) -> Value | Array:
    """The shape of data as an i64 tensor: a constant where it is known."""
    shape = subject.fact("data").shape
    if shape.static:
        return np.array(shape.to_tuple(), np.int64)
    return subject.add("ShapeOf-3", subject.input("data"), part="shape", output_type=I64)


ROUNDS = "overlapping elements are summed in another order, and with zeros, so that infinities give NaN"


@step("Col2Im-15", "GroupConvolutionBackpropData-1", rounds=ROUNDS)
def col2im(subject: ConvertedNode) -> NodeForm:
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 3:
        raise OtherFormError("its data have no axis of batch items")
    return _folded(subject, subject.input("data"))


@step("Col2Im-15", "Squeeze-1", rounds=ROUNDS)
def col2im_without_batch(subject: ConvertedNode) -> NodeForm:
    if len(subject.sizes("data", "it is reshaped to the places of blocks")) != 2:
        raise OtherFormError("its data have an axis of batch items")
    batch = subject.add("Unsqueeze-1", subject.input("data"), FIRST, part="batch")
    form = _folded(subject, batch)
    folded = subject.add("GroupConvolutionBackpropData-1", *form.inputs, part="folded", **form.attributes)
    return NodeForm([folded, FIRST])


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


# Ops in simpler ones: activations, bitwise ops, embedding bags, STFT, normalizations, pooling, detectors,


@step("Swish-4", "Multiply-1", rounds="narrow types round after each op")
def swish(subject: ConvertedNode) -> NodeForm:
    """data * sigmoid(beta * data)."""
    data, beta = subject.input("data"), subject.optional("beta")
    scaled = data if beta is None else subject.add("Multiply-1", data, beta, part="scaled")
    return NodeForm([data, subject.add("Sigmoid-1", scaled, part="sigmoid")])


@step("LogSoftmax-5", "Subtract-1", rounds="narrow types round after each op")
def log_softmax(subject: ConvertedNode) -> NodeForm:
    """The maximum is subtracted first, so that no exponential overflows."""
    data, axis = subject.input("data"), np.array([subject.attributes["axis"]], np.int64)
    peak = subject.add("ReduceMax-1", data, axis, part="peak", keep_dims=True)
    shifted = subject.add("Subtract-1", data, peak, part="shifted")
    powers = subject.add("Exp-1", shifted, part="powers")
    total = subject.add("ReduceSum-1", powers, axis, part="total", keep_dims=True)
    return NodeForm([shifted, subject.add("Log-1", total, part="log")])


@step("HSwish-4", "Divide-1", rounds="narrow types round after each op")
def hard_swish(subject: ConvertedNode) -> NodeForm:
    """data * min(max(data + 3, 0), 6) / 6."""
    data, kind = subject.input("data"), subject.element_type("data")
    if not kind.floating:
        raise NotConvertibleError(f"its input is {kind}, for which the quotient is rounded")
    moved = subject.add("Add-1", data, subject.like(3, kind), part="moved")
    clamped = subject.add("Clamp-1", moved, part="clamped", min=0, max=6)
    product = subject.add("Multiply-1", data, clamped, part="product")
    return NodeForm([product, subject.like(6, kind)])


@step("BitwiseAnd-13", "LogicalAnd-1", decomposition=True)
@step("BitwiseOr-13", "LogicalOr-1", decomposition=True)
@step("BitwiseXor-13", "LogicalXor-2", decomposition=True)
@step("BitwiseNot-13", "LogicalNot-1", decomposition=True)
def of_booleans(subject: ConvertedNode) -> NodeForm:
    kind = subject.element_type(subject.op.definition.inputs[0].name)
    if kind is not BOOLEAN:
        message = f"it combines the bits of {kind}; older opsets only have logical ops of booleans"
        raise NotConvertibleError(message)
    return NodeForm(subject.inputs, subject.carried())


@step("BitwiseNot-13", "Subtract-1")
def inverted(subject: ConvertedNode) -> NodeForm:
    """The sum of a number and its inverse is -1, or the greatest number of an unsigned type."""
    name = subject.op.definition.inputs[0].name
    kind = subject.element_type(name)
    if kind is BOOLEAN or not kind.integral:
        raise OtherFormError(f"its input is {kind}, not an integer")
    low, high = map(int, kind.extent)
    return NodeForm([subject.like(low + high, kind), subject.input(name)])


@step("EmbeddingBagOffsets-15", "EmbeddingBagOffsetsSum-3", decomposition=True)
@step("EmbeddingBagPacked-15", "EmbeddingBagPackedSum-3", decomposition=True)
def sum_of_bags(subject: ConvertedNode) -> NodeForm:
    _require(subject, "sum")
    return NodeForm(subject.inputs)


@step("EmbeddingBagOffsets-15", "Divide-1")
def offsets_mean(subject: ConvertedNode) -> NodeForm:
    """The sums, divided by the differences between offsets."""
    _require(subject, "mean")
    kind = _floating(subject)
    sums = subject.add("EmbeddingBagOffsetsSum-3", *subject.inputs, part="sums")
    offsets = subject.typed(subject.input("offsets"), I64, "offsets")
    following = subject.add("Slice-8", offsets, SINGLE, _END, SINGLE, part="following")
    count = subject.add("ShapeOf-3", subject.input("indices"), part="count", output_type=I64)
    ends = subject.add("Concat-1", following, count, part="ends", axis=0)
    sizes = subject.add("Subtract-1", ends, offsets, part="sizes")
    return NodeForm([sums, _divisors(subject, sizes, kind)])


@step("EmbeddingBagPacked-15", "Divide-1")
def packed_mean(subject: ConvertedNode) -> NodeForm:
    """The sums, divided by the number of indices of a bag."""
    _require(subject, "mean")
    kind = _floating(subject)
    sums = subject.add("EmbeddingBagPackedSum-3", *subject.inputs, part="sums")
    shape = subject.add("ShapeOf-3", subject.input("indices"), part="shape", output_type=I64)
    size = subject.add("Gather-8", shape, SINGLE, ZERO, part="size")
    return NodeForm([sums, _divisors(subject, size, kind)])


_END = np.array([np.iinfo(np.int64).max], np.int64)


def _require(subject: ConvertedNode, reduction: str) -> None:
    if subject.attributes["reduction"] != reduction:
        raise OtherFormError(f"its reduction is {subject.attributes['reduction']}, not {reduction}")


def _floating(subject: ConvertedNode) -> ElementType:
    kind = subject.element_type("emb_table")
    if kind.name not in ("f32", "f64"):
        message = f"the mean of {kind} rounds once, and a sum of {kind} that is divided twice"
        raise NotConvertibleError(message)
    return kind


def _divisors(subject: ConvertedNode, sizes: Value, kind: ElementType) -> Value:
    """The sizes of bags, at least 1, as numbers of a type, with an axis for each of the sums."""
    rank = len(subject.sizes("emb_table", "a divisor needs as many axes"))
    at_least_1 = subject.add("Maximum-1", sizes, SINGLE, part="at_least_1")
    numbers = subject.typed(at_least_1, kind, "numbers")
    axes = np.arange(1, rank)
    return subject.add("Unsqueeze-1", numbers, axes, part="divisors") if rank > 1 else numbers


@step("SearchSorted-15", "ReduceSum-1")
def search_sorted(subject: ConvertedNode) -> NodeForm:
    """In a sorted sequence, the position of a value is the number of elements before it."""
    sequence, values = subject.input("sorted_sequence"), subject.input("values")
    rank = len(subject.sizes("sorted_sequence", "a comparison depends on it"))
    before_last = np.array([-2], np.int64)
    columns = subject.add("Unsqueeze-1", values, LAST, part="columns")
    rows = sequence if rank == 1 else subject.add("Unsqueeze-1", sequence, before_last, part="rows")
    comparison = "LessEqual-1" if subject.attributes["right_mode"] else "Less-1"
    is_before = subject.add(comparison, rows, columns, part="is_before")
    numbers = subject.add(
        "Convert-1", is_before, part="numbers", destination_type=subject.attributes["output_type"]
    )
    return NodeForm([numbers, LAST], {"keep_dims": False})


@step("STFT-15", "RDFT-9", rounds="frames are multiplied with the window in the precision of the signal")
def stft_by_frames(subject: ConvertedNode) -> NodeForm:
    if subject.attributes["transpose_frames"]:
        raise OtherFormError("its frames are transposed")
    return NodeForm([_frames(subject), LAST])


@step("STFT-15", "Transpose-1", rounds="frames are multiplied with the window in the precision of the signal")
def stft_by_bins(subject: ConvertedNode) -> NodeForm:
    if not subject.attributes["transpose_frames"]:
        raise OtherFormError("its frames are not transposed")
    spectra = subject.add("RDFT-9", _frames(subject), LAST, part="spectra")
    rank = len(subject.sizes("signal", "a Transpose lists all axes"))
    order = np.array([*range(rank - 1), rank, rank - 1, rank + 1], np.int64)
    return NodeForm([spectra, order])


def _frames(subject: ConvertedNode) -> Value:
    """The frames of the signal as rows, multiplied with the window, which lies in the middle of a frame."""
    (size,) = subject.constant("frame_size", "the elements of a frame are numbered")
    (hop,) = subject.constant("frame_step", "the beginnings of frames are numbered")
    window = subject.static_sizes("window", "it is padded to a frame")[0]
    signal = subject.input("signal")
    starts = _starts(subject, size, hop)
    column = subject.add("Unsqueeze-1", starts, SINGLE, part="column")
    positions = subject.add("Add-1", column, np.arange(size), part="positions")
    frames = subject.add("Gather-8", signal, positions, np.array(-1, np.int64), part="frames")
    before = (size - window) // 2
    pads = (np.array([before], np.int64), np.array([size - window - before], np.int64))
    weights = subject.add("Pad-1", subject.input("window"), *pads, part="window", pad_mode="constant")
    return subject.add("Multiply-1", frames, weights, part="weighted")


def _starts(subject: ConvertedNode, size: int, hop: int) -> Value | Array:
    """The positions at which frames begin."""
    length = subject.sizes("signal", "frames lie along its last axis")[-1]
    if length.known:
        name = subject.graph.unique(f"{subject.node.name}/starts")
        return subject.graph.constant(np.arange(0, int(length) - size + 1, hop), name)
    total = _size(subject, "signal", -1, "shape", "length")
    end = subject.add("Subtract-1", total, np.array(size - 1, np.int64), part="end")
    return subject.add("Range-4", ZERO, end, np.array(hop, np.int64), part="starts", output_type=I64)


@step(
    "ScaledDotProductAttention-13",
    "MatMul-1",
    rounds="the weights are divided by their sum before they are multiplied with the values, not after",
)
def attention(subject: ConvertedNode) -> NodeForm:
    query, key = subject.input("query"), subject.input("key")
    kind = subject.element_type("query")
    scaled = subject.add("Multiply-1", query, _scale(subject, kind), part="scaled")
    scores = subject.add("MatMul-1", scaled, key, part="scores", transpose_b=True)
    bias = _bias(subject, kind)
    if bias is not None:
        scores = subject.add("Add-1", scores, bias, part="masked")
    return NodeForm([_weights(subject, scores), subject.input("value")])


def _weights(subject: ConvertedNode, scores: Value) -> Value:
    """The softmax of the scores; a sink takes part in it, and is dropped."""
    sink = subject.optional("sink")
    if sink is None:
        return subject.add("SoftMax-8", scores, part="weights", axis=-1)
    column = subject.add("Slice-8", scores, FIRST, SINGLE, SINGLE, LAST, part="column")
    shape = subject.add("ShapeOf-3", column, part="column_shape", output_type=I64)
    whole = subject.add("Broadcast-3", sink, shape, part="sink", mode="bidirectional")
    both = subject.add("Concat-1", scores, whole, part="with_sink", axis=-1)
    weights = subject.add("SoftMax-8", both, part="weights_with_sink", axis=-1)
    return subject.add("Slice-8", weights, FIRST, LAST, SINGLE, LAST, part="weights")


def _scale(subject: ConvertedNode, kind: ElementType) -> Value | Array:
    """The factor of the scores: 1 / sqrt(E), unless it is an input."""
    scale = subject.optional("scale")
    if scale is not None:
        return scale
    dims = subject.fact("query").shape.dims
    if dims and dims[-1].known:
        width = int(dims[-1])
        return subject.like(1 / sqrt(width) if width else inf, kind)
    size = _size(subject, "query", -1, "query_shape", "width")
    number = subject.typed(size, kind, "width_number")
    return subject.add("Power-1", number, subject.like(-0.5, kind), part="scale")


def _bias(subject: ConvertedNode, kind: ElementType) -> Value | Array | None:
    """The summand of the scores: the mask, where booleans give 0 and -inf."""
    mask = subject.optional("attention_mask")
    if subject.attributes["causal"]:
        rows = _positions(subject, "query")
        column = subject.add("Unsqueeze-1", rows, SINGLE, part="query_column")
        allowed = subject.add("LessEqual-1", _positions(subject, "key"), column, part="is_allowed")
        return _masked(subject, allowed, kind)
    if mask is None:
        return None
    return _masked(subject, mask, kind) if mask.element_type is BOOLEAN else mask


def _masked(subject: ConvertedNode, allowed: Value, kind: ElementType) -> Value:
    zero, never = subject.like(0, kind), subject.like(-inf, kind)
    return subject.add("Select-1", allowed, zero, never, part="bias")


def _positions(subject: ConvertedNode, name: str) -> Value:
    dims = subject.fact(name).shape.dims
    if dims and dims[-2].known:
        return subject.graph.constant(
            np.arange(int(dims[-2])), subject.graph.unique(f"{subject.node.name}/{name}_positions")
        )
    count = _size(subject, name, -2, f"{name}_sizes", f"{name}_count")
    return subject.add("Range-4", ZERO, count, ONE, part=f"{name}_positions", output_type=I64)


def _size(subject: ConvertedNode, name: str, axis: int, shape_part: str, part: str) -> Value:
    """The size of an axis of an input, computed by the model."""
    shape = subject.add("ShapeOf-3", subject.input(name), part=shape_part, output_type=I64)
    return subject.add("Gather-8", shape, np.array(axis, np.int64), ZERO, part=part)


@step("BatchNormInference-1", "BatchNormInference-5")
def batch_norm_newer(subject: ConvertedNode) -> NodeForm:
    gamma, beta, data, mean, variance = subject.inputs
    return NodeForm([data, gamma, beta, mean, variance], subject.carried())


@step("BatchNormInference-5", "BatchNormInference-1")
def batch_norm_older(subject: ConvertedNode) -> NodeForm:
    data, gamma, beta, mean, variance = subject.inputs
    return NodeForm([gamma, beta, data, mean, variance], subject.carried())


@step("MVN-2", "MVN-6")
def mvn_newer(subject: ConvertedNode) -> NodeForm:
    axes = subject.attributes["reduction_axes"]
    if not axes:
        rank = len(subject.sizes("data", "MVN-6 lists the axes"))
        axes = range(1 if subject.attributes["across_channels"] else 2, rank)
    listed = np.array(sorted(set(axes)), np.int64)
    return NodeForm([subject.input("data"), listed], subject.carried(eps_mode="inside_sqrt"))


@step("MVN-6", "MVN-2")
def mvn_older(subject: ConvertedNode) -> NodeForm:
    rank = len(subject.sizes("data", "the axes of MVN-2 count from the first"))
    axes = sorted({axis % rank for axis in subject.constant("axes", "MVN-2 has them as an attribute")})
    if subject.attributes["normalize_variance"]:
        subject.require_attribute("eps_mode", "inside_sqrt")
    if axes not in (list(range(1, rank)), list(range(2, rank))) or not axes:
        message = f"it normalizes over the axes {axes}; OpenVINO computes MVN-2 over all from 1 or 2 on"
        raise NotConvertibleError(message)
    how = {"across_channels": axes[0] == 1, "reduction_axes": axes}
    return NodeForm([subject.input("data")], subject.carried(**how))


@step(
    "GroupNormalization-12", "Add-1", rounds="data is divided by the deviation before it is scaled, not after"
)
def group_normalization(subject: ConvertedNode) -> NodeForm:
    """MVN of the groups, then scale and bias of the channels."""
    data = subject.input("data")
    rank = len(subject.sizes("data", "scale and bias are applied to axis 1"))
    groups = np.array([0, subject.attributes["num_groups"], -1], np.int64)
    grouped = subject.add("Reshape-1", data, groups, part="groups", special_zero=True)
    axis, eps = np.array([2], np.int64), subject.attributes["epsilon"]
    how = {"eps": eps, "normalize_variance": True, "eps_mode": "inside_sqrt"}
    centred = subject.add("MVN-6", grouped, axis, part="normalized", **how)
    whole = subject.add("Reshape-1", centred, shape_tensor(subject), part="channels", special_zero=False)
    axes = np.array([0, *range(2, rank)], np.int64)
    scale = subject.add("Unsqueeze-1", subject.input("scale"), axes, part="scale")
    bias = subject.add("Unsqueeze-1", subject.input("bias"), axes, part="bias")
    return NodeForm([subject.add("Multiply-1", whole, scale, part="scaled"), bias])


newer("AvgPool-1", "AvgPool-14")
newer("MaxPool-8", "MaxPool-14")


@step("AvgPool-14", "AvgPool-16")
def avg_pool_16(subject: ConvertedNode) -> NodeForm:
    ones = (1,) * len(subject.attributes["kernel"])
    return NodeForm(subject.inputs, {**subject.carried(), "dilations": ones})


@step("AvgPool-16", "AvgPool-14")
def avg_pool_14(subject: ConvertedNode) -> NodeForm:
    _require_no_dilations(subject)
    return NodeForm(subject.inputs, subject.carried())


@step("AvgPool-14", "AvgPool-1")
@step("MaxPool-14", "MaxPool-8")
def without_ceil_torch(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, subject.carried(rounding_type=_rounding(subject)))


@step("MaxPool-1", "MaxPool-8")
def max_pool_newer(subject: ConvertedNode) -> NodeForm:
    ones = (1,) * len(subject.attributes["kernel"])
    return NodeForm(subject.inputs, subject.carried(dilations=ones, index_element_type="i64", axis=0))


@step("MaxPool-8", "MaxPool-1")
def max_pool_1(subject: ConvertedNode) -> NodeForm:
    _require_no_dilations(subject)
    if subject.uses(1):
        raise NotConvertibleError("its output of indices is used, which MaxPool-1 does not have")
    return NodeForm(subject.inputs, subject.carried())


def _require_no_dilations(subject: ConvertedNode) -> None:
    dilations = subject.attributes["dilations"]
    if any(dilation != 1 for dilation in dilations):
        shown = ", ".join(map(str, dilations))
        raise NotConvertibleError(f"its dilations are {shown}; {subject.new.id} has none")


def _rounding(subject: ConvertedNode) -> Any:
    """The rounding that gives the same number of windows as ceil_torch."""
    rounding = subject.attributes["rounding_type"]
    if rounding != "ceil_torch":
        return subject.carried()["rounding_type"]
    if _always_begins_inside(subject):
        return "ceil"
    wanted = subject.node.facts[0].shape
    if wanted.static:
        for other in ("floor", "ceil"):
            if _shape_with(subject, other) == wanted:
                return other
        raise NotConvertibleError(f"neither floor nor ceil gives the output shape {wanted} of ceil_torch")
    message = "whether the last window of ceil_torch begins in the padding depends on unknown sizes"
    raise NotConvertibleError(message)


def _always_begins_inside(subject: ConvertedNode) -> bool:
    """Whether the last window begins before the end of data for all sizes, so that ceil_torch means ceil."""
    attributes = subject.attributes
    if attributes["auto_pad"] not in ("explicit", "valid"):
        return False
    count = len(attributes["kernel"])
    ends = attributes["pads_end"] or (0,) * count
    after = ends if attributes["auto_pad"] == "explicit" else (0,) * count
    dilations = attributes.get("dilations") or (1,) * count
    windows = zip(attributes["strides"], after, attributes["kernel"], dilations)
    return all(stride + end <= (kernel - 1) * dilation + 1 for stride, end, kernel, dilation in windows)


def _shape_with(subject: ConvertedNode, rounding: str) -> Any:
    invocation = subject.node.invocation
    assert invocation is not None
    changed = invocation.with_values({**invocation.attributes, "rounding_type": rounding})
    try:
        return changed.infer(subject.node.input_facts)[0].shape
    except OpFault:
        return None


newer("Proposal-1", "Proposal-4")


@step("DetectionOutput-1", "DetectionOutput-8")
def detection_output_newer(subject: ConvertedNode) -> NodeForm:
    classes = _classes(subject)
    if classes != subject.attributes["num_classes"]:
        message = f"num_classes is {subject.attributes['num_classes']}, but its inputs have {classes}"
        raise NotConvertibleError(message)
    return NodeForm(subject.inputs, subject.carried())


@step("DetectionOutput-8", "DetectionOutput-1")
def detection_output_older(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, {**subject.carried(), "num_classes": _classes(subject)})


def _classes(subject: ConvertedNode) -> int:
    """The number of classes, which follows from the number of prior boxes."""
    purpose = "the number of classes follows from it"
    predictions = subject.sizes("class_preds", purpose)[-1]
    numbers = subject.sizes("proposals", purpose)[-1]
    if not predictions.known or not numbers.known:
        message = "the number of prior boxes is unknown, but the number of classes follows from it"
        raise NotConvertibleError(message)
    boxes = int(numbers) // (4 if subject.attributes["normalized"] else 5)
    return int(predictions) // max(boxes, 1)


@step("Proposal-4", "Proposal-1")
def proposal_older(subject: ConvertedNode) -> NodeForm:
    if subject.uses(1):
        raise NotConvertibleError("its output of probabilities is used, which Proposal-1 does not have")
    return NodeForm(subject.inputs, subject.carried())


@step("LSTMCell-1", "LSTMCell-4")
def lstm_cell_newer(subject: ConvertedNode) -> NodeForm:
    if subject.optional("P") is not None:
        raise NotConvertibleError("it has peephole weights P, which LSTMCell-4 does not have")
    return NodeForm(subject.inputs[:6], subject.carried())


@step("LSTMCell-4", "LSTMCell-1")
def lstm_cell_older(subject: ConvertedNode) -> NodeForm:
    return NodeForm(subject.inputs, {**subject.carried(), "input_forget": False, "weights_format": "fico"})


@step("Interpolate-4", "Interpolate-11")
def interpolate_newer(subject: ConvertedNode) -> NodeForm:
    name = "sizes" if subject.attributes["shape_calculation_mode"] == "sizes" else "scales"
    return NodeForm(
        [subject.input("image"), subject.input(name), subject.optional("axes")], subject.carried()
    )


@step("Interpolate-11", "Interpolate-4")
def interpolate_older(subject: ConvertedNode) -> NodeForm:
    """The older version has an input for sizes and one for scales; the one that is not used are ones."""
    value = subject.input("scales_or_sizes")
    count = subject.fact("scales_or_sizes").shape.dims
    if not count or not count[0].known:
        message = "the number of axes is unknown, but Interpolate-4 has sizes and scales for each"
        raise NotConvertibleError(message)
    number = int(count[0])
    if subject.attributes["shape_calculation_mode"] == "sizes":
        pair = [value, np.ones(number, np.float32)]
    else:
        pair = [np.ones(number, np.int64), value]
    return NodeForm([subject.input("image"), *pair, subject.optional("axes")], subject.carried())


versions("Broadcast-1", "Broadcast-3")
versions("DeformableConvolution-1", "DeformableConvolution-8", bilinear_interpolation_pad=False)
versions("Gather-1", "Gather-7", batch_dims=0)
versions("Gelu-2", "Gelu-7", approximation_mode="erf")
versions("MulticlassNms-8", "MulticlassNms-9")
versions("NonMaxSuppression-1", "NonMaxSuppression-3", output_type=I64)
versions("NonMaxSuppression-5", "NonMaxSuppression-9")
versions("OneHot-1", "OneHot-16", negative_indices_mode="ignore_negative")
versions("PriorBox-1", "PriorBox-8", min_max_aspect_ratios_order=True)
versions("ROIAlign-3", "ROIAlign-9", aligned_mode="asymmetric")
versions("ScatterNDUpdate-4", "ScatterNDUpdate-15", reduction="none")
versions("ShapeOf-1", "ShapeOf-3", output_type=I64)
versions("SoftMax-1", "SoftMax-8")
versions("TopK-1", "TopK-3")
versions("TopK-3", "TopK-11", stable=False)
