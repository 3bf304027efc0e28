"""The rule of each op: the families of ops, by type."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TypeAlias

from irops.analysis.batching import (
    along_axes,
    batch_first,
    elementwise,
    products,
    regrouping,
    selecting,
    slicing,
)
from irops.analysis.batching.along_axes import along, attribute, named
from irops.analysis.batching.batch_first import batch_first as first
from irops.analysis.batching.carried import Carried
from irops.analysis.batching.case import Case
from irops.spec.definition import Definition
from irops.spec.op import Op

Rule: TypeAlias = Callable[[Case], list[Carried]]

ELEMENTWISE_CATEGORIES = frozenset({"activation", "arithmetic", "bitwise", "comparison", "logical"})
"""The categories whose ops work element by element, apart from those that have a rule of their own."""
NOT_ELEMENTWISE = frozenset({"SegmentMax"})

ELEMENTWISE = ("Select", "FakeQuantize", "FakeConvert", "Convert", "Result")
ALONG_AXES: dict[str, Rule] = {
    "SoftMax": along(attribute()),
    "LogSoftmax": along(attribute()),
    "TopK": along(attribute()),
    "ShuffleChannels": along(attribute()),
    "CumSum": along(named("axis", (0,))),
    "Split": along(named("axis")),
    "VariadicSplit": along(named("axis")),
    "Roll": along(named()),
    "Reverse": along(along_axes.reversed_axes),
    "LRN": along(named()),
    "NormalizeL2": along(named()),
    "GRN": along(along_axes.channels),
    "DFT": along(along_axes.fourier_axes),
    "IDFT": along(along_axes.fourier_axes),
    "IRDFT": along(along_axes.fourier_axes),
    "RDFT": along(along_axes.real_fourier_axes),
    "Concat": along_axes.concatenated,
    "ReverseSequence": along_axes.reversed_sequences,
    "OneHot": along_axes.one_hot,
    "Pad": along_axes.padded,
    "RegionYolo": along_axes.region,
    "Inverse": along_axes.inverse,
}
BATCH_FIRST: dict[str, Rule] = {
    **{
        name: first("data")
        for name in (
            "Convolution",
            "GroupConvolution",
            "ConvolutionBackpropData",
            "GroupConvolutionBackpropData",
            "BinaryConvolution",
            "AvgPool",
            "AdaptiveAvgPool",
            "AdaptiveMaxPool",
            "BatchNormInference",
            "GroupNormalization",
            "DepthToSpace",
            "SpaceToDepth",
            "ExtractImagePatches",
            "ReorgYolo",
        )
    },
    "DeformableConvolution": first("data", "offsets", "mask"),
    "MaxPool": batch_first.pooled,
    "Col2Im": batch_first.optional_batch(3),
    "GridSample": first("data", "grid"),
    "NV12toRGB": first("y", "uv"),
    "NV12toBGR": first("y", "uv"),
    "I420toRGB": first("y", "u", "v"),
    "I420toBGR": first("y", "u", "v"),
    "CTCGreedyDecoderSeqLen": first("data", "sequence_length"),
    "CTCLoss": first("logits", "logit_length", "labels", "label_length"),
    "Interpolate": batch_first.interpolated,
    "STFT": batch_first.optional_batch(2, "signal"),
    "ISTFT": batch_first.optional_batch(4),
    "EmbeddingBagPacked": batch_first.packed_bags,
    "EmbeddingBagPackedSum": batch_first.packed_bags,
    **{
        f"{kind}{form}": batch_first.recurrent
        for kind in ("LSTM", "GRU", "RNN")
        for form in ("Cell", "Sequence")
    },
}
OTHER: dict[str, Rule] = {
    "PReLU": elementwise.prelu,
    "ConvertLike": elementwise.convert_like,
    "ConvertPromoteTypes": elementwise.promoted,
    "Bucketize": elementwise.bucketize,
    "SearchSorted": elementwise.sorted_search,
    "Reshape": regrouping.regrouped,
    "Squeeze": regrouping.regrouped,
    "Unsqueeze": regrouping.regrouped,
    "Broadcast": regrouping.broadcast,
    "Tile": regrouping.tiled,
    "Transpose": regrouping.transposed,
    "Gather": selecting.gathered,
    "GatherElements": selecting.gathered_elements,
    "GatherND": selecting.gathered_tuples,
    "ScatterUpdate": selecting.scattered,
    "ScatterElementsUpdate": selecting.scattered_elements,
    "ScatterNDUpdate": selecting.scattered_tuples,
    "Slice": slicing.sliced,
    "SliceScatter": slicing.scattered_slice,
    "StridedSlice": slicing.sliced_by_masks,
    "MatMul": products.mat_mul,
    "Einsum": products.einsum,
    "ScaledDotProductAttention": products.attention,
}
RULES = MappingProxyType(
    {**dict.fromkeys(ELEMENTWISE, elementwise.elementwise), **ALONG_AXES, **BATCH_FIRST, **OTHER}
)
"""By type; the rules of all versions of an op are the same."""
REPEATS_SAME = frozenset({"Broadcast", "Tile"})
"""Ops that make items of data that is the same for each, if their shape depends on the number of items."""
SIZES = frozenset({"ShapeOf"})
"""Ops that read nothing but the shape of their input."""
RANDOM = frozenset({"RandomUniform", "Multinomial"})


def rule_of(op: Op) -> Rule | None:
    """The rule of an op of irops itself; None for one without a rule."""
    definition = op.definition
    if definition.dialect != "openvino" or not op.module.startswith("irops.ops."):
        return None
    rule = RULES.get(definition.type)
    if rule is None and definition.type.startswith("Reduce"):
        return along_axes.reduced
    if rule is None and definition.category == "normalization" and definition.type == "MVN":
        return along(named() if _has(definition, "axes") else along_axes.spatial_mvn_axes)
    is_elementwise = definition.category in ELEMENTWISE_CATEGORIES
    if rule is None and is_elementwise and definition.type not in NOT_ELEMENTWISE:
        return elementwise.elementwise
    return rule


def _has(definition: Definition, name: str) -> bool:
    return any(port.name == name for port in definition.inputs)
