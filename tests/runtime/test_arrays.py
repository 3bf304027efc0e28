"""Sizes and shapes that arrays can have: required of outputs, and refused where they would be computed or
where inference excludes them. Constants of narrow types are combined in f32.
"""

import numpy as np
import pytest
from entry_points import call

import irops
from irops.analysis.invocation import OpFault
from irops.analysis.model_analysis import analyse
from irops.analysis.synthetic import synthetic_inputs
from irops.diagnostics.diagnostic import EvaluationError
from irops.dialects.registry import default_registry
from irops.runtime.plan import check_possible, constants_of, rounded, wide, wide_types
from irops.values.dim import ANY, MAX_DIM, Dim
from irops.values.element import DYNAMIC, F32, I64, element_type
from irops.values.fact import Fact, size_in_bytes
from irops.values.shape import MAX_AXES, Shape

ABS = default_registry().op("Abs-1")


@pytest.mark.parametrize(
    ("facts", "size"),
    [
        ([], 0),
        ([Fact(F32, Shape([2, 3]))], 24),
        ([Fact(F32, Shape([2, 3])), Fact(I64, Shape([]))], 32),
        ([Fact(F32, Shape([Dim(2, 5)]))], 8),
        ([Fact(F32, Shape([ANY, 3]))], 0),
        ([Fact(DYNAMIC, Shape([2]))], 0),
        ([Fact(element_type("i4"), Shape([5]))], 5),
    ],
)
def test_the_size_is_that_of_the_smallest_tensors_possible(facts, size):
    assert size_in_bytes(facts) == size


def test_arrays_have_64_axes_at_most():
    check_possible(ABS, [Fact(F32, Shape([1] * MAX_AXES))])
    with pytest.raises(OpFault) as caught:
        check_possible(ABS, [Fact(F32, Shape([1] * (MAX_AXES + 1)))])
    assert caught.value.rule == "unsupported-array"
    assert "a tensor of 65 axes; arrays have 64 at most" in caught.value.message


