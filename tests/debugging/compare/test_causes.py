"""Causes of what OpenVINO's CPU plug-in computes otherwise: named where their condition holds alone."""

import numpy as np
import pytest
from libraries import needs

import irops
from irops.analysis.model_analysis import analyse
from irops.backends.backend import Reference
from irops.debugging.compare import causes, comparison
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context

CPU = "openvino:CPU,INFERENCE_PRECISION_HINT=f32"
RESIZE = "Interpolate-opset11 x size axes mode=bicubic_pillow shape_calculation_mode=sizes cube_coeff="


class Wrong:
    """A backend that passes for the plug-in, with a wrong first element."""

    name = "openvino"

    def __init__(self, change):
        self.change = change

    def kernel(self, op):
        right = Reference().kernel(op)

        def kernel(*inputs, **attributes):
            found = np.array(right(*inputs, **attributes))
            found.ravel()[0] = self.change(found.ravel()[0])
            return found

        return kernel


def other(value):
    return value + value.dtype.type(3)


def number(value):
    return value.dtype.type(0)


def greatest(value):
    return np.iinfo(value.dtype).max


def failing(value):
    raise RuntimeError("no such kernel")


@pytest.mark.parametrize(
    ("text", "inputs", "change", "cause"),
    [
        ("x: f32[2]; r: ReLU x; y: Result r", [np.float32([np.nan, 1])], number, "the CPU plug-in returns 0"),
        ("x: f32[2]; r: ReLU x; y: Result r", [np.float32([2, 1])], other, ""),
        ("x: f32[2]; r: ReLU x; y: Result r", [np.float32([np.nan, 1])], failing, ""),
        ("x: u8[1]; r: Multiply x x; y: Result r", [np.uint8([100])], greatest, "saturates i8 and u8"),
        ("x: u8[1]; r: Multiply x x; y: Result r", [np.uint8([3])], other, ""),
        ("x: f32[1]; r: Multiply x x; y: Result r", [np.float32([3])], other, ""),
        ("x: f32[1,1]; r: MatMul x x; y: Result r", [np.float32([[3]])], other, ""),
        ("x: f32[1]; r: Greater x x; y: Result r", [np.float32([3])], np.logical_not, ""),
        ("x: i32[2]; r: Divide x x; y: Result r", [np.int32([-3, 1])], other, "always rounds toward zero"),
        ("x: i32[2]; r: Divide x x; y: Result r", [np.int32([3, 1])], other, ""),
    ],
)
def test_a_cause_is_named_where_its_condition_holds(net, text, inputs, change, cause):
    found = irops.compare(net(text), inputs, b=Wrong(change)).first
    assert (cause in found.cause) if cause else (found.cause == "")
    assert found.is_known is bool(cause)


@pytest.mark.parametrize(("coefficient", "is_named"), [(-0.75, True), (-0.5, False)])
def test_the_cause_depends_on_an_attribute(net, coefficient, is_named):
    text = f"x: f32[1,1,4,4]; r: {RESIZE}{coefficient}; y: Result r"
    model = net(text, size=np.int64([2, 2]), axes=np.int64([2, 3]))
    found = irops.compare(model, [np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)], b=Wrong(other)).first
    assert ("cube_coeff" in found.cause) is is_named


@pytest.fixture
def quantized(net):
    """A MatMul between FakeQuantize layers, as its input, with sums that exceed 16 bits."""
    draw = np.random.default_rng(1)
    steps = {
        "low": np.float32(0),
        "high": np.float32(2.55),
        "least": np.float32(-1.27),
        "most": np.float32(1.27),
    }
    weights = draw.uniform(0.9, 1.27, (8, 64)).astype(np.float32)
    text = (
        "x: f32[4,64]; a: FakeQuantize x low high low high levels=256; "
        "b: FakeQuantize w least most least most levels=255; r: MatMul a b transpose_b=true; y: Result r"
    )
    return net(text, w=weights, **steps), [draw.uniform(2, 2.55, (4, 64)).astype(np.float32)]


