"""Texts of sources, and suggestions for those that are none."""

import numpy as np
import pytest
from libraries import needs

import irops
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.parse import source_of, source_of_text
from irops.debugging.sources.stored import OtherModel, SourceError, Stored


def test_the_reference_is_a_source():
    source = source_of_text("reference")
    assert isinstance(source, Layerwise)
    assert source.is_reference
    assert source.computes_layers


@needs("openvino")
@pytest.mark.parametrize(
    ("text", "device", "properties"),
    [
        ("openvino:CPU", "CPU", {}),
        ("openvino:CPU,INFERENCE_PRECISION_HINT=bf16", "CPU", {"INFERENCE_PRECISION_HINT": "bf16"}),
        ("openvino:MULTI:CPU,GPU,NUM_STREAMS=2", "MULTI:CPU,GPU", {"NUM_STREAMS": "2"}),
    ],
)
def test_a_device_of_openvino_with_properties(text, device, properties):
    source = source_of_text(text)
    assert isinstance(source, OpenVINODevice)
    assert (source.device, source.properties, source.name) == (device, properties, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "referense",
            "there is no source 'referense'; did you mean reference? A source is one of: reference;",
        ),
        ("zz", "there is no source 'zz'; a source is one of: reference;"),
        ("nothing.npz", "nothing.npz does not exist"),
        ("model:nothing.xml", "names the file 'nothing.xml', which does not exist"),
        ("onnxruntime:nothing.onnx", "names the file 'nothing.onnx', which does not exist"),
        ("openvino:", "openvino: names no device; write openvino:CPU"),
        ("openvino:CPU,A=1,B", "'B' in openvino:CPU,A=1,B is not of the form PROPERTY=VALUE"),
        (__file__, "is a file, but no source; a model is written model:"),
    ],
)
def test_a_text_that_is_no_source_is_refused_with_the_reason(text, message):
    with pytest.raises(SourceError) as caught:
        source_of_text(text)
    assert message in str(caught.value)


def test_objects_are_sources(net):
    model = net("x: f32[2]", "y: Result x")
    assert isinstance(source_of({"x": np.zeros(2)}), Stored)
    assert isinstance(source_of(model), OtherModel)
    assert isinstance(source_of(irops.Session(model)), OtherModel)
    with pytest.raises(TypeError, match="a source is int, must be"):
        source_of(3)
