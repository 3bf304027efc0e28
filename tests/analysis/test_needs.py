"""What a release of OpenVINO does not read: check with a target; the oldest release that reads a model.
Element types that the CPU plug-in does not compile: one warning for each op and type.
"""

from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import pytest
from onnx_protos import FLOAT, proto_of
from releases.features import use_probes

import irops
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.needs import oldest_release
from irops.spec.releases import UNRELEASED, cpu_plugin, releases

EXAMPLES = Path(__file__).parents[2] / "examples"


def model_of(op, *inputs, **attributes):
    """A model of one op. Texts are the types and shapes of its inputs, others are constants."""
    g = irops.Graph("model")
    given = [g.parameter(f"x{k}", one) if isinstance(one, str) else one for k, one in enumerate(inputs)]
    made = g.add(op, *given, name="subject", **attributes)
    g.result(made[0] if op.startswith("MaxPool") else made, "y")
    return g.model()


def padded():
    return model_of("Pad-12", "f32[2,3]", [0, 0], [1, 1], np.zeros((), np.float32), pad_mode="constant")


def codes(model, target):
    return [finding.code for finding in irops.check(model, target=target)]


def test_an_op_that_the_target_lacks_is_reported_with_the_release_that_has_it():
    (finding,) = irops.check(padded(), target="2023.0")
    assert finding.code == "IR941"
    assert "Pad of opset12" in finding.message
    assert "OpenVINO 2023.0 does not read" in finding.message
    assert finding.message.endswith("the oldest release that does is 2023.1")
    assert irops.check(padded(), target="2023.1").ok


def test_a_finding_is_at_the_version_of_the_layer(tmp_path):
    path = tmp_path / "model.xml"
    irops.write(padded(), path)
    (finding,) = (each for each in irops.check(path, target="2023.0") if each.code == "IR941")
    line = path.read_text().splitlines()[finding.location.line - 1]
    assert line[finding.location.column - 1 :].startswith('version="opset12"')


SIZES = np.array([8, 8]), np.array([2, 3])
RESIZED = {"mode": "nearest", "shape_calculation_mode": "sizes"}
POOLED = {"strides": (2, 2), "pads_begin": (0, 0), "pads_end": (0, 0), "kernel": (2, 2)}
AVERAGED = POOLED | {"exclude_pad": False, "rounding_type": "ceil_torch"}
TO_F8 = {"destination_type": "f8e4m3"}


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "before", "code", "since"),
    [
        ("Convert", ["u2[8]"], {"destination_type": "f32"}, "2024.0", "IR942", "2024.1"),
        ("Interpolate-11", ["f64[1,1,4,4]", *SIZES], RESIZED, "2025.0", "IR943", "2026.3"),
        ("ReLU", ["f32[0,3]"], {}, "2023.1", "IR944", "2023.2"),
        ("Slice-8", ["f32[?,3]", [2], [2], [1], [1]], {}, "2023.1", "IR944", "2023.2"),
        ("AvgPool-14", ["f32[1,1,5,5]"], AVERAGED, "2024.0", "IR945", "2024.1"),
        ("Clamp", ["f32[2,3]"], {"min": 0, "max": inf}, "2026.1", "IR945", "2026.2"),
        ("Clamp", ["f32[2,3]"], {"min": -inf, "max": 1}, "2026.1", "IR945", "2026.2"),
        ("Elu", ["f32[2,3]"], {"alpha": inf}, "2026.1", "IR945", "2026.2"),
        ("FakeConvert-13", ["f32[2]", np.float32(1)], TO_F8, "2023.2", "IR941 IR942", "2023.3"),
    ],
    ids=[
        "an element type of a layer", "the type of an input", "a dimension of 0", "an inferred size of 0",
        "a value of an attribute", "infinity, read as 0", "-infinity", "of Elu", "an op and its type",
    ],
)  # fmt: skip
def test_what_a_release_does_not_read_is_reported(op, inputs, attributes, before, code, since):
    model = model_of(op, *inputs, **attributes)
    assert set(codes(model, before)) == set(code.split())
    assert codes(model, since) == []


