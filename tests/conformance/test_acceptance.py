"""Layers that OpenVINO refuses have an error; those that it computes in one way have a warning at most."""

import numpy as np
import pytest
from commands import python_process
from libraries import needs
from probes import Probe
from runtimes import read_all

import irops
from irops.dialects.registry import default_registry

pytestmark = pytest.mark.slow("OpenVINO reads many models")


def texts(attributes):
    return " ".join(f"{name}={text}" for name, text in attributes.items())


PROPOSALS = "min_size=0 nms_threshold=0.5 pre_nms_count=9 post_nms_count=3"
STEPS = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
DEFORMED = "?f32[1,1,4,4] ; ?f32[1,18,2,2] ; ?f32[1,1,3,3]"

REFUSED = {
    "ShapeOf-3 without output_type": "| ?f32[2,3]",
    "Bucketize-3 without output_type": "| ?f32[4] ; ?f32[2]",
    "CumSum-3 without axis": "| ?f32[2,3]",
    "GRUCell-3 without B": "hidden_size=3 | ?f32[1,2] ; ?f32[1,3] ; ?f32[9,2] ; ?f32[9,3]",
    "RNNCell-1 without B": "hidden_size=3 | ?f32[1,2] ; ?f32[1,3] ; ?f32[3,2] ; ?f32[3,3]",
    "LSTMCell-4 without B": "hidden_size=3 | ?f32[1,2] ; ?f32[1,3] ; ?f32[1,3] ; ?f32[12,2] ; ?f32[12,3]",
    **{f"{op} of f64": "| ?f64[2,2] ; i64[1] 0" for op in ("DFT-7", "IDFT-7", "RDFT-9", "IRDFT-9")},
    "TopK-1 with unsigned k": "axis=1 mode=max sort=value | ?f32[2,3] ; u8[] 1",
    "Eye-9 with i8": "output_type=f32 | i8[] 2 ; i8[] 2 ; i8[] 0",
    "Eye-9 with a batch_shape of i8": "output_type=f32 | i64[] 2 ; i64[] 2 ; i64[] 0 ; i8[2] 2 2",
    "DeformableConvolution-1 without deformable_group": f"{texts(STEPS)} group=1 | {DEFORMED}",
    "DeformableConvolution-8 without group": f"{texts(STEPS)} deformable_group=1 | {DEFORMED}",
    "GenerateProposals-9 with nms_eta": (
        f"{PROPOSALS} nms_eta=0.5 | ?f32[1,3] ; ?f32[1,3,1,4] ; ?f32[1,4,1,3] ; ?f32[1,1,1,3]"
    ),
    "PSROIPooling-1 without mode": "output_dim=1 group_size=2 spatial_scale=1 | ?f32[1,4,4,4] ; ?f32[1,5]",
    "PSROIPooling-1, bilinear, without bins": (
        "output_dim=4 group_size=1 spatial_scale=1 mode=bilinear | ?f32[1,4,4,4] ; ?f32[1,5]"
    ),
}
CONV, GROUPED = "?f32[1,1,4,4] ; ?f32[1,1,3,3]", "?f32[1,1,4,4] ; ?f32[1,1,1,3,3]"
EMPTY = "strides=1,1 dilations=1,1 pads_begin= pads_end="
WINDOW = "kernel=2,2 strides=1,1 pads_begin= pads_end="
MASKS = "begin_mask=0,0 end_mask=0,0 ellipsis_mask=1,0"
BOUNDS = "?f32[2,3] ; i64[2] 0 1 ; i64[2] 1 3 ; i64[2] 1 1"

