"""Element types that the CPU plug-in does not compile: one warning for each op and type."""

import numpy as np
import pytest

import irops
from irops.spec.releases import cpu_plugin


def warnings(graph):
    return [each for each in irops.check(graph.model()) if each.code == "IR411"]


def rectified(element_type, layers=1, shape="2,3"):
    graph = irops.Graph()
    x = graph.parameter("x", f"{element_type}[{shape}]")
    for number in range(layers):
        x = graph.ops.ReLU(x, name=f"relu{number}")
    graph.result(x, "y")
    return graph


def test_a_type_that_is_not_compiled_is_a_warning_that_names_the_release():
    (finding,) = warnings(rectified("f8e4m3"))
    assert str(finding.severity) == "warning"
    assert finding.message == (
        'layer 1 "relu0" (ReLU) takes f8e4m3 as data; the CPU plug-in of OpenVINO'
        f" {cpu_plugin().release} does not support ReLU-1 of f8e4m3"
    )
    assert "another device may support it" in finding.notes[1]


@pytest.mark.parametrize("element_type", ["f32", "f16", "bf16", "f64", "i64", "i8", "u8"])
def test_types_that_the_plugin_computes_in_or_converts_have_no_warning(element_type):
    assert warnings(rectified(element_type)) == []


def test_many_layers_of_one_op_have_one_warning_with_their_number():
    (finding,) = warnings(rectified("f8e5m2", layers=500))
    assert finding.message.endswith("does not support ReLU-1 of f8e5m2 (500 layers)")
    assert finding.location.layer_name == "relu0"


def test_a_warning_that_is_of_static_shapes_is_not_given_for_unknown_ones():
    for shape, count in (("1,1,4,4", 1), ("1,1,?,?", 0)):
        graph = irops.Graph()
        window = {"strides": (1, 1), "pads_begin": (0, 0), "pads_end": (0, 0), "kernel": (2, 2)}
        x = graph.parameter("x", f"f8e4m3[{shape}]")
        graph.result(graph.add("AvgPool-14", x, **window, exclude_pad=False), "y")
        assert len(warnings(graph)) == count


def test_a_layer_of_constants_is_computed_before_it_is_compiled():
    texts = np.array([["a", "b"]], object)
    for constant in (True, False):
        graph = irops.Graph()
        x = graph.constant(texts) if constant else graph.parameter("x", "string[1,2]")
        graph.result(graph.ops.Tile(x, graph.constant(np.array([2, 1]))), "y")
        assert len(warnings(graph)) == (0 if constant else 1)


@pytest.mark.parametrize(
    ("source", "to", "count"), [("nf4", "f16", 0), ("nf4", "i32", 1), ("f8e4m3", "f32", 0), ("u2", "f32", 0)]
)
def test_a_conversion_depends_on_both_types(source, to, count):
    graph = irops.Graph()
    packed = graph.constant(np.zeros((2, 8), np.uint8), element_type=source)
    graph.result(graph.ops.Convert(packed, destination_type=to), "y")
    assert len(warnings(graph)) == count


def test_a_layer_that_no_result_depends_on_is_not_compiled():
    graph = irops.Graph()
    x = graph.parameter("x", "f8e4m3[2]")
    graph.ops.ReLU(x, name="unused")
    graph.result(graph.ops.Convert(x, destination_type="f32"), "y")
    assert warnings(graph) == []


def test_a_layer_in_a_body_is_reported_at_its_place():
    graph = irops.Graph()
    x = graph.parameter("x", "f8e4m3[2]")
    then, otherwise = irops.Graph("then"), irops.Graph("otherwise")
    then.result(then.ops.ReLU(then.parameter("inner", "f8e4m3[2]"), name="deep"), "out")
    otherwise.result(otherwise.parameter("inner", "f8e4m3[2]"), "out")
    (y,) = graph.If(graph.parameter("condition", "boolean[]"), then, otherwise, {"inner": x})
    graph.result(y, "y")
    (finding,) = warnings(graph)
    assert finding.location.layer_name == "deep"
