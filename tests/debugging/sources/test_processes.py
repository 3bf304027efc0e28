"""Runtimes in a process of their own: their values, their precision, their crashes."""

from contextlib import closing

import numpy as np
import pytest
from libraries import needs
from onnx_protos import FLOAT, proto_of

import irops
from irops.debugging.sources.openvino_device import OpenVINODevice
from irops.debugging.sources.parse import source_of_text
from irops.debugging.sources.source import Context, Failure
from irops.debugging.sources.workers import SourceWorkers

pytestmark = needs("openvino")


def context_of(model, *inputs):
    analysis = irops.analysis.model_analysis.ModelAnalysis(model)
    return Context(analysis, analysis.signature.arrays(inputs))


@pytest.fixture
def model(net):
    w = np.random.default_rng(1).standard_normal((16, 16)).astype(np.float32)
    product = "x: f32[?,16]; product: MatMul x w; soft: SoftMax-opset8 product axis=1"
    return net(product, "total: MatMul soft x transpose_b=true; y: Result total", w=w)


X = np.random.default_rng(2).standard_normal((3, 16)).astype(np.float32)
CPU = "openvino:CPU,INFERENCE_PRECISION_HINT=f32"


@pytest.mark.slow("OpenVINO in processes")
@pytest.mark.parametrize("b", ["openvino", CPU, "openvino:CPU,INFERENCE_PRECISION_HINT=bf16"])
@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_openvino_agrees_with_the_reference(model, b, mode):
    source = source_of_text(b)
    if isinstance(source.results(context_of(model, X)), Failure):
        assert b.endswith("bf16")
        pytest.skip("OpenVINO does not compute in bf16 with the instructions of this processor")
    source.close()
    found = irops.compare(model, [X], b=b, mode=mode)
    assert found.ok, str(found)
    assert [layer.name for layer in found.layers] == ["product", "soft", "total"]


@pytest.mark.slow("OpenVINO in processes")
def test_a_device_reports_its_precision():
    for hint, precision in (("bf16", "bf16"), ("f32", "")):
        source = OpenVINODevice("CPU", {"INFERENCE_PRECISION_HINT": hint})
        assert source.arithmetic.precision in (precision, "")  # not every processor has bf16
        source.close()


def test_results_of_the_whole_model_and_of_taps(model):
    source = source_of_text(CPU)
    context = context_of(model, X)
    results = source.results(context)
    assert not isinstance(results, Failure)
    expected = irops.run(model, [X], keep="all")
    assert results.keys() == irops.run(model, [X]).keys()
    assert np.allclose(*results.values(), expected["y"], atol=1e-4)
    for value in source.walk(context):
        name = context.analysis.root.layers[value.layer].layer.name
        assert np.allclose(value.outputs[0], expected[name], atol=1e-4)
    source.close()


@needs("onnx", "onnxruntime")
@pytest.mark.parametrize("b", [CPU, "onnxruntime"])
def test_a_file_of_onnx_is_run_as_the_runtime_reads_it(b, tmp_path, monkeypatch):
    from onnx import numpy_helper

    weights = [numpy_helper.from_array(np.random.default_rng(3).standard_normal((4, 5)).astype("f4"), "w")]
    nodes = [("MatMul", ["x", "w"], ["p"]), ("Relu", ["p"], ["r"]), ("Sigmoid", ["r"], ["y"])]
    model = proto_of(nodes, {"x": (FLOAT, ["n", 4])}, {"y": (FLOAT, ["n", 5])}, weights)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    data = np.random.default_rng(4).standard_normal((3, 4)).astype(np.float32)
    read = irops.read(tmp_path / "m.onnx")
    found = irops.compare(read, [data], b=b)
    assert (found.ok, found.coverage.layers, found.coverage.results) == (True, 3, 1), str(found)
    if b == CPU:  # which reads the file again
        model.graph.node[1].op_type = "Abs"
        (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
        found = irops.compare(read, [data], b=b)
        assert (found.ok, str(found.results[0].verdict)) == (False, "skipped"), "the model is not the file's"
        monkeypatch.setattr("irops.debugging.sources.openvino_device.read", lambda _: read)
        found = irops.compare(read, [data], b=b)
        assert (found.ok, found.first.op) == (False, "onnx:Relu-14")
        with pytest.raises(ValueError, match="cannot compute single layers"):
            irops.compare(read, [data], b=b, mode="isolated")


@pytest.mark.slow("OpenVINO in processes")
def test_a_layer_with_a_body_is_computed_as_one():
    body = irops.Graph("body")
    value = body.parameter("value", "f32", [2])
    body.result(value * body.constant(np.full(2, 3, np.float32)), name="tripled")
    graph = irops.Graph("loop")
    x = graph.parameter("x", "f32", [2])
    (loop,) = graph.Loop(body, {"value": graph.carried(x, "tripled")}, ["tripled"], trip_count=4)
    graph.result(loop, name="y")
    found = irops.compare(graph.model(), [np.ones(2, np.float32)], b=CPU)
    assert [str(layer.verdict) for layer in found.layers] == ["equal"]


def test_weights_stay_packed_where_values_are_looked_at(net):
    """Else a device rounds nf4 to f16, which it does not do where it keeps them packed."""
    draw = np.random.default_rng(4)
    packed = irops.Graph().constant(draw.integers(0, 16, (16, 8)), "nf4").value
    scale = draw.uniform(0.01, 0.02, (16, 1)).astype(np.float16)
    weights = "half: Convert packed destination_type=f16; scaled: Multiply half scale"
    wide = "wide: Convert scaled destination_type=f32; product: MatMul x wide transpose_b=true"
    model = net(f"x: f32[2,8]; {weights}; {wide}; y: Result product", packed=packed, scale=scale)
    data = draw.standard_normal((2, 8)).astype(np.float32)
    found = irops.compare(model, [data], b=CPU, mode="propagated")
    assert found.ok, str(found)
    assert [layer.name for layer in found.layers] == ["product"]
    assert found.coverage.layers_left_out == {"follows from constants alone": 3}


@pytest.mark.slow("OpenVINO in processes")
@pytest.mark.parametrize("mode", ["isolated", "propagated"])
def test_types_that_a_device_lacks_are_said(net, mode):
    found = irops.compare(net("x: f64[2]; r: Sqrt x; y: Result r"), [np.array([2.0, 3])], b=CPU, mode=mode)
    assert found.ok
    assert f"{CPU} computes f64 in f32; errors within that precision count as rounding" in str(found)
    model = net("x: f32[2]; number: Convert x destination_type=u32; y: Result number")
    found = irops.compare(model, [np.float32([3e9, 7])], b=CPU, mode=mode)
    assert found.first.reason == "1 of 2 elements differ; u32 is computed in i32, and numbers exceed it"


@pytest.mark.parametrize(
    ("source", "kind", "reason"),
    [
        (lambda: source_of_text("openvino:NOSUCH"), "refused", "no device NOSUCH"),
        (lambda: source_of_text("openvino:CPU,NO_SUCH_THING=1"), "refused", "NO_SUCH_THING"),
        (lambda: OpenVINODevice("CPU", {}, SourceWorkers(seconds=0.001)), "stalled", ""),
    ],
)
def test_a_device_that_is_absent_or_takes_too_long_is_a_failure(model, source, kind, reason):
    with closing(source()) as device:
        failure = device.results(context_of(model, X))
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.is_fault) == (kind, True)
    assert reason in failure.reason