def test_a_layer_that_no_result_depends_on_is_not_created_and_so_not_refused():
    model = padded()
    pad, parameter = model.layer("subject"), model.layer("x0")
    model.graph.edges[:] = [edge for edge in model.graph.edges if edge.from_layer != pad.id]
    (result,) = (layer for layer in model.layers if layer.type == "Result")
    model.graph.edges.append(irops.ir.model.Edge(parameter.id, parameter.outputs[0].id, result.id, 0))
    assert "IR941" not in codes(model, "2023.0")


def test_constants_whose_elements_are_read_in_another_order_are_reported():
    g = irops.Graph("narrow")
    packed = g.constant(np.array([1, 2], np.int64), element_type="i4")
    g.result(g.parameter("x", "f32[2]") + g.ops.Convert(packed, destination_type="f32"), "y")
    assert codes(g.model(), "2023.1") == ["IR944"]
    assert codes(g.model(), "2023.2") == []


@pytest.mark.parametrize("text", ["2022.1", "newest", "2023", ""])
def test_an_unknown_target_is_refused_with_the_known_ones(text):
    known = r"is no known release of OpenVINO; known are 2023\.0, 2023\.1.*2026\.4"
    with pytest.raises(ValueError, match=known):
        irops.check(padded(), target=text)


def test_the_oldest_release_is_that_of_the_newest_need():
    release, deciding = oldest_release(ModelAnalysis(padded()))
    assert release == "2023.1"
    assert [need.layer.name for need in deciding if need.layer is not None] == ["subject"]


def test_a_model_of_old_ops_is_read_by_all_known_releases():
    assert oldest_release(ModelAnalysis(model_of("ReLU", "f32[2]"))) == (releases().oldest, ())


def test_an_infinite_clip_of_a_recurrent_op_has_the_effect_of_0():
    weights = (np.ones(shape, np.float32) for shape in ((2, 3), (2, 2), (2,)))
    model = model_of("RNNCell", "f32[1,3]", "f32[1,2]", *weights, hidden_size=2, clip=inf)
    assert codes(model, "2023.0") == []


def test_an_op_of_an_opset_that_no_release_has_is_reported(monkeypatch):
    monkeypatch.delitem(releases().opsets, "opset14")
    model = model_of("MaxPool-14", "f32[1,1,4,4]", dilations=[1, 1], **POOLED)
    (finding,) = irops.check(model, target=releases().names[-1])
    assert finding.code == "IR941"
    assert finding.message.endswith("does not read; no release that irops knows does")
    assert oldest_release(analyse(model))[0] == UNRELEASED


def test_the_type_of_an_input_is_the_inferred_one():
    """A Convert to f64 in a model whose ports declare something else, as a program may leave them."""
    g = irops.Graph("resized")
    x = g.ops.Convert(g.parameter("x", "f32[1,1,4,4]"), destination_type="f64", name="wide")
    g.result(g.add("Interpolate-11", x, *SIZES, **RESIZED), "y")
    model = g.model()
    (wide,) = (layer for layer in model.layers if layer.name == "wide")
    wide.outputs[0] = replace(wide.outputs[0], precision="FP32")
    assert "IR943" in codes(model, "2025.0")
    assert "IR943" not in codes(model, "2026.3")


@pytest.mark.parametrize("probe", [*use_probes()], ids=lambda probe: probe.name[1])
def test_a_use_that_older_releases_refuse_is_reported(probe, tmp_path):
    path, table = probe.write(tmp_path), releases()
    since = table.of_feature(probe.name[1])
    assert since != table.oldest
    assert oldest_release(analyse(path))[0] == since
    before = table.names[table.names.index(since) - 1]
    (finding,) = (finding for finding in irops.check(path, target=before) if finding.code == "IR946")
    assert "layer" in finding.message
    assert finding.message.endswith(f"the oldest release that does is {since}")
    assert irops.check(path, target=since).ok


