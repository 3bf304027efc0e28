"""Constants of narrow types are combined in f32; shapes that inference excludes are refused."""

import numpy as np
import pytest

import irops
from irops.analysis.model_analysis import analyse
from irops.diagnostics.diagnostic import EvaluationError
from irops.runtime.plan import constants_of, rounded, wide, wide_types
from irops.values.element import F32, element_type
from irops.values.fact import Fact

TENTH, THIRD = np.float16(0.1), np.float16(0.3333)


def chain(net, *ends):
    return net("product: Multiply a b", *ends, a=np.array([TENTH]), b=np.array([THIRD]))


def test_a_product_of_constants_is_not_rounded_before_it_is_converted(net):
    model = chain(net, "wide: Convert product destination_type=f32", "out: Result wide")
    assert irops.run(model)["out"].tolist() == [float(np.float32(TENTH) * np.float32(THIRD))]


def test_it_is_rounded_where_it_is_given(net):
    model = chain(net, "out: Result product")
    result = irops.run(model, keep=["product"])
    assert result["out"].dtype == result["product"].dtype == np.float16
    assert result["out"].tolist() == [float(TENTH * THIRD)]


def test_what_depends_on_an_input_is_rounded_at_every_layer(net):
    model = net(
        "a: f16[1]; b: f16[1]; product: Multiply a b; wide: Convert product destination_type=f32",
        "out: Result wide",
    )
    assert irops.run(model, [np.array([TENTH]), np.array([THIRD])])["out"].tolist() == [float(TENTH * THIRD)]


def test_only_tensors_of_narrow_floats_are_widened():
    bf16, f8 = element_type("bf16").dtype, element_type("f8e5m2").dtype
    assert wide(None) is None
    for dtype in (np.int16, np.uint16, np.float32, np.float64, np.int8, bool, f8, object):
        array = np.ones(1, dtype)
        assert wide(array) is array
    for dtype in (np.float16, bf16):
        array = wide(np.ones(1, dtype))
        assert (array.dtype, array.tolist()) == (np.float32, [1])


def test_only_f32_is_rounded_and_only_to_narrow_types():
    array, f16 = np.ones(1, np.float32), element_type("f16")
    assert rounded(array, Fact(f16)).dtype == np.float16
    assert rounded(array, Fact(element_type("bf16"))).dtype == element_type("bf16").dtype
    for fact in (None, Fact(F32), Fact(element_type("i16"))):
        assert rounded(array, fact) is array
    double = np.ones(1)
    assert rounded(double, Fact(f16)) is double


def test_only_narrow_types_among_attributes_become_f32():
    f16, i64 = element_type("f16"), element_type("i64")
    attributes = {"to": f16, "of": i64, "name": "f16", "n": 1}
    assert wide_types(attributes) == {"to": F32, "of": i64, "name": "f16", "n": 1}


def test_weights_are_constants_that_lead_to_nothing_but_the_product_of_matrices(net):
    model = net(
        "x: f16[1,1]; weight: Convert c destination_type=f16; scaled: Multiply weight weight",
        "product: MatMul x scaled; both: Convert d destination_type=f16; second: MatMul product both",
        "sum: Add second both; folded: MatMul both both; y: Result sum; z: Result folded",
        **dict.fromkeys(("c", "d", "unused"), np.int8([[1]])),
    )
    analysis = analyse(model)
    found = constants_of(analysis.root)
    names = {layer.id: layer.name for layer in model.layers}
    constant = {"c", "weight", "scaled", "d", "both", "unused", "folded"}
    assert {names[number] for number in found.layers} == constant
    assert {names[number] for number in found.weights} == {"c", "weight", "scaled"}
    session = irops.Session(analysis)
    plan = session.evaluator.plan(analysis.root, {0: np.ones((1, 1), np.float16)})
    types = {step.layer.name: step.invocation.attributes.get("destination_type") for step in plan.steps}
    assert (str(types["weight"]), str(types["both"])) == ("f32", "f16")


def squeezed(net, shape, version="opset1"):
    """A Squeeze of axis 0 of an f32 input."""
    return net(
        f"x: f32[{shape}]", f"squeeze: Squeeze-{version} x axes", "y: Result squeeze", axes=np.array([0])
    )


def refusal(model, *inputs):
    with pytest.raises(EvaluationError) as error:
        irops.run(model, inputs)
    (finding,) = error.value.diagnostics
    return finding


@pytest.mark.parametrize("version", ["opset1", "opset15"])
@pytest.mark.parametrize("shape", ["1..2", "?"])
def test_a_run_never_gives_a_shape_that_inference_excludes(net, shape, version):
    model = squeezed(net, shape, version=version)
    assert str(irops.infer(model)["squeeze", 0].shape) == "[]"
    assert irops.run(model, [np.ones(1, np.float32)])["y"].shape == ()
    finding = refusal(model, np.ones(2, np.float32))
    assert finding.code == "IR618"
    assert finding.location.layer_name == "squeeze"
    assert "has shape [2] in this run, inferred is []" in finding.message


def test_an_axis_whose_size_is_known_is_kept(net):
    assert irops.run(squeezed(net, "2"), [np.ones(2, np.float32)])["y"].shape == (2,)


def test_sizes_that_only_a_run_shows_are_compared_too(net):
    model = net(
        "x: f32[3]; places: NonZero-opset3 x output_type=i64; squeeze: Squeeze places one; y: Result squeeze",
        one=np.array([1]),
    )
    assert irops.run(model, [np.array([0, 1, 0], np.float32)])["y"].tolist() == [1]
    assert refusal(model, np.ones(3, np.float32)).code == "IR618"