@pytest.mark.parametrize(
    ("kind", "dims", "possible"),
    [
        ("i8", [MAX_DIM], True),
        ("i8", [MAX_DIM, 2], False),
        ("i16", [MAX_DIM // 2], True),
        ("i16", [MAX_DIM // 2 + 1], False),
        ("i8", [MAX_DIM, 2, 0], False),
        ("i8", [MAX_DIM, 1, 0], True),
        ("dynamic", [MAX_DIM, 2], True),
    ],
)
def test_arrays_have_as_many_bytes_as_63_bits_count_at_most(kind, dims, possible):
    facts = [Fact(F32, Shape([1])), Fact(element_type(kind), Shape(dims))]
    if possible:
        check_possible(ABS, facts)
    else:
        with pytest.raises(OpFault, match="no array has such sizes"):
            check_possible(ABS, facts)


def test_an_empty_array_that_numpy_refuses_is_refused_before():
    with pytest.raises(ValueError, match="maximum"):
        np.empty((MAX_DIM, 2, 0), np.int8)


MANY = ",".join(["1"] * 65)
CONSTANT = ("many", "Const", {"shape": MANY, "element_type": "i64", "offset": 0, "size": 8}, [])


@pytest.mark.parametrize("many", [CONSTANT, f"many: i64[{MANY}]"], ids=["of a constant", "of an input"])
def test_a_size_is_sought_in_a_tensor_of_many_axes_in_vain(net, many):
    size, view = (f"Reshape {sources} special_zero=false" for sources in ("many one", "x size"))
    layers = f"x: f32[3]; size: {size}; view: {view}; y: Result view"
    model = net(layers, many, weights=np.int64([1]).tobytes(), one=np.int64([1]))
    assert list(irops.check(model)) == []
    assert str(irops.infer(model)["view", 0].shape) == "[3]"


@pytest.mark.parametrize(
    ("layers", "inputs"),
    [
        ([CONSTANT, "y: Result many"], []),
        (["x: f32[1]; view: Reshape x to special_zero=false; y: Result view"], [np.float32([1])]),
    ],
)
def test_they_cannot_be_computed(net, layers, inputs):
    model = net(*layers, weights=np.int64([1]).tobytes(), to=np.ones(65, np.int64))
    assert irops.check(model).ok
    with pytest.raises(irops.DiagnosticError, match=r"IR616 .* a tensor of 65 axes; arrays have 64 at most"):
        irops.run(model, inputs)


def test_they_cannot_be_made_up(net):
    model = net(f"x: f32[{MANY}]; y: Result x")
    with pytest.raises(irops.DiagnosticError, match=r"IR611 .* which cannot be made here"):
        synthetic_inputs(analyse(model), "random")


def test_sizes_beside_one_of_none_may_be_too_great_for_an_array(net):
    sizes = np.int64([2**32, 2**32, 0])
    model = net("x: f32[0]", "wide: Broadcast x to mode=numpy", "y: Result wide", to=sizes)
    assert irops.check(model).ok
    message = r"IR616 Broadcast-1 gives f32\[4294967296,4294967296,0\]; no array has such sizes"
    with pytest.raises(irops.EvaluationError, match=message):
        irops.run(model, {"x": np.float32([])})
    with pytest.raises(irops.EvaluationError, match=message):
        irops.call("Broadcast-1", np.float32([]), sizes, mode="numpy")


X = np.array([0.5, -0.25, 1, 0.75], np.float32)
MANY_AXES = [
    ("ErfInv-17", [X], {}),
    ("FakeQuantize-1", [X, X[:1], X[2:3], X[:1], X[2:3]], {"levels": 5}),
    ("FakeConvert-13", [X, X[:1]], {"destination_type": "f8e4m3"}),
    ("TopK-11", [X, np.array(2)], {"axis": -1, "mode": "max", "sort": "index"}),
    ("GatherElements-6", [X, np.array([3, 0])], {"axis": -1}),
    ("SearchSorted-15", [np.sort(X), X], {}),
    ("ShuffleChannels-1", [X], {"axis": -1, "group": 2}),
    ("Concat-1", [np.array(["a", "b"]), np.array(["c"])], {"axis": -1}),
    ("onnx:Cast-13", [X], {"to": "string"}),
]


@pytest.mark.parametrize("axes", [33, 64])
@pytest.mark.parametrize(
    ("op", "inputs", "attributes"), MANY_AXES, ids=lambda item: item if isinstance(item, str) else ""
)
def test_tensors_have_as_many_axes_as_arrays(op, inputs, attributes, axes):
    deep = [array.reshape((1,) * (axes - 1) + (-1,)) if array.ndim else array for array in inputs]
    results = (irops.call(op, *arrays, backends="reference", **attributes) for arrays in (inputs, deep))
    flat, found = (result if isinstance(result, tuple) else (result,) for result in results)
    assert [array.ravel().tolist() for array in found] == [array.tolist() for array in flat]
    assert {array.ndim for array in found} == {axes}


def test_the_table_of_results_takes_them(tmp_path):
    graph = irops.Graph()
    graph.result(graph.ops.Abs(graph.parameter("x", "f32", (1,) * 63 + (9,))), "y")
    irops.write(graph, tmp_path / "m.xml")
    status, out, err = call("run", tmp_path / "m.xml", "--fill", "ones")
    assert (status, ",1,9]" in out, err) == (0, True, "")


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


def test_a_shape_that_is_a_value_is_held_to_the_constraint_of_the_op(net):
    model = net("x: f32[2,4]; to: i64[2]; wide: Broadcast x to mode=numpy; y: Result wide")
    with pytest.raises(irops.EvaluationError, match=r"IR401 Broadcast-1 requires: each size .* got \[2,4\]"):
        irops.run(model, [np.zeros((2, 4), np.float32), np.array([3, 5])])
