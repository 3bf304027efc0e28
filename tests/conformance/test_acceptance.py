"""Layers that OpenVINO refuses have an error; those that it computes in one way have a warning at most."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from libraries import needs
from read_by_openvino import read_all

import irops
from irops.backends.one_op import one_op_model
from irops.dialects.registry import default_registry

pytestmark = pytest.mark.slow("OpenVINO reads many models")


def of(shape, dtype=np.float32):
    return np.ones(shape, dtype)


def index(*numbers, dtype=np.int64):
    return np.array(numbers if len(numbers) != 1 else numbers[0], dtype)


BOXES = (of((1, 3)), of((1, 3, 1, 4)), of((1, 4, 1, 3)), of((1, 1, 1, 3)))
PROPOSALS = {"min_size": "0", "nms_threshold": "0.5", "pre_nms_count": "9", "post_nms_count": "3"}
CELL = (of((1, 2)), of((1, 3)), of((9, 2)), of((9, 3)))
LSTM = (of((1, 2)), of((1, 3)), of((1, 3)), of((12, 2)), of((12, 3)))
SIGNAL, FLAT = (of((2, 2), np.float64), index(0).reshape(1)), {"strides": "1,1", "kernel": "2,2"}
REGION = (of((1, 4, 4, 4)), of((1, 5)))
DEFORMED = (of((1, 1, 4, 4)), of((1, 18, 2, 2)), of((1, 1, 3, 3)))
STEPS = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}

REFUSED = {
    "ShapeOf-3 without output_type": ("ShapeOf-3", (of((2, 3)),), {}),
    "Bucketize-3 without output_type": ("Bucketize-3", (of(4), of(2)), {}),
    "CumSum-3 without axis": ("CumSum-3", (of((2, 3)),), {}),
    "GRUCell-3 without B": ("GRUCell-3", CELL, {"hidden_size": "3"}),
    "RNNCell-1 without B": (
        "RNNCell-1",
        (of((1, 2)), of((1, 3)), of((3, 2)), of((3, 3))),
        {"hidden_size": "3"},
    ),
    "LSTMCell-4 without B": ("LSTMCell-4", LSTM, {"hidden_size": "3"}),
    "DFT-7 of f64": ("DFT-7", SIGNAL, {}),
    "IDFT-7 of f64": ("IDFT-7", SIGNAL, {}),
    "RDFT-9 of f64": ("RDFT-9", SIGNAL, {}),
    "IRDFT-9 of f64": ("IRDFT-9", SIGNAL, {}),
    "TopK-1 with unsigned k": (
        "TopK-1",
        (of((2, 3)), index(1, dtype=np.uint8)),
        {"axis": "1", "mode": "max", "sort": "value"},
    ),
    "Eye-9 with i8": (
        "Eye-9",
        (index(2, dtype=np.int8), index(2, dtype=np.int8), index(0, dtype=np.int8)),
        {"output_type": "f32"},
    ),
    "Eye-9 with a batch_shape of i8": (
        "Eye-9",
        (index(2), index(2), index(0), index(2, 2, dtype=np.int8)),
        {"output_type": "f32"},
    ),
    "DeformableConvolution-1 without deformable_group": (
        "DeformableConvolution-1",
        DEFORMED,
        {**STEPS, "group": "1"},
    ),
    "DeformableConvolution-8 without group": (
        "DeformableConvolution-8",
        DEFORMED,
        {**STEPS, "deformable_group": "1"},
    ),
    "GenerateProposals-9 with nms_eta": ("GenerateProposals-9", BOXES, {**PROPOSALS, "nms_eta": "0.5"}),
    "PSROIPooling-1 without mode": (
        "PSROIPooling-1",
        REGION,
        {"output_dim": "1", "group_size": "2", "spatial_scale": "1"},
    ),
    "PSROIPooling-1, bilinear, without bins": (
        "PSROIPooling-1",
        REGION,
        {"output_dim": "4", "group_size": "1", "spatial_scale": "1", "mode": "bilinear"},
    ),
}
CONV, POOL = (of((1, 1, 4, 4)), of((1, 1, 3, 3))), (of((1, 1, 4, 4)),)
EMPTY = {"strides": "1,1", "dilations": "1,1", "pads_begin": "", "pads_end": ""}
WINDOW = {"kernel": "2,2", "strides": "1,1", "dilations": "1,1", "pads_begin": "", "pads_end": ""}
PLAIN = {name: text for name, text in WINDOW.items() if name != "dilations"}
MASKS = {"begin_mask": "0,0", "end_mask": "0,0", "ellipsis_mask": "1,0"}
BOUNDS = (of((2, 3)), index(0, 1), index(1, 3), index(1, 1))

COMPUTED = {
    f"{op} with empty paddings, {auto_pad}": (op, inputs, {**data, "auto_pad": auto_pad}, warnings)
    for op, inputs, data in (
        ("Convolution-1", CONV, EMPTY),
        ("GroupConvolution-1", (CONV[0], CONV[1][np.newaxis]), EMPTY),
        ("ConvolutionBackpropData-1", CONV, EMPTY),
        ("GroupConvolutionBackpropData-1", (CONV[0], CONV[1][np.newaxis]), EMPTY),
        ("AvgPool-1", POOL, {**PLAIN, "exclude-pad": "true"}),
        ("AvgPool-14", POOL, {**PLAIN, "exclude-pad": "true"}),
        ("AvgPool-16", POOL, {**WINDOW, "exclude-pad": "true"}),
        ("MaxPool-1", POOL, PLAIN),
    )
    for auto_pad, warnings in (("same_upper", 0), ("same_lower", 0), ("valid", 0), ("explicit", 1))
} | {
    "CumSum-3 of booleans": ("CumSum-3", (of((2, 3), np.bool_), index(1)), {}, 1),
    "StridedSlice-1, a mask at the ellipsis": (
        "StridedSlice-1",
        BOUNDS,
        {**MASKS, "shrink_axis_mask": "1,0"},
        1,
    ),
    "StridedSlice-1, a new axis at the ellipsis": (
        "StridedSlice-1",
        BOUNDS,
        {**MASKS, "new_axis_mask": "1,0"},
        1,
    ),
    "Broadcast-1, explicit, without axes_mapping": (
        "Broadcast-1",
        (of(3), index(2, 3)),
        {"mode": "explicit"},
        1,
    ),
    "SoftMax-1 without axis": ("SoftMax-1", (of((2, 3)),), {}, 1),
    "Convolution-1 with all lists empty": ("Convolution-1", CONV, dict.fromkeys(STEPS, ""), 1),
}
STRICT = {
    f"{op} with empty {name}": (op, inputs, {**STEPS, name: ""})
    for op, inputs in (
        ("Convolution-1", CONV),
        ("GroupConvolutionBackpropData-1", (CONV[0], CONV[1][np.newaxis])),
    )
    for name in ("strides", "dilations")
}
"""What OpenVINO reads and irops refuses; docs/decisions/0012 says why."""
UNRANKED = """
import sys
from openvino import Model, PartialShape, Type, opset13, serialize
from openvino.op import Parameter

