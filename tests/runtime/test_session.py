"""Running models: inputs, results, what is kept, limits, backends, and what is reported when they fail."""

from types import SimpleNamespace

import numpy as np
import pytest
from raised import diagnostic_of

import irops
from irops.ir.model import Element
from irops.values.element import element_type, element_type_of, tagged

X = np.arange(6, dtype=np.float32).reshape(2, 3)
AXES = np.array([1], np.int64)


@pytest.fixture
def reverse(net):
    return net(
        "x: f32[?,3]; axes: i64[?]; turned: Reverse x axes mode=index; again: Reverse turned axes mode=index",
        "out: Result turned; back: Result again",
    )


def test_inputs_and_results_are_found_by_name_tensor_name_and_position(reverse):
    result = irops.run(reverse, {"x": X, "axes": AXES})
    assert list(result) == ["turned.0", "again.0"]
    assert np.array_equal(result["out"], X[:, ::-1])
    assert result["turned.0"] is result["out"] is result[0]
    assert np.array_equal(result["back"], X)
    for inputs in ({"x.0": X, 1: AXES}, [X, AXES]):
        assert np.array_equal(irops.run(reverse, inputs)["out"], X[:, ::-1])


@pytest.mark.parametrize(
    ("inputs", "code", "words"),
    [
        ({"x": X}, "IR601", "'axes', i64[?], was given no value"),
        (X, "IR601", "'axes', i64[?], was given no value"),
        ({"x": X, "axes": AXES, "y": X}, "IR602", "no input 'y'; its inputs are 'x', 'axes'"),
        ({"x": X.astype(np.float64), "axes": AXES}, "IR603", "is f64[2,3], must be f32[?,3]"),
        ({"x": X.T, "axes": AXES}, "IR603", "f32[3,2]"),
        ({"x": X.astype(complex), "axes": AXES}, "IR603", "complex"),
        ({"x": X, "axes": AXES + 1}, "IR401", "axis 2 at rank 2"),
    ],
)
def test_what_does_not_fit_is_told(reverse, inputs, code, words):
    with pytest.raises(irops.DiagnosticError) as caught:
        irops.run(reverse, inputs)
    assert caught.value.diagnostics[0].code == code
    assert words in str(caught.value)


def test_a_fault_at_run_time_names_the_layer_and_the_sentence(reverse):
    found = diagnostic_of(irops.run, reverse, [X, AXES + 1])
    assert (found.constraint, found.location.layer_name) == ("Reverse-1:C4", "turned")
    assert "data f32[2,3], axes i64[1]; mode=index" in found.facts


def test_a_backend_without_the_op_is_named(reverse):
    idle = SimpleNamespace(name="doubtful", kernel=lambda op: None)
    found = diagnostic_of(irops.run, reverse, [X, AXES], backends=(idle,))
    assert found.code == "IR604"
    assert "no backend can compute Reverse-1; the backends are doubtful" in found.message


@pytest.mark.parametrize(
    ("arguments", "attributes", "words"),
    [
        ((X, AXES), {"mode": "sideways"}, "mode is 'sideways', must be one of index, mask"),
        ((X, AXES), {}, "Reverse-1 needs mode"),
        ((X, AXES), {"mode": "index", "axis": 1}, "Reverse-1 has no attribute 'axis'"),
        ((X,), {"mode": "index"}, "has 1 input, takes 2"),
        ((X, AXES, AXES), {"mode": "index"}, "has 3 inputs, takes 2"),
        ((X, X), {"mode": "index"}, "does not accept f32 for input 'axes'"),
    ],
)
def test_a_wrong_call_is_told_in_a_sentence(arguments, attributes, words):
    with pytest.raises(irops.EvaluationError) as caught:
        irops.call("Reverse-1", *arguments, **attributes)
    assert words in str(caught.value)


KINDS = "bf16 f8e4m3 f8e5m2 f8e8m0 f4e2m1 i4 u4 u2 u1 u3 u6 nf4 string boolean f64 u64"


@pytest.mark.parametrize("kind", KINDS.split())
def test_every_element_type_is_moved_bit_for_bit(kind):
    element = element_type(kind)
    codes = np.array([[0, 1, 1], [1, 0, 1]], np.uint8)
    array = tagged(codes.astype(element.dtype), element)
    if kind == "string":
        array = np.array([["a", "é", ""], ["b", "c", "d"]], object)
    for result in (
        irops.call("Reverse-1", array, AXES, mode="index"),
        irops.call("ReverseSequence-1", array, np.array([3, 3]), batch_axis=0, seq_axis=1),
    ):
        assert element_type_of(result) is element
        exact = np.ndarray.tolist if kind == "string" else np.ndarray.tobytes
        assert exact(result) == exact(array[:, ::-1])


def test_an_output_that_the_op_does_not_give_is_asked_for_in_vain(net):
    model = net("x: f32[2]", "a: Abs x", "y: Result a:1")
    found = diagnostic_of(irops.run, model, {"x": np.ones(2, np.float32)})
    assert (found.code, found.message[:32]) == ("IR322", 'output 1 of layer 1 "a" (Abs) is')
    assert "is used; its op gives 1 output" in found.message


def test_mean_values_are_not_left_out_without_a_word(reverse):
    reverse.legacy.append(Element("pre-process", {"reference-layer-name": "x"}))
    assert irops.check(reverse).ok
    with pytest.raises(irops.EvaluationError, match="IR617 OpenVINO subtracts the mean values"):
        irops.run(reverse, {"x": X, "axes": AXES})


def test_a_name_alone_is_as_good_as_a_list_of_one(reverse):
    result = irops.run(reverse, [X, AXES], keep="again", backends="reference")
    assert set(result) == {"turned.0", "again.0", "again"}
    assert np.array_equal(irops.call("Reverse-1", X, AXES, mode="index", backends="reference"), X[:, ::-1])
    gradients = irops.vjp(reverse, [X, AXES], {"out": X}, wrt="x", backends="reference")
    assert np.array_equal(gradients["x"], X[:, ::-1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda m: irops.run(m, [X, AXES], keep=["agian"]),
            "there is no layer or tensor 'agian'; did you mean 'again'?",
        ),
        (lambda m: irops.infer(m)["agian"], "there is no layer or tensor 'agian'; did you mean 'again'?"),
        (lambda _: irops.call("Reverse-9", X), "no op is called 'Reverse-9'; did you mean Reverse-1?"),
    ],
)
def test_a_name_that_is_none_is_a_key_error_that_says_so(reverse, wrong, message):
    with pytest.raises(KeyError) as caught:
        wrong(reverse)
    assert caught.value.args == (message,)


@pytest.mark.parametrize("value", [None, {"a": 1}, [1, None]])
def test_what_is_no_number_and_no_string_is_no_tensor(reverse, value):
    match = r"IR603 input 'x' cannot be an array: it has .* which is neither a number nor a string"
    with pytest.raises(irops.EvaluationError, match=match):
        irops.run(reverse, [value, AXES])
    with pytest.raises(ValueError, match="which is neither a number nor a string"):
        irops.call("Reverse-1", [[None]], AXES, mode="index")
