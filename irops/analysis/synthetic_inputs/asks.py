"""What ops ask of the values of their inputs: indices within a table, lengths within an axis, boxes, shapes.

RANGES and STRUCTURAL are the tables: by "Op.port", or by the name of the port alone. A function takes the Use
of a tensor by a layer and returns an Ask, or None where it asks for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from irops.analysis.inferred import LayerFacts
from irops.diagnostics.printable import printable
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.fact import Fact

Random = np.random.Generator
Sizes = tuple[int, ...]
Make = Callable[[Random, Sizes], Any]
INDEX, DOMAIN, MASK, HINT = 3, 2, 1, 0
"""How much an Ask counts: what is out of range is an error, has no meaning, shows little, or is unusual."""
STEP = 16
"""The distance between the corners of images that boxes lie in, where nothing says how large images are."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A range of values, both ends included. why: names the layer; weight: one of INDEX, DOMAIN, MASK, HINT.

    make: draws values of a shape, where they are not uniform within the range
    """

    low: float
    high: float
    why: str
    weight: int = INDEX
    make: Make | None = None


@dataclass(frozen=True, slots=True)
class TensorUse:
    """A layer that uses a tensor as its input number `index`."""

    op: Op
    layer: LayerFacts
    index: int

    @property
    def type(self) -> str:
        return self.op.definition.type

    @property
    def port(self) -> str:
        ports = self.op.definition.inputs
        return ports[min(self.index, len(ports) - 1)].name if ports else ""

    @property
    def name(self) -> str:
        """The layer as reports name it."""
        return f"{self.op.id} {printable(self.layer.layer.name)}"

    @property
    def attributes(self) -> Mapping[str, Any]:
        return self.layer.attributes

    def fact(self, port: str) -> Fact | None:
        for number, spec in enumerate(self.op.definition.inputs):
            if spec.name == port and number < len(self.layer.inputs):
                return self.layer.inputs[number]
        return None

    def shape(self, port: str) -> Sizes | None:
        """The sizes of an input, None where one is not known."""
        fact = self.fact(port)
        return fact.shape.to_tuple() if fact is not None and fact.shape.static else None

    def value(self, port: str) -> Array | None:
        fact = self.fact(port)
        return None if fact is None else fact.value

    def number(self, port: str) -> int | None:
        value = self.value(port)
        return int(value.ravel()[0]) if value is not None and value.size else None

    def size(self, port: str, axis: int | None) -> int | None:
        sizes = self.shape(port)
        if sizes is None or axis is None or not -len(sizes) <= axis < len(sizes):
            return None
        return sizes[axis]


def _axis(use: TensorUse) -> int | None:
    """The axis that an attribute or an input gives."""
    if "axis" in use.attributes:
        return int(use.attributes["axis"])
    return use.number("axis")


def _below(use: TensorUse, size: int | None, what: str, make: Make | None = None) -> Ask | None:
    return Ask(0, size - 1, f"{use.name} indexes {size} {what}", INDEX, make) if size else None


def _along_axis(use: TensorUse) -> Ask | None:
    return _below(use, use.size("data", _axis(use)), "rows")


def _distinct_along_axis(use: TensorUse) -> Ask | None:
    """Repeated indices of an update have no order."""
    size, axis = use.size("data", _axis(use)), _axis(use)
    if size is None or axis is None:
        return None

    def make(random: Random, sizes: Sizes) -> Array:
        if use.type == "ScatterUpdate":
            return _permuted(random, prod(sizes), size).reshape(sizes)
        rows = np.apply_along_axis(lambda row: _permuted(random, len(row), size), axis, np.zeros(sizes))
        return np.asarray(rows)

    return _below(use, size, "rows", make)


def _permuted(random: Random, count: int, size: int) -> Array:
    """Indices below a size, distinct as long as there are enough."""
    return np.concatenate([random.permutation(size) for _ in range(count // size + 1)])[:count]


def _tuples(use: TensorUse) -> Ask | None:
    """Index tuples along the last axis, distinct for updates."""
    data, indices = use.shape("data"), use.shape("indices")
    first = int(use.attributes.get("batch_dims", 0))
    if data is None or not indices:
        return None
    sizes = data[first : first + indices[-1]]

    def make(random: Random, shape: Sizes) -> Array:
        count = prod(shape[:-1])
        flat = _permuted(random, count, prod(sizes)) if prod(sizes) else np.zeros(count, int)
        return np.stack(np.unravel_index(flat, sizes), -1).reshape(shape)

    return _below(use, max(sizes, default=0), f"elements ({','.join(map(str, sizes))})", make)


def _rows_of_table(use: TensorUse) -> Ask | None:
    return _below(use, use.size("emb_table", 0), "rows")


def _ascending(low: float, high: float, why: str, *, start: bool = True, weight: int = INDEX) -> Ask:
    """Sorted along the last axis; start: the first value is the lowest one."""

    def make(random: Random, sizes: Sizes) -> Array:
        whole = float(low).is_integer() and float(high).is_integer() and weight == INDEX
        drawn: Any = (
            random.integers(int(low), int(high) + 1, sizes) if whole else random.uniform(low, high, sizes)
        )
        values = np.sort(drawn, -1) if sizes else np.asarray(drawn)
        if start and values.ndim and values.shape[-1]:
            values[..., 0] = low
        return np.asarray(values)

    return Ask(low, high, why, weight, make)


def _offsets(use: TensorUse) -> Ask | None:
    size = use.size("indices", 0)
    return None if not size else _ascending(0, size - 1, f"{use.name} divides {size} indices")


def _segments(use: TensorUse) -> Ask | None:
    count = use.number("num_segments")
    size = count or (use.size("segment_ids", 0) or 3)
    return _ascending(0, max(size - 1, 0), f"{use.name} has {size} segments")


def _classes(use: TensorUse) -> Ask | None:
    depth = use.number("depth")
    return _below(use, depth, "classes")


def _lengths(use: TensorUse, steps: int | None, low: int = 1) -> Ask | None:
    return None if not steps else Ask(min(low, steps), steps, f"{use.name} has {steps} steps")


def _reversed_lengths(use: TensorUse) -> Ask | None:
    axis = use.attributes.get("seq_axis", use.attributes.get("time_axis"))
    data = use.op.definition.inputs[0].name
    return None if axis is None else _lengths(use, use.size(data, int(axis)))


def _recurrent_lengths(use: TensorUse) -> Ask | None:
    return _lengths(use, use.size("X", 1))


def _decoded_lengths(use: TensorUse) -> Ask | None:
    return _lengths(use, use.size("data", 1))


def _logit_lengths(use: TensorUse) -> Ask | None:
    steps = use.size("logits", 1)
    return None if not steps else _lengths(use, steps, (steps + 1) // 2)


def _label_lengths(use: TensorUse) -> Ask | None:
    steps, labels = use.size("logits", 1), use.size("labels", 1)
    return None if not steps or not labels else _lengths(use, min(labels, (steps + 1) // 2))


def _labels(use: TensorUse) -> Ask | None:
    classes = use.size("logits", 2)
    return None if not classes else _below(use, max(classes - 1, 1), "classes besides the blank")


def _blank(use: TensorUse) -> Ask | None:
    classes = use.size("logits" if use.type == "CTCLoss" else "data", 2)
    return (
        None if not classes else Ask(classes - 1, classes - 1, f"the last class of {use.name} is the blank")
    )


def _beams(use: TensorUse) -> Ask | None:
    return _below(use, use.size("parent_ids", 2), "beams")


def _beam_lengths(use: TensorUse) -> Ask | None:
    return _lengths(use, use.size("step_ids", 0))


def _items(use: TensorUse) -> Ask | None:
    return _below(use, use.size("data", 0), "items")


def _within(low: float, high: float, weight: int = DOMAIN) -> Callable[[TensorUse], Ask]:
    return lambda use: Ask(low, high, f"{use.name} takes {low:g} to {high:g} as {use.port}", weight)


def _mask(use: TensorUse) -> Ask:
    return Ask(0, 1, f"a mask of {use.name}", MASK, masked)


def masked(random: Random, sizes: Sizes) -> Array:
    """Zeros and ones, more ones than zeros; the first element along the last axis is 1."""
    values = (random.random(sizes) < 0.75).astype(np.int64)
    if values.ndim and values.size:
        values[..., 0] = 1
    return np.asarray(values)


def _power_base(use: TensorUse) -> Ask | None:
    exponent = use.value("b")
    kind = use.layer.inputs[0]
    if kind is None or not kind.element_type.floating:
        return None
    whole = exponent is not None and bool(np.all(np.equal(np.mod(exponent.astype(float), 1), 0)))
    return None if whole else Ask(0.1, 2, f"{use.name} raises it to any power", DOMAIN)


def _power_exponent(use: TensorUse) -> Ask | None:
    kind = use.layer.inputs[1]
    if kind is None or kind.element_type.floating:
        return None
    return Ask(0, 3, f"{use.name} has it as exponent", DOMAIN)


def _divisor(use: TensorUse) -> Ask | None:
    kind = use.layer.inputs[1]
    if kind is None or kind.element_type.floating:
        return None
    return Ask(1, 9, f"{use.name} divides by it", DOMAIN)


def _shifted_bits(use: TensorUse) -> Ask | None:
    kind = use.layer.inputs[0]
    bits = 8 if kind is None else max(kind.element_type.bits, 2)
    return Ask(0, min(bits - 2, 9), f"{use.name} shifts by it", DOMAIN)


def _probabilities(use: TensorUse) -> Ask | None:
    return None if use.attributes.get("log_probs") else Ask(0.1, 1, f"{use.name} takes probabilities", DOMAIN)


def _sorted_sequence(use: TensorUse) -> Ask:
    return _ascending(-1, 1, f"{use.name} takes a sorted sequence", start=False, weight=DOMAIN)


def _counts(use: TensorUse) -> Ask | None:
    """Numbers of regions of each image, whose sum is that of all."""
    boxes, images = use.size("boxes", 1), use.size("roisnum", 0)
    if not boxes or not images:
        return None

    def make(random: Random, sizes: Sizes) -> Array:  # noqa: ARG001
        counts = np.full(sizes, boxes // images)
        counts[..., :1] += boxes - counts.sum()
        return counts

    return Ask(0, boxes, f"{use.name} has {boxes} regions", INDEX, make)


def _ends_of_groups(use: TensorUse) -> Ask | None:
    rows = use.size("mat_a", 0)
    if not rows:
        return None

    def make(random: Random, sizes: Sizes) -> Array:
        ends = np.sort(random.integers(0, rows + 1, sizes), -1)
        ends[..., -1:] = rows
        return np.asarray(ends)

    return Ask(0, rows, f"{use.name} divides {rows} rows", INDEX, make)


def _positions_in_matrix(use: TensorUse) -> Ask | None:
    sizes = use.value("dense_shape")
    if sizes is None or sizes.size != 2:
        return None
    rows, columns = (max(int(n), 1) for n in sizes.ravel())

    def make(random: Random, shape: Sizes) -> Array:
        flat = np.sort(_permuted(random, prod(shape[:-1]), rows * columns))
        return np.stack(np.unravel_index(flat, (rows, columns)), -1).reshape(shape)

    return Ask(0, max(rows, columns) - 1, f"{use.name} has {rows} rows and {columns} columns", INDEX, make)


def _parts_of_symbols(end: int) -> Callable[[TensorUse], Ask | None]:
    """Where strings begin (end 0) and end (end 1): the symbols in equal parts."""

    def ask(use: TensorUse) -> Ask | None:
        count, strings = use.size("symbols", 0), use.shape(use.port)
        if count is None or strings is None:
            return None
        number = max(prod(strings), 1)

        def make(random: Random, sizes: Sizes) -> Array:  # noqa: ARG001
            return ((np.arange(prod(sizes)) + end) * count // number).reshape(sizes)

        return Ask(0, count, f"{use.name} has {count} symbols", INDEX, make)

    return ask


# boxes


def _corners(random: Random, sizes: Sizes, extent: float) -> Array:
    """Boxes x1, y1, x2, y2 within an extent, x1 < x2 and y1 < y2, of a shape that ends in 4."""
    low = random.uniform(0, 0.5 * extent, (*sizes[:-1], 2))
    high = low + random.uniform(0.2, 0.5, low.shape) * extent
    return np.concatenate([low, high], -1)


def _boxes(extent: float, batch: str | None = None, angle: bool = False) -> Callable[[TensorUse], Ask | None]:
    """Boxes along the last axis. batch: the input that the number before each box indexes; angle: boxes are
    centre, width, height and an angle
    """

    def ask(use: TensorUse) -> Ask | None:
        items = 1 if batch is None else use.size(batch, 0) or 1
        scale = float(use.attributes.get("spatial_scale") or 1)
        image = use.shape("data")
        normal = "bilinear" in str(use.attributes.get("mode", use.attributes.get("method", "")))
        whole = extent if image is None or len(image) != 4 or normal else min(image[2:]) / scale

        def make(random: Random, sizes: Sizes) -> Array:
            width = sizes[-1] if sizes else 0
            lead = 1 if batch is not None and width == 5 else 0
            if width - lead < 4:
                return random.uniform(0, 1, sizes)
            boxes = _corners(random, sizes, whole)
            if angle:
                centre, size = (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]
                boxes = np.concatenate([centre, size, random.uniform(-1, 1, (*sizes[:-1], width - 4))], -1)
            first = random.integers(0, items, (*sizes[:-1], lead))
            rest = random.uniform(0, 1, (*sizes[:-1], max(width - lead - boxes.shape[-1], 0)))
            return np.concatenate([first, boxes, rest], -1)[..., :width]

        return Ask(0, whole, f"boxes of {use.name}", DOMAIN, make)

    return ask


def _prior_boxes(use: TensorUse) -> Ask:
    """Rows of boxes, then of variances, along the last axis; boxes of five numbers begin with an index."""
    width = 4 if use.attributes.get("normalized") else 5
    pixels = 1 if use.attributes.get("normalized") else int(use.attributes.get("input_width", 1))

    def make(random: Random, sizes: Sizes) -> Array:
        if len(sizes) != 3 or sizes[-1] % width:
            return random.uniform(0, 1, sizes)
        boxes = _corners(random, (sizes[0], sizes[1], sizes[2] // width, 4), pixels)
        padding = np.zeros((*boxes.shape[:-1], width - 4))
        values = np.concatenate([padding, boxes], -1).reshape(sizes)
        values[:, 1:] = random.uniform(0.1, 0.3, values[:, 1:].shape)
        return values

    return Ask(0, pixels, f"prior boxes of {use.name}", DOMAIN, make)


def _image_size(use: TensorUse) -> Ask:
    """Height, width and scales of images."""

    def make(random: Random, sizes: Sizes) -> Array:  # noqa: ARG001
        values = np.ones(sizes)
        values[..., 0], values[..., 1] = 10 * STEP, 12 * STEP
        return values

    return Ask(1, 12 * STEP, f"the size of images of {use.name}", DOMAIN, make)


RANGES: Mapping[str, Callable[[TensorUse], Ask | None]] = {
    "Gather.indices": _along_axis,
    "GatherElements.indices": _along_axis,
    "ScatterUpdate.indices": _distinct_along_axis,
    "ScatterElementsUpdate.indices": _distinct_along_axis,
    "GatherND.indices": _tuples,
    "ScatterNDUpdate.indices": _tuples,
    "EmbeddingBagOffsets.indices": _rows_of_table,
    "EmbeddingBagOffsetsSum.indices": _rows_of_table,
    "EmbeddingBagPacked.indices": _rows_of_table,
    "EmbeddingBagPackedSum.indices": _rows_of_table,
    "EmbeddingSegmentsSum.indices": _rows_of_table,
    "default_index": _rows_of_table,
    "offsets": lambda use: _offsets(use) if use.type.startswith("Embedding") else None,
    "segment_ids": _segments,
    "OneHot.indices": _classes,
    "seq_lengths": _reversed_lengths,
    "sequence_lens": _reversed_lengths,
    "sequence_lengths": _recurrent_lengths,
    "CTCGreedyDecoderSeqLen.sequence_length": _decoded_lengths,
    "sequence_mask": _mask,
    "logit_length": _logit_lengths,
    "label_length": _label_lengths,
    "labels": _labels,
    "blank_index": _blank,
    "parent_ids": _beams,
    "step_ids": _within(0, 9),
    "end_token": _within(0, 9),
    "max_seq_len": _beam_lengths,
    "batch_indices": _items,
    "GroupedMatMul.offsets": _ends_of_groups,
    "SparseFillEmptyRows.indices": _positions_in_matrix,
    "roisnum": _counts,
    "begins": _parts_of_symbols(0),
    "ends": _parts_of_symbols(1),
    "symbols": _within(97, 122),
    # probabilities, boxes and images
    "NonMaxSuppression.scores": _within(0, 1),
    "NMSRotated.scores": _within(0, 1),
    "MatrixNms.scores": _within(0, 1),
    "MulticlassNms.scores": _within(0, 1),
    "DetectionOutput.class_preds": _within(0, 1),
    "aux_class_preds": _within(0, 1),
    "class_probs": _within(0, 1),
    "iou_threshold": _within(0.3, 0.7),
    "score_threshold": _within(0.05, 0.2),
    "soft_nms_sigma": _within(0.3, 0.7),
    "Multinomial.probs": _probabilities,
    "NonMaxSuppression.boxes": _boxes(1),
    "MatrixNms.boxes": _boxes(1),
    "MulticlassNms.boxes": _boxes(1),
    "NMSRotated.boxes": _boxes(1, angle=True),
    "ROIAlignRotated.rois": _boxes(STEP, angle=True),
    "ROIPooling.rois": _boxes(1, "data"),
    "PSROIPooling.rois": _boxes(1, "data"),
    "DeformablePSROIPooling.rois": _boxes(1, "data"),
    "rois": _boxes(10 * STEP),
    "anchors": _boxes(4 * STEP),
    "proposals": _prior_boxes,
    "im_info": _image_size,
    "image_shape": _image_size,
    # domains of functions
    "Log.data": _within(0.1, 2),
    "Sqrt.data": _within(0, 2),
    "Acosh.data": _within(1, 3),
    "Atanh.data": _within(-0.9, 0.9),
    "ErfInv.data": _within(-0.9, 0.9),
    "variance": _within(0.1, 1),
    "Power.a": _power_base,
    "Power.b": _power_exponent,
    "Divide.b": _divisor,
    "Mod.b": _divisor,
    "FloorMod.b": _divisor,
    "BitwiseLeftShift.b": _shifted_bits,
    "BitwiseRightShift.b": _shifted_bits,
    "sorted_sequence": _sorted_sequence,
    "buckets": _sorted_sequence,
    "FakeConvert.scale": _within(0.5, 2),
    "input_low": _within(-1, -0.5),
    "output_low": _within(-1, -0.5),
    "input_high": _within(0.5, 1),
    "output_high": _within(0.5, 1),
    "minval": _within(-2, -1),
    "maxval": _within(1, 2),
    # conditions and masks
    "cond": _mask,
    "execution_condition": lambda use: Ask(1, 1, f"{use.name} runs while it is true", DOMAIN),
    "LogicalAnd.a": _mask,
    "LogicalAnd.b": _mask,
    "LogicalOr.a": _mask,
    "LogicalOr.b": _mask,
    "LogicalNot.data": _mask,
    "ScaledDotProductAttention.attention_mask": _mask,
}
"""What ops ask, by "Op.port" or by the port alone."""


def ask_of(use: TensorUse) -> Ask | None:
    """What an op asks of the values of one of its inputs."""
    function = RANGES.get(f"{use.type}.{use.port}") or RANGES.get(use.port)
    return None if function is None else function(use)


def is_asked(use: TensorUse) -> bool:
    """Whether the meaning of the op depends on the values of an input: as indices, sizes or conditions."""
    return f"{use.type}.{use.port}" in RANGES or use.port in RANGES or is_structural(use)


# values that shapes depend on


def _copies(numbers: Sequence[float]) -> Callable[[TensorUse, Sizes], list[Any]]:
    return lambda _, sizes: [np.full(sizes, number) for number in numbers]


def _axes(use: TensorUse, sizes: Sizes) -> list[Any]:
    count, data = prod(sizes), use.layer.inputs[0]
    rank = data.shape.rank if data is not None else None
    last = np.arange((rank or count) - count, rank or count)
    return [last.reshape(sizes), np.arange(count).reshape(sizes), np.arange(count).reshape(sizes) + 1]


def _permutations(use: TensorUse, sizes: Sizes) -> list[Any]:  # noqa: ARG001
    count = prod(sizes)
    return [np.roll(np.arange(count), 1).reshape(sizes), np.arange(count)[::-1].reshape(sizes)]


def _data_sizes(use: TensorUse) -> Sizes:
    fact = use.layer.inputs[0]
    return fact.shape.to_tuple() if fact is not None and fact.shape.static else ()


def _patterns(use: TensorUse, sizes: Sizes) -> list[Any]:
    """Shapes of as many elements as the data, of another form where there is one."""
    data, count = _data_sizes(use), prod(sizes)
    if not count:
        return [np.zeros(sizes, int)]
    if count < len(data):
        merged = (*data[: count - 1], prod(data[count - 1 :]))
    else:
        merged = (*(1,) * (count - len(data)), *data)
    return [np.array(shape).reshape(sizes) for shape in (merged[::-1], merged)]


def _targets(use: TensorUse, sizes: Sizes) -> list[Any]:
    """Shapes that the data broadcasts to."""
    data, count = _data_sizes(use), prod(sizes)
    grown = [size if size > 1 else 2 for size in data][max(len(data) - count, 0) :]
    return [np.array([2] * (count - len(grown)) + grown, int).reshape(sizes), np.full(sizes, 2)]


def _parts(use: TensorUse, sizes: Sizes) -> list[Any]:
    """Lengths that add up to the size of the axis."""
    axis, count = use.number("axis"), prod(sizes)
    size = use.size("data", axis)
    if size is None or not count:
        return []
    parts = np.full(count, size // count)
    parts[-1] += size - parts.sum()
    return [parts.reshape(sizes)]


def _like_spatial(use: TensorUse, sizes: Sizes) -> list[Any]:
    """The last sizes of the data, doubled, then as they are."""
    data, count = _data_sizes(use), prod(sizes)
    last = np.array(data[len(data) - count :] if count <= len(data) else (4,) * count)
    return [(last * 2).reshape(sizes), last.reshape(sizes)]


def _padded(use: TensorUse, sizes: Sizes) -> list[Any]:
    """Padding of spatial axes with which the size is a multiple of the blocks."""
    data, blocks, begin = _data_sizes(use), use.value("block_shape"), use.value("pads_begin")
    options = [np.zeros(sizes, int)]
    if blocks is not None and blocks.size == len(data) == prod(sizes):
        before = np.zeros(len(data), int) if begin is None or use.port == "pads_begin" else begin.ravel()
        options.insert(0, (-(np.array(data) + before) % blocks.ravel()).reshape(sizes))
    return options


STRUCTURAL: Mapping[str, Callable[[TensorUse, Sizes], list[Any]]] = {
    "Reshape.shape": _patterns,
    "RandomUniform.shape": _copies((3, 2)),
    "target_shape": _targets,
    "axes_mapping": lambda use, sizes: [np.arange(prod(sizes)).reshape(sizes)],  # noqa: ARG005
    "repeats": _copies((2, 3)),
    "k": _copies((2, 1)),
    "start": _copies((1, 0)),
    "stop": _copies((7, 2, 5, 3)),
    "SliceScatter.stop": _copies((2, 3, 5, 7, 1)),
    "step": _copies((2, 1)),
    "depth": _copies((5, 2)),
    "axes": _axes,
    "axis": _copies((1, 0, -1)),
    "input_order": _permutations,
    "split_lengths": _parts,
    "begin": _copies((0, 1)),
    "end": _copies((2, 3, 1)),
    "stride": _copies((1,)),
    "Pad.pads_begin": _copies((1, 0)),
    "Pad.pads_end": _copies((2, 1, 0)),
    "SpaceToBatch.pads_begin": _padded,
    "SpaceToBatch.pads_end": _padded,
    "block_shape": lambda use, sizes: [  # noqa: ARG005
        np.where(np.arange(prod(sizes)) > 1, 2, 1).reshape(sizes),
        np.where(np.arange(prod(sizes)) > 0, 2, 1).reshape(sizes),
        np.ones(sizes, int),
    ],
    "crops_begin": _copies((0,)),
    "crops_end": _copies((0,)),
    "shift": _copies((1, 2)),
    "sizes": _like_spatial,
    "scales": _copies((2, 1)),
    "scales_or_sizes": _like_spatial,
    "target_spatial_shape": _like_spatial,
    "num_rows": _copies((3,)),
    "num_columns": _copies((4,)),
    "diagonal_index": _copies((1, 0)),
    "batch_shape": _copies((2,)),
    "output_shape": _copies((3, 5, 7, 4, 6, 2, 9)),
    "Col2Im.output_size": _copies((4, 5, 6, 3, 8)),
    "Col2Im.kernel_size": _copies((2, 3, 1)),
    "output_size": _copies((3, 2, 4)),
    "image_size": _copies((64,)),
    "max_output_boxes_per_class": _copies((3,)),
    "signal_size": _copies((4, 3, 2)),
    "frame_size": _copies((4, 8, 16, 3, 2)),
    "frame_step": _copies((2, 1)),
    "signal_length": _copies((8, 16, 4)),
    "num_segments": _copies((4, 5, 3)),
    "dense_shape": _copies((5, 4)),
    "num_samples": _copies((3, 2, 1)),
    "trip_count": _copies((3, 2)),
    "default_index": _copies((0,)),
}
"""Candidates for values that shapes depend on, the best first: inference finds out which it accepts."""


def is_structural(use: TensorUse) -> bool:
    return f"{use.type}.{use.port}" in STRUCTURAL or use.port in STRUCTURAL


def candidates(use: TensorUse, sizes: Sizes) -> list[Any]:
    """Values for an input of these sizes, as many as the port takes, then small numbers."""
    function = STRUCTURAL.get(f"{use.type}.{use.port}") or STRUCTURAL[use.port]
    small = [np.full(sizes, number) for number in (2, 1, 0, 3, 4)]
    return [*function(use, sizes), *small]