data, filters = (Parameter(Type.f32, PartialShape(shape)) for shape in ("...", sys.argv[2]))
convolved = opset13.convolution(data, filters, [], [], [], [], auto_pad=sys.argv[3])
serialize(Model([convolved], [data, filters], "m"), sys.argv[1])
"""


def model_of(op_id, inputs, data):
    op = default_registry().op(op_id)
    fixed = {k: array for k, array in enumerate(inputs) if array.dtype.kind in "iu"}
    return op, *one_op_model(op, inputs, data, len(op.definition.outputs), fixed)


def findings(tmp_path, text, weights):
    path = tmp_path / "model.xml"
    path.write_text(text)
    path.with_suffix(".bin").write_bytes(weights)
    report = irops.check(str(path))
    return [str(d.severity.value) for d in report.diagnostics], str(path)


@pytest.mark.parametrize("name", REFUSED)
def test_what_openvino_refuses_has_an_error(name, tmp_path):
    _, text, weights = model_of(*REFUSED[name])
    assert "error" in findings(tmp_path, text, weights)[0]


@pytest.mark.parametrize("name", STRICT)
def test_an_empty_list_beside_others_is_an_error(name, tmp_path):
    _, text, weights = model_of(*STRICT[name])
    assert findings(tmp_path, text, weights)[0] == ["error"]


@needs("openvino")
@pytest.mark.parametrize("auto_pad", ["explicit", "same_upper", "valid"])
@pytest.mark.parametrize(("filters", "empty"), [("...", True), ("?,?,?,?", False)])
def test_what_openvino_writes_of_an_unranked_convolution_has_no_error(filters, empty, auto_pad, tmp_path):
    path = tmp_path / "model.xml"
    subprocess.run([sys.executable, "-c", UNRANKED, str(path), filters, auto_pad], check=True)
    assert ('strides="" dilations="" pads_begin="" pads_end=""' in path.read_text()) is empty
    assert not irops.check(path).errors
    assert not irops.infer(irops.read(path), {"Parameter_1": "1,1,4,4"}).errors


@pytest.mark.parametrize("name", COMPUTED)
def test_what_openvino_computes_in_one_way_has_no_error(name, tmp_path):
    op, inputs, data, warnings = COMPUTED[name]
    _, text, weights = model_of(op, inputs, data)
    severities, path = findings(tmp_path, text, weights)
    assert severities == ["warning"] * warnings
    given = [array for array in inputs if array.dtype.kind not in "iu"]
    assert irops.run(path, {f"input{k}": array for k, array in enumerate(given)})


def test_softmax_without_axis_is_computed_along_axis_0_as_openvino_does():
    data = np.array([[0, 1], [0, 3]], np.float32)
    definition = default_registry().op("SoftMax-1").definition.attributes["axis"]
    assert (definition.default, definition.reader_default) == ("1", "0")
    found = irops.call("SoftMax-1", data)
    assert np.allclose(found.sum(axis=0), 1)


@needs("openvino")
def test_openvino_refuses_and_reads_the_same_models():
    cases = [(name, *model_of(*case[:3])) for name, case in (REFUSED | COMPUTED | STRICT).items()]
    questions = ((op.definition.type, text, weights) for _, op, text, weights in cases)
    refused = {name for (name, *_), reading in zip(cases, read_all(questions)) if isinstance(reading, str)}
    assert refused == set(REFUSED)
