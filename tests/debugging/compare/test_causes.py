"""Causes of what OpenVINO's CPU plug-in computes otherwise: named where their condition holds alone."""

import numpy as np
import pytest
from libraries import needs
from tables import table, tensor

import irops
from irops.analysis.model_analysis import analyse
from irops.backends.backend import Reference
from irops.debugging.compare import causes, comparison
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context
from irops.verdicts.question import Arithmetic

CPU = "openvino:CPU,INFERENCE_PRECISION_HINT=f32"


class Wrong:
    """A backend that passes for the plug-in. first: the first element of each result; "" for a failure"""

    name = "openvino"

    def __init__(self, first):
        self.first = first

    def kernel(self, op):
        right = Reference().kernel(op)

        def kernel(*inputs, **attributes):
            found = right(*inputs, **attributes)
            for array in found if isinstance(found, tuple) else [found]:
                np.ravel(array)[:1] = float(self.first)
            return found

        return kernel


def compared(model, data, b, mode=None):
    """A comparison in this process."""
    analysis = analyse(model)
    context = Context(analysis, analysis.signature.arrays([data]))
    return comparison.compared(context, Layerwise(Reference()), b, mode)


@pytest.mark.parametrize(
    ("text", "tensors", "first", "cause"), table(__file__, "a_cause_is_named_where_its_condition_holds")
)
def test_a_cause_is_named_where_its_condition_holds(net, text, tensors, first, cause):
    x, *_ = arrays = [tensor(one) for one in tensors.values()]
    model = net(text, **dict(zip([*tensors][1:], arrays[1:])))
    found = compared(model, x, Layerwise(Wrong(first))).first
    assert (cause in found.cause) if cause else (found.cause == "")
    assert found.is_known is bool(cause)


@needs("openvino")
@pytest.mark.slow("OpenVINO in processes")
@pytest.mark.parametrize("flags", [["avx2"], ["avx2", "vnni"], []])
def test_saturated_sums_are_named_where_the_processor_has_no_vnni(net, monkeypatch, flags):
    if "avx2" not in causes.instructions():
        pytest.skip("another processor sums otherwise")
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    monkeypatch.setattr(causes, "instructions", lambda: flags)
    data, weights = np.full((4, 64), 2.5, np.float32), np.full((8, 64), 1.25, np.float32)
    ends = dict(zip(("low", "high", "least", "most"), np.float32([0, 2.55, -1.27, 1.27])))
    steps = (
        "a: FakeQuantize x low high low high levels=256; b: FakeQuantize w least most least most levels=255"
    )
    model = net(f"x: f32[4,64]; {steps}; r: MatMul a b transpose_b=true; y: Result r", w=weights, **ends)
    cause = irops.compare(model, [data], b=CPU, mode="cuts").first.cause
    assert ("without VNNI" in cause) is (flags == ["avx2"])
    assert cause.endswith("with LP_TRANSFORMS_MODE=NO, no result differs") is (flags == ["avx2"])
    assert "DYNAMIC_QUANTIZATION_GROUP_SIZE" not in cause


@needs("openvino")
@pytest.mark.slow("OpenVINO in processes")
@pytest.mark.parametrize("mode", ["isolated", "propagated", "cuts"])
def test_dynamic_quantization_is_named_where_switching_it_off_ends_the_difference(net, mode):
    if not {"vnni", "amx_int8"}.intersection(causes.instructions()):
        pytest.skip("this processor may not quantize")
    draw = np.random.default_rng(2)
    packed, scale = draw.integers(-127, 127, (64, 256)).astype(np.int8), np.full((64, 1), 0.01, np.float32)
    wide = "half: Convert packed destination_type=f32; wide: Multiply half scale"
    text = f"x: f32[4,256]; {wide}; r: MatMul x wide transpose_b=true; y: Result r"
    model, data = net(text, packed=packed, scale=scale), draw.standard_normal((4, 256)).astype(np.float32)
    for b in (CPU, f"{CPU},DYNAMIC_QUANTIZATION_GROUP_SIZE=0"):
        found = irops.compare(model, [data], b=b, mode=mode)
        assert ("with DYNAMIC_QUANTIZATION_GROUP_SIZE=0, no result differs" in str(found)) is (b == CPU)
        assert found.ok is (b != CPU)


@pytest.mark.parametrize(
    "effect", ["", "with P=1, no result differs", "with P=1, the results differ otherwise"]
)
def test_what_a_property_ends_is_known_only_where_it_changes_something(net, monkeypatch, effect):
    tried = []
    monkeypatch.setattr(comparison, "_effect_of_property", lambda *given: tried.append(given[-1]) or effect)
    model = net("x: f32[1,1]; r: MatMul x x; y: Result r")
    cause = compared(model, np.float32([[3]]), Layerwise(Wrong("10")), "propagated").first.cause
    assert cause.startswith("known of MatMul-1: OpenVINO's CPU plug-in keeps" if effect else "")
    assert cause.endswith(effect)
    assert bool(cause) is bool(effect)
    assert tuple(tried) == causes.SWITCHES[: 1 if effect else None]


class Unsteady(Layerwise):
    """A source whose results differ from run to run, or agree once a property is set."""

    def __init__(self, is_steady, is_set=False):
        super().__init__(Wrong("10"))
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
    found = compared(net("x: f32[2]; r: Tanh x; y: Result r"), np.float32([1, 2]), Unsteady(is_steady))
    assert ("with DYNAMIC_QUANTIZATION_GROUP_SIZE=0, no result differs" in found.notes) is is_steady


class Narrow(Unsteady):
    """It computes i64 in i32 beside, which it does with each property."""

    is_whole = True

    def compute(self, calls):
        answers = Layerwise(Reference()).compute(calls)
        return [[a.clip(-(2**31), 2**31 - 1) if a.dtype == np.int64 else a for a in each] for each in answers]


def test_an_overflow_is_no_fault_where_a_property_ends_the_difference_of_results(net):
    source = Narrow(is_steady=True)
    source.arithmetic = Arithmetic(converted=(("i64", "i32"),))
    text = "x: f32[2]; whole: Convert x destination_type=i64; kept: Maximum whole zero; real: Convert kept"
    model = net(f"{text} destination_type=f32; r: Multiply real x; y: Result r", zero=np.int64(0))
    found = compared(model, np.float32([-1e12, 2]), source, "isolated")
    assert [str(layer.verdict) for layer in found.layers if layer.op == "Convert-1"] == ["masked", "equal"]
    assert found.first is None
    assert not found.ok
