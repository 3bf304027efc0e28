"""The gradients of ops: against finite differences, type by type, as transposes, in random graphs."""

import inspect

import numpy as np
import pytest
from differentiable import CASES, IN_ONNX
from hypothesis import given, settings, strategies as st

import irops
from irops.dialects.registry import default_registry
from irops.values.element import element_type

SMOOTH = [case for case in CASES if case.op != "Convert-1"] + IN_ONNX
WIDTH = {"f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}


def cotangents_for(results):
    rng = np.random.default_rng(3)
    return {name: rng.uniform(0.5, 2, array.shape).astype(array.dtype) for name, array in results.items()}


def inputs_of(case, kind="f64"):
    dtype = element_type(kind).dtype
    return {
        f"i{k}": array.astype(dtype) if array.dtype == np.float64 else array
        for k, array in enumerate(case.inputs)
    }


def inner(a, b):
    return sum(float(np.vdot(a[name].astype(np.float64), b[name].astype(np.float64))) for name in a)


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_a_gradient_is_the_slope_of_the_function(case, net):
    model, inputs = net(*case.layers()), inputs_of(case)
    session = irops.Session(model)
    cotangents = cotangents_for(session.run(inputs))
    found = irops.vjp(model, inputs, cotangents)
    floats = {name for name, array in inputs.items() if array.dtype == np.float64}
    assert set(found) == floats
    step = 1e-6
    for name in floats:
        slopes = np.zeros_like(inputs[name])
        for place in np.ndindex(slopes.shape):
            sides = []
            for way in (step, -step):
                moved = np.array(inputs[name])
                moved[place] += way
                sides.append(inner(cotangents, session.run({**inputs, name: moved})))
            slopes[place] = (sides[0] - sides[1]) / (2 * step)
        assert found[name].dtype == np.float64
        np.testing.assert_allclose(found[name], slopes, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", WIDTH)
@pytest.mark.parametrize("case", [case for case in SMOOTH if case not in IN_ONNX], ids=str)
def test_a_gradient_in_a_narrower_type_is_that_of_f64_rounded(case, kind, net):
    inputs = inputs_of(case, kind)
    model, wide_model = net(*case.layers(kind)), net(*case.layers())
    cotangents = cotangents_for(irops.run(model, inputs))
    found = irops.vjp(model, inputs, cotangents)
    wide = {
        name: array.astype(np.float64) if element_type(kind).dtype == array.dtype else array
        for name, array in inputs.items()
    }
    exact = irops.vjp(
        wide_model, wide, {name: array.astype(np.float64) for name, array in cotangents.items()}
    )
    assert set(found) == set(exact)
    for name, array in found.items():
        assert array.dtype == element_type(kind).dtype
        bound = 8 * WIDTH[kind]
        np.testing.assert_allclose(array.astype(np.float64), exact[name], rtol=bound, atol=bound)


@pytest.mark.parametrize("case", [case for case in CASES + IN_ONNX if case.linear], ids=str)
def test_the_gradient_of_what_is_linear_is_its_transpose(case, net):
    """<dY, Y(X)> = <dX, X>"""
    model, inputs = net(*case.layers()), inputs_of(case)
    cotangents = cotangents_for(irops.run(model, inputs))
    found = irops.vjp(model, inputs, cotangents)
    narrow = any(array.dtype == np.float32 for array in (*found.values(), *found.results.values()))
    backward = inner(found, {name: inputs[name] for name in found})
    assert inner(cotangents, found.results) == pytest.approx(backward, rel=1e-6 if narrow else 1e-12)


def test_every_op_that_states_a_gradient_is_tried():
    registry = default_registry()
    stated = {op for op in registry.ids() if registry.op(op).definition.gradients}
    assert stated == {case.op for case in CASES} | {"Result-1"}


def test_an_op_of_onnx_has_the_gradients_of_the_op_that_it_shares():
    registry = default_registry()
    stated = {op for op in registry.ids("onnx") if registry.op(op).definition.gradients} - {"onnx:Result-1"}
    assert stated == {registry.op(case.op).definition.file_id for case in IN_ONNX}
    for op in registry.ids("onnx"):
        same = registry.op(op).definition.same_as
        assert same is None or bool(registry.op(op).definition.gradients) == bool(
            registry.op(same).definition.gradients
        ), op


@pytest.mark.parametrize("source", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("to", ["f16", "bf16", "f32", "f64"])
def test_a_conversion_between_floats_converts_the_gradient_back(source, to, net):
    model = net(f"x: {source}[3]; op: Convert x destination_type={to}; y: Result op")
    x = np.array([0.1, 2, -3]).astype(element_type(source).dtype)
    dy = np.array([1 / 3, 1e4, 3e-6]).astype(element_type(to).dtype)
    found = irops.vjp(model, [x], [dy])["x"]
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, dy.astype(x.dtype))


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("case", [case for case in CASES if case.op.startswith("Reverse")], ids=str)
def test_going_back_twice_is_going_nowhere_bit_by_bit(case, kind, net):
    model, inputs = net(*case.layers(kind)), inputs_of(case, kind)
    width = element_type(kind).bits // 8
    dy = (
        np.random.default_rng(1)
        .integers(0, 256, (case.inputs[0].size, width), np.uint8)
        .view(inputs["i0"].dtype)
        .reshape(case.inputs[0].shape)
    )
    once = irops.vjp(model, inputs, [dy])["i0"]
    assert irops.vjp(model, inputs, [once])["i0"].tobytes() == dy.tobytes()


def test_the_gradient_at_a_kink_is_0_and_what_is_stopped_is_not_multiplied(net):
    model = net("x: f32[4]", "op: ReLU x", "y: Result op")
    found = irops.vjp(
        model, [np.array([0, -1, 2, np.nan], np.float32)], [np.array([5, np.inf, np.inf, 7], np.float32)]
    )
    np.testing.assert_array_equal(found["x"], np.array([0, 0, np.inf, 0], np.float32))


@pytest.mark.parametrize("op_id", sorted({case.op for case in CASES}))
def test_a_gradient_lies_beside_its_kernel(op_id):
    """In the module that is imported for the op: any other may not have been."""
    op = default_registry().op(op_id)
    assert {inspect.unwrap(function).__module__ for function in op.functions.gradients.values()} == {
        op.module
    }


ONE = ("Tanh", "Sigmoid", "Exp", "ReverseSequence", "Reverse", "SoftMax-opset8")
TWO = ("Add", "Subtract", "Multiply")
SHAPE = (3, 4)
DATA = {
    "ReverseSequence": {"batch_axis": 0, "seq_axis": 1},
    "Reverse": {"mode": "index"},
    "SoftMax-opset8": {"axis": 1},
}


@st.composite
def graphs(draw):
    """Layers on x, w and lengths, each taking any that stand before it; the last few are results."""
    layers, values = ["x: f64[3,4]; w: f64[1,4]; lengths: i64[3]; axes: i64[1]"], ["x"]
    for number in range(draw(st.integers(1, 9))):
        name = f"l{number}"
        first = draw(st.sampled_from(values))
        if draw(st.booleans()):
            kind, sources = draw(st.sampled_from(TWO)), [first, draw(st.sampled_from([*values, "w"]))]
        else:
            kind = draw(st.sampled_from(ONE))
            sources = [first, *{"ReverseSequence": ["lengths"], "Reverse": ["axes"]}.get(kind, [])]
        layers.append((name, kind, DATA.get(kind, {}), sources))
        values.append(name)
    ends = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    return [*layers, *((f"y{k}", "Result", {}, [end]) for k, end in enumerate(ends))]


def test_a_gradient_is_the_slope_in_any_direction(net):
    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(graphs(), st.integers(0, 99))
    def law(layers, seed):
        rng = np.random.default_rng(seed)
        session = irops.Session(net(*layers))
        inputs = {
            "x": rng.normal(0, 0.3, SHAPE),
            "w": rng.normal(0, 0.3, (1, 4)),
            "lengths": rng.integers(0, 5, 3),
            "axes": rng.integers(0, 2, 1),
        }
        directions = {"x": rng.normal(size=SHAPE), "w": rng.normal(size=(1, 4))}
        cotangents = {name: rng.normal(size=SHAPE) for name in session.run(inputs)}
        found = irops.vjp(session.model, inputs, cotangents)
        step, sides = 1e-5, []
        for way in (step, -step):
            moved = session.run(
                {**inputs, **{name: inputs[name] + way * d for name, d in directions.items()}}
            )
            sides.append(sum(float(np.vdot(dy, moved[name])) for name, dy in cotangents.items()))
        slope = sum(float(np.vdot(found[name], d)) for name, d in directions.items() if name in found)
        np.testing.assert_allclose(slope, (sides[0] - sides[1]) / (2 * step), rtol=1e-5, atol=1e-6)

    law()