def test_what_releases_read_of_another_dialect_is_not_known(tmp_path):
    pytest.importorskip("onnx")
    model = proto_of([("Relu", ["x"], ["y"])], {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])})
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    (finding,) = irops.check(tmp_path / "m.onnx", target="2024.0")
    assert (finding.code, str(finding.severity)) == ("IR948", "warning")
    assert finding.message == "irops does not know which ONNX models OpenVINO 2024.0 reads"
    assert not irops.check(tmp_path / "m.onnx").diagnostics
    row = irops.survey([tmp_path / "m.onnx"], ["target"], targets=["2024.0"], processes=1)[0]
    assert (row.status, row.details["message"]) == ("unsupported", finding.message)


def warnings(model):
    return [each for each in irops.check(model) if each.code == "IR411"]


def test_a_type_that_is_not_compiled_is_a_warning_that_names_the_release():
    (finding,) = warnings(model_of("ReLU", "f8e4m3[2,3]"))
    assert str(finding.severity) == "warning"
    assert finding.message == (
        'layer 1 "subject" (ReLU) takes f8e4m3 as data; the CPU plug-in of OpenVINO'
        f" {cpu_plugin().release} does not support ReLU-1 of f8e4m3"
    )
    assert "another device may support it" in finding.notes[1]


@pytest.mark.parametrize("element_type", ["f32", "f16", "bf16", "f64", "i64", "i8", "u8"])
def test_types_that_the_plugin_computes_in_or_converts_have_no_warning(element_type):
    assert warnings(model_of("ReLU", f"{element_type}[2,3]")) == []


def test_many_layers_of_one_op_have_one_warning_with_their_number(net):
    layers = (f"relu{k}: ReLU {f'relu{k - 1}' if k else 'x'}" for k in range(500))
    (finding,) = warnings(net("x: f8e5m2[2,3]", *layers, "y: Result relu499"))
    assert finding.message.endswith("does not support ReLU-1 of f8e5m2 (500 layers)")
    assert finding.location.layer_name == "relu0"


def test_a_warning_that_is_of_static_shapes_is_not_given_for_unknown_ones():
    for shape, count in (("1,1,4,4", 1), ("1,1,?,?", 0)):
        model = model_of("AvgPool-14", f"f8e4m3[{shape}]", **POOLED, exclude_pad=False)
        assert len(warnings(model)) == count


def test_a_layer_of_constants_is_computed_before_it_is_compiled():
    for given, count in ((np.array([["a", "b"]], object), 0), ("string[1,2]", 1)):
        assert len(warnings(model_of("Tile", given, np.array([2, 1])))) == count


@pytest.mark.parametrize(
    ("source", "to", "count"), [("nf4", "f16", 0), ("nf4", "i32", 1), ("f8e4m3", "f32", 0), ("u2", "f32", 0)]
)
def test_a_conversion_depends_on_both_types(source, to, count):
    graph = irops.Graph()
    packed = graph.constant(np.zeros((2, 8), np.uint8), element_type=source)
    graph.result(graph.ops.Convert(packed, destination_type=to), "y")
    assert len(warnings(graph.model())) == count


def test_a_layer_that_no_result_depends_on_is_not_compiled(net):
    layers = "x: f8e4m3[2]; unused: ReLU x; wide: Convert x destination_type=f32; y: Result wide"
    assert warnings(net(layers)) == []


def test_a_layer_in_a_body_is_reported_at_its_place():
    graph = irops.Graph()
    x = graph.parameter("x", "f8e4m3[2]")
    then, otherwise = irops.Graph("then"), irops.Graph("otherwise")
    then.result(then.ops.ReLU(then.parameter("inner", "f8e4m3[2]"), name="deep"), "out")
    otherwise.result(otherwise.parameter("inner", "f8e4m3[2]"), "out")
    (y,) = graph.If(graph.parameter("condition", "boolean[]"), then, otherwise, {"inner": x})
    graph.result(y, "y")
    (finding,) = warnings(graph.model())
    assert finding.location.layer_name == "deep"