COMPUTED = {
    f"{op} with empty paddings, {auto_pad}": (f"{data} auto_pad={auto_pad} | {inputs}", warnings)
    for op, inputs, data in (
        ("Convolution-1", CONV, EMPTY),
        ("GroupConvolution-1", GROUPED, EMPTY),
        ("ConvolutionBackpropData-1", CONV, EMPTY),
        ("GroupConvolutionBackpropData-1", GROUPED, EMPTY),
        ("AvgPool-1", "?f32[1,1,4,4]", f"{WINDOW} exclude-pad=true"),
        ("AvgPool-14", "?f32[1,1,4,4]", f"{WINDOW} exclude-pad=true"),
        ("AvgPool-16", "?f32[1,1,4,4]", f"{WINDOW} dilations=1,1 exclude-pad=true"),
        ("MaxPool-1", "?f32[1,1,4,4]", WINDOW),
    )
    for auto_pad, warnings in (("same_upper", 0), ("same_lower", 0), ("valid", 0), ("explicit", 1))
} | {
    "CumSum-3 of booleans": ("| ?boolean[2,3] ; i64[] 1", 1),
    "StridedSlice-1, a mask at the ellipsis": (f"{MASKS} shrink_axis_mask=1,0 | {BOUNDS}", 1),
    "StridedSlice-1, a new axis at the ellipsis": (f"{MASKS} new_axis_mask=1,0 | {BOUNDS}", 1),
    "Broadcast-1, explicit, without axes_mapping": ("mode=explicit | ?f32[3] ; i64[2] 2 3", 1),
    "SoftMax-1 without axis": ("| ?f32[2,3]", 1),
    "Convolution-1 with all lists empty": (f"{texts(dict.fromkeys(STEPS, ''))} | {CONV}", 1),
}
STRICT = {
    f"{op} with empty {name}": f"{texts({**STEPS, name: ''})} | {inputs}"
    for op, inputs in (("Convolution-1", CONV), ("GroupConvolutionBackpropData-1", GROUPED))
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


def probe_of(name, question):
    """A layer of the op with which the name begins."""
    return Probe.parse(name.split()[0].rstrip(","), f"{question} -> reads")


def findings(tmp_path, text, weights):
    path = tmp_path / "model.xml"
    path.write_text(text)
    path.with_suffix(".bin").write_bytes(weights)
    report = irops.check(str(path))
    return [str(d.severity.value) for d in report.diagnostics], str(path)


@pytest.mark.parametrize("name", REFUSED)
def test_what_openvino_refuses_has_an_error(name, tmp_path):
    assert "error" in findings(tmp_path, *probe_of(name, REFUSED[name]).model())[0]


@pytest.mark.parametrize("name", STRICT)
def test_an_empty_list_beside_others_is_an_error(name, tmp_path):
    assert findings(tmp_path, *probe_of(name, STRICT[name]).model())[0] == ["error"]


@needs("openvino")
@pytest.mark.parametrize("auto_pad", ["explicit", "same_upper", "valid"])
@pytest.mark.parametrize(("filters", "empty"), [("...", True), ("?,?,?,?", False)])
def test_what_openvino_writes_of_an_unranked_convolution_has_no_error(filters, empty, auto_pad, tmp_path):
    path = tmp_path / "model.xml"
    python_process("-c", UNRANKED, path, filters, auto_pad, check=True)
    assert ('strides="" dilations="" pads_begin="" pads_end=""' in path.read_text()) is empty
    assert not irops.check(path).errors
    assert not irops.infer(irops.read(path), {"Parameter_1": "1,1,4,4"}).errors


@pytest.mark.parametrize("name", COMPUTED)
def test_what_openvino_computes_in_one_way_has_no_error(name, tmp_path):
    question, warnings = COMPUTED[name]
    probe = probe_of(name, question)
    severities, path = findings(tmp_path, *probe.model())
    assert severities == ["warning"] * warnings
    assert irops.run(path, {f"input{k}": array for k, array in enumerate(probe.given)})


def test_softmax_without_axis_is_computed_along_axis_0_as_openvino_does():
    data = np.array([[0, 1], [0, 3]], np.float32)
    definition = default_registry().op("SoftMax-1").definition.attributes["axis"]
    assert (definition.default, definition.reader_default) == ("1", "0")
    found = irops.call("SoftMax-1", data)
    assert np.allclose(found.sum(axis=0), 1)


@needs("openvino")
def test_openvino_refuses_and_reads_the_same_models():
    computed = {name: question for name, (question, _) in COMPUTED.items()}
    probes = {name: probe_of(name, question) for name, question in (REFUSED | computed | STRICT).items()}
    types = (default_registry().op(probe.op).definition.type for probe in probes.values())
    questions = ((kind, *probe.model()) for kind, probe in zip(types, probes.values()))
    refused = {name for name, reading in zip(probes, read_all(questions)) if isinstance(reading, str)}
    assert refused == set(REFUSED)
