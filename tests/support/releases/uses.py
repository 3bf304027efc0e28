"""Probes of uses of ops that releases refuse although they have the op."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from releases.probe import Probe

from irops.backends.one_op import one_op_model
from irops.dialects.registry import default_registry
from irops.values.element import Array, element_type

USES: tuple[tuple[str, str, tuple[str, ...], dict[str, str]], ...] = (
    ("einsum-scalar-input", "Einsum-7", ("f32[3]", "f32[]"), {"equation": "i,->i"}),
    ("einsum-ellipsis-of-unknown-rank", "Einsum-7", ("f32[...]",), {"equation": "...i->..."}),
    ("einsum-label-of-sizes-1-and-n", "Einsum-7", ("f32[2,1]", "f32[3,4]"), {"equation": "ij,jk->ik"}),
    (
        "boxes-of-unknown-length",
        "MulticlassNms-9",
        ("f32[2,5,?]", "f32[2,3,5]"),
        {"output_type": "i64", "sort_result_type": "score", "nms_top_k": "1", "keep_top_k": "1"},
    ),
    ("unknown-number-of-pads", "Pad-1", ("f32[2,3]", "i64[2]", "i64[?]"), {"pad_mode": "edge"}),
    ("strings-without-pad-value", "Pad-1", ("string[2]", "i64[1]", "i64[1]"), {"pad_mode": "constant"}),
    (
        "size-of-output-roi",
        "ROIPooling-2",
        ("f32[1,1,4,4]", "f32[2,5]"),
        {"output_roi": "1,1", "spatial_scale": "1", "method": "max"},
    ),
    ("squeezed-axis-of-other-size", "Squeeze-1", ("f32[2,1]", "i64 0"), {}),
)
"""The feature, the op, its inputs, constants as "type value", and its attributes."""


def use_probes() -> Iterator[Probe]:
    for feature, op_id, inputs, attributes in USES:
        arrays = list(map(_array, inputs))
        fixed = {index: array for index, array in enumerate(arrays) if "[" not in inputs[index]}
        op = default_registry().op(op_id)
        outputs = len(op.definition.outputs)
        text, weights = one_op_model(op, arrays, attributes, outputs, fixed)
        for index, tensor in enumerate(inputs):
            if index not in fixed:
                shape = tensor.partition("[")[2].rstrip("]")
                pattern = rf'(name="input{index}" type="Parameter".*?shape=")[^"]*'
                text = re.sub(pattern, lambda match, of=shape: match[1] + of, text, count=1, flags=re.DOTALL)
        yield Probe(("feature", feature), text, weights)


def _array(tensor: str) -> Array:
    name, bracket, inside = tensor.partition("[")
    if not bracket:
        name, _, value = tensor.partition(" ")
        return np.array([int(value)], element_type(name).dtype)
    sizes = inside.rstrip("]").replace("...", "").replace("?", "2")
    shape = tuple(map(int, filter(None, sizes.split(","))))
    return np.full(shape, "a", object) if name == "string" else np.zeros(shape, element_type(name).dtype)