@needs("openvino")
@pytest.mark.slow("OpenVINO in processes")
@pytest.mark.parametrize("instructions", [["avx2"], ["avx2", "vnni"], []])
def test_saturated_sums_are_named_where_the_processor_has_no_vnni(quantized, monkeypatch, instructions):
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    monkeypatch.setattr(causes, "instructions", lambda: instructions)
    found = irops.compare(*quantized, b=CPU, mode="cuts").first
    is_named = instructions == ["avx2"]
    assert ("without VNNI" in found.cause) is is_named
    assert found.cause.endswith("with LP_TRANSFORMS_MODE=NO, no result differs") is is_named
    assert "DYNAMIC_QUANTIZATION_GROUP_SIZE" not in found.cause


@needs("openvino")
@pytest.mark.slow("OpenVINO in processes")
@pytest.mark.parametrize("mode", ["isolated", "propagated", "cuts"])
def test_dynamic_quantization_is_named_where_switching_it_off_ends_the_difference(net, mode):
    if not {"vnni", "amx_int8"}.intersection(causes.instructions()):
        pytest.skip("this processor may not quantize")
    draw = np.random.default_rng(2)
    packed = draw.integers(-127, 127, (64, 256)).astype(np.int8)
    scale = draw.uniform(0.01, 0.02, (64, 1)).astype(np.float32)
    wide = "half: Convert packed destination_type=f32; wide: Multiply half scale"
    model = net(
        f"x: f32[4,256]; {wide}; r: MatMul x wide transpose_b=true; y: Result r", packed=packed, scale=scale
    )
    data = draw.standard_normal((4, 256)).astype(np.float32)
    for b in (CPU, f"{CPU},DYNAMIC_QUANTIZATION_GROUP_SIZE=0"):
        found = irops.compare(model, [data], b=b, mode=mode)
        ended = "with DYNAMIC_QUANTIZATION_GROUP_SIZE=0, no result differs"
        assert (ended in str(found)) is (b == CPU)
        assert found.ok is (b != CPU)


@pytest.mark.parametrize(
    ("effect", "text"),
    [
        ("", ""),
        ("with P=1, no result differs", "known of MatMul-1: OpenVINO's CPU plug-in keeps"),
        ("with P=1, the results differ otherwise", "the results differ otherwise"),
    ],
)
def test_what_a_property_ends_is_known_only_where_it_changes_something(net, monkeypatch, effect, text):
    tried = []
    monkeypatch.setattr(comparison, "_effect_of_property", lambda *given: tried.append(given[-1]) or effect)
    model, data = net("x: f32[1,1]; r: MatMul x x; y: Result r"), [np.float32([[3]])]
    found = irops.compare(model, data, b=Wrong(other), mode="propagated")
    assert (text in found.first.cause) if text else (found.first.cause == "")
    assert found.first.cause.endswith(effect)
    assert tuple(tried) == causes.SWITCHES[: 1 if text else None]


class Unsteady(Layerwise):
    """A source whose results differ from run to run, or agree once a property is set."""

    def __init__(self, is_steady, is_set=False):
        super().__init__(Wrong(other))
        self.is_steady, self.is_set, self.runs = is_steady, is_set, 0

    def with_property(self, name, value):
        return Unsteady(self.is_steady, is_set=True)

    def results(self, context):
        self.runs += 1
        right = Layerwise(Reference()).results(context)
        change = 0 if self.is_set else 3 + (0 if self.is_steady else self.runs)
        return {name: array + np.float32(change) for name, array in right.items()}


@pytest.mark.parametrize("is_steady", [True, False])
def test_a_property_explains_nothing_where_each_run_differs(net, is_steady):
    model, data = net("x: f32[2]; r: Tanh x; y: Result r"), [np.float32([1, 2])]
    context = Context(analyse(model), analyse(model).signature.arrays(data))
    found = comparison.compared(context, Layerwise(Reference()), Unsteady(is_steady))
    assert ("with DYNAMIC_QUANTIZATION_GROUP_SIZE=0, no result differs" in found.notes) is is_steady
