"""Texts of sources, with suggestions for those that are none; stored values: recorded, read again, of all
types.
"""

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from libraries import needs

import irops
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.parse import source_of, source_of_text
from irops.debugging.sources.source import Context
from irops.debugging.sources.stored import OtherModel, SourceError, Stored, save_values, stored_source
from irops.values.element import element_type


def context_of(model, *inputs):
    analysis = irops.analysis.model_analysis.ModelAnalysis(model)
    return Context(analysis, analysis.signature.arrays(inputs))


@pytest.fixture
def split(net):
    """A model with an output of every layer in use, one layer with two, and a narrow type."""
    halves = "x: bf16[4,2]; a/b: Split x axis num_splits=2"
    return net(halves, "total: Add a/b:0 a/b:1; y: Result total", axis=np.array(0))


X = np.arange(8, dtype=np.float32).reshape(4, 2).astype(ml_dtypes.bfloat16)


def test_recorded_values_are_a_source(split, tmp_path):
    reference = source_of_text("reference")
    context = context_of(split, X)
    count = save_values(reference, context, tmp_path / "values")
    stored = source_of_text(str(tmp_path / "values"))
    assert isinstance(stored, Stored)
    assert count == len(stored._values)
    values = {value.layer: value.outputs for value in stored.walk(context)}
    names = {context.analysis.root.layers[number].layer.name for number in values}
    assert {"x", "a/b", "total"} <= names
    assert irops.compare(split, [X], b=stored).ok
    assert all(array.dtype == X.dtype for array in values[context.analysis.root.find("a/b").layer.id])


def test_an_npz_and_a_folder_of_npy_are_sources(split, tmp_path):
    results = irops.run(split, [X], keep=["total"])
    (tmp_path / "f").mkdir()
    np.save(tmp_path / "f" / "total.npy", results["total"].view(np.uint16))
    np.savez(tmp_path / "v.npz", total=results["total"].view(np.uint16))
    for path in ("f", "v.npz"):
        found = irops.compare(split, [X], b=str(tmp_path / path))
        assert [(layer.name, str(layer.verdict)) for layer in found.layers] == [("total", "equal")]
        assert found.coverage.layers_left_out == {f"reference or {tmp_path / path} has no value": 1}


def test_a_name_that_a_tensor_has_is_that_of_no_layer(split, tmp_path):
    """As frontends write them: the layer is called as its second output."""
    layer = next(layer for layer in split.layers if layer.name == "a/b")
    layer.outputs[:] = [replace(port, names=(name,)) for port, name in zip(layer.outputs, ("a", "a/b"))]
    halves = {"a": X[:2], "a/b": X[2:]}
    for stored in (halves, {**halves, "a/b:0": X[:2]}):
        found = irops.compare(split, [X], b=stored)
        assert [(layer.name, str(layer.verdict)) for layer in found.layers] == [("a/b", "equal")]
    other = next(layer for layer in split.layers if layer.name == "total")
    layer.outputs[0] = replace(layer.outputs[0], names=(other.name,))
    save_values(source_of_text("reference"), context_of(split, X), tmp_path)
    assert irops.compare(split, [X], b=str(tmp_path)).coverage.layers == 2


def test_results_of_a_model_with_errors_are_not_compared(split):
    split.graph.edges.clear()
    found = irops.compare(split, [X], b={"total": np.zeros(2)}, mode="isolated")
    assert (found.ok, "has no incoming edge" in str(found)) == (False, True)
    assert "reference refused, such as: Add-1 has no input a" in str(found)


def test_a_broken_file_is_refused_with_its_path(split, tmp_path):
    (tmp_path / "v.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(SourceError, match=r"v\.npz is not a valid"):
        stored_source(str(tmp_path / "v.npz"))
    (tmp_path / "f").mkdir()
    with pytest.raises(SourceError, match=r"has no \.npy files$"):
        stored_source(str(tmp_path / "f"))
    (tmp_path / "f" / "total.npy").write_bytes(b"nothing")
    with pytest.raises(SourceError, match=r"total\.npy is not an"):
        list(stored_source(str(tmp_path / "f")).walk(context_of(split, X)))


def test_layerwise_results_are_those_of_run(split):
    source = source_of_text("reference")
    assert isinstance(source, Layerwise)
    assert (source.is_reference, source.computes_layers) == (True, True)
    results = source.results(context_of(split, X))
    assert (results["total.0"] == irops.run(split, [X])["y"]).all()


def test_a_member_that_is_compressed_in_an_unknown_way_is_refused(split, tmp_path):
    path = tmp_path / "v.npz"
    np.savez(path, relu=np.ones(3, np.float32))
    content = bytearray(path.read_bytes())
    content[8:10] = (99).to_bytes(2, "little")
    directory = content.rindex(b"PK\x01\x02")
    content[directory + 10 : directory + 12] = (99).to_bytes(2, "little")
    path.write_bytes(content)
    (name,) = (stored := stored_source(str(path)))._values
    with pytest.raises(SourceError, match="compression method"):
        stored._values[name](element_type("f32"))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"values": {"a": {}}}', '{"values": {"a": {"file": "a.npy", "type": "f33"}}}']
)
def test_a_damaged_index_of_values_is_refused(tmp_path, text):
    (tmp_path / "values.json").write_text(text)
    with pytest.raises(SourceError, match="not an index of recorded values"):
        stored_source(str(tmp_path))


def test_an_array_beyond_the_limit_is_not_loaded(tmp_path):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }"
    header += b" " * (117 - len(header)) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    (tmp_path / "relu.npy").write_bytes(content)
    stored = stored_source(str(tmp_path / "relu.npy"))
    with pytest.raises(SourceError, match="4,000,000,000,000 bytes"):
        stored._values["relu"](element_type("f32"))


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


def test_a_tensor_of_another_shape_with_which_its_users_could_not_agree_was_not_compared(net):
    model = net("x: f32[2,4]; low: ReLU x; both: Concat low x axis=1; y: Result both")
    x = np.arange(-4, 4, dtype=np.float32).reshape(2, 4)
    both = np.concatenate([np.maximum(x, 0), x], 1)
    found = irops.compare(model, [x], b={"low": both, "both": both, "y": both})
    assert {layer.name: str(layer.verdict) for layer in found.layers} == {"low": "skipped", "both": "equal"}
    assert found.ok
