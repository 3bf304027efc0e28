"""Running models: inputs, results, what is kept, limits, backends, and what is reported when they fail."""

import numpy as np
import pytest

import irops
from irops.files.limits import Limits
from irops.ir.model import Element

X = np.arange(6, dtype=np.float32).reshape(2, 3)
AXES = np.array([1], np.int64)


@pytest.fixture
def reverse(net):
    return net(
        ("x", "Parameter", {"shape": "?,3", "element_type": "f32"}, []),
        ("axes", "Parameter", {"shape": "?", "element_type": "i64"}, []),
        ("turned", "Reverse", {"mode": "index"}, ["x", "axes"]),
        ("again", "Reverse", {"mode": "index"}, ["turned", "axes"]),
        ("out", "Result", {}, ["turned"]),
        ("back", "Result", {}, ["again"]),
    )


def test_results_are_found_by_name_tensor_name_and_position(reverse):
    result = irops.run(reverse, {"x": X, "axes": AXES})
    assert list(result) == ["out", "back"]
    assert np.array_equal(result["out"], X[:, ::-1])
    assert result["turned.0"] is result["out"] is result[0]
    assert np.array_equal(result["back"], X)


def test_inputs_are_known_by_tensor_name_and_position(reverse):
    for inputs in ({"x.0": X, 1: AXES}, [X, AXES]):
        assert np.array_equal(irops.run(reverse, inputs)["out"], X[:, ::-1])


def test_what_is_kept_is_given(reverse):
    assert set(irops.run(reverse, [X, AXES], keep=["again"])) == {"out", "back", "again"}
    assert set(irops.run(reverse, [X, AXES], keep="all")) == {"x", "axes", "turned", "again", "out", "back"}


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
    with pytest.raises(irops.EvaluationError) as caught:
        irops.run(reverse, [X, AXES + 1])
    found = caught.value.diagnostics[0]
    assert (found.constraint, found.location.layer_name) == ("Reverse-1:C4", "turned")
    assert "data f32[2,3], axes i64[1]; mode=index" in found.facts


def test_the_limit_on_bytes_is_told_by_name(reverse):
    with pytest.raises(
        irops.EvaluationError, match=r"IR605 would hold 56 bytes, the limit is 55 \(tensor_bytes\)"
    ):
        irops.run(reverse, [X, AXES], limits=Limits(tensor_bytes=55))
    irops.run(reverse, [X, AXES], limits=Limits(tensor_bytes=56))


def test_progress_is_told_layer_by_layer(reverse):
    seen = []
    irops.run(reverse, [X, AXES], progress=lambda done, total, layer: seen.append((done, total, layer.name)))
    assert [s[0] for s in seen] == list(range(1, 7))
    assert {s[1] for s in seen} == {6}


class Doubtful:
    """A backend whose Reverse is wrong."""

    name = "doubtful"

    def __init__(self, kernel):
        self._kernel = kernel

    def kernel(self, op):
        return self._kernel if op.id == "Reverse-1" else None


def test_the_first_backend_that_can_computes(reverse):
    doubtful = Doubtful(lambda data, axes, mode: data * 2)
    assert np.array_equal(irops.run(reverse, [X, AXES], backends=(doubtful, "reference"))["out"], X * 2)


def test_a_backend_is_held_to_the_reference_when_asked(reverse):
    with pytest.raises(
        irops.EvaluationError,
        match=r"IR608 output 0 of Reverse-1 by backend doubtful differs from the reference: 6 of 6",
    ):
        irops.run(
            reverse,
            [X, AXES],
            backends=(Doubtful(lambda data, axes, mode: data * 2 + 1), "reference"),
            verify=True,
        )


@pytest.mark.parametrize(
    "kernel", [lambda data, axes, mode: data.astype(np.float64), lambda data, axes, mode: data[:1]]
)
def test_a_result_of_another_type_or_shape_is_never_taken(reverse, kernel):
    with pytest.raises(irops.EvaluationError, match="IR608 the kernel of Reverse-1 gives"):
        irops.run(reverse, [X, AXES], backends=(Doubtful(kernel), "reference"))


def test_a_kernel_that_fails_is_told_as_such(reverse):
    def broken(data, axes, mode):
        raise RuntimeError("no device")

    with pytest.raises(
        irops.EvaluationError,
        match="IR607 the kernel of Reverse-1 of backend doubtful failed: RuntimeError: no device",
    ):
        irops.run(reverse, [X, AXES], backends=(Doubtful(broken),))


def test_a_backend_without_the_op_is_named(reverse):
    with pytest.raises(
        irops.EvaluationError, match="IR604 no backend can compute Reverse-1; the backends are doubtful"
    ):
        irops.run(reverse, [X, AXES], backends=(Doubtful(None),))


def test_a_backend_of_no_name_is_told():
    with pytest.raises(
        irops.DiagnosticError, match="IR610 unknown backend 'fast'; expected one of reference"
    ):
        irops.call("Reverse-1", X, AXES, mode="index", backends=("fast",))


def test_an_op_is_called_with_python_values():
    lengths = np.array([2, 3], np.int64)
    assert irops.call("ReverseSequence-1", X, lengths, batch_axis=0, seq_axis=-1).tolist() == [
        [1, 0, 2],
        [5, 4, 3],
    ]


@pytest.mark.parametrize(
    ("arguments", "attributes", "words"),
    [
        ((X, AXES), {"mode": "sideways"}, "mode is 'sideways', must be one of index, mask"),
        ((X, AXES), {}, "no attribute mode, must have one"),
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


def test_an_op_that_is_not_defined_is_a_key_error():
    with pytest.raises(KeyError):
        irops.call("Reverse-9", X)


@pytest.mark.parametrize(
    "kind",
    [
        "bf16",
        "f8e4m3",
        "f8e5m2",
        "f8e8m0",
        "f4e2m1",
        "i4",
        "u4",
        "u2",
        "u1",
        "u3",
        "u6",
        "nf4",
        "string",
        "boolean",
        "f64",
        "u64",
    ],
)
def test_every_element_type_is_moved_bit_for_bit(kind):
    from irops.values.element import element_type, element_type_of, tagged

    element = element_type(kind)
    codes = np.array([[0, 1, 1], [1, 0, 1]], np.uint8)
    array = (
        np.array([["a", "é", ""], ["b", "c", "d"]], object)
        if kind == "string"
        else tagged(codes.astype(element.dtype), element)
    )
    for result in (
        irops.call("Reverse-1", array, AXES, mode="index"),
        irops.call("ReverseSequence-1", array, np.array([3, 3]), batch_axis=0, seq_axis=1),
    ):
        assert element_type_of(result) is element
        assert (
            result.tolist() == array[:, ::-1].tolist()
            if kind == "string"
            else np.ascontiguousarray(result).tobytes() == array[:, ::-1].tobytes()
        )


def test_an_output_that_the_op_does_not_give_is_asked_for_in_vain(net):
    model = net(
        ("x", "Parameter", {"shape": "2", "element_type": "f32"}, []),
        ("a", "Abs", {}, ["x"]),
        ("y", "Result", {}, [("a", 1)]),
    )
    with pytest.raises(
        irops.EvaluationError, match=r'IR322 output 1 of layer 1 "a" \(Abs\) is used; its op gives 1 output'
    ):
        irops.run(model, {"x": np.ones(2, np.float32)})


def test_mean_values_are_not_left_out_without_a_word(reverse):
    reverse.legacy.append(Element("pre-process", {"reference-layer-name": "x"}))
    assert irops.check(reverse).ok
    with pytest.raises(irops.EvaluationError, match="IR617 OpenVINO subtracts the mean values"):
        irops.run(reverse, {"x": X, "axes": AXES})


def test_a_name_alone_is_as_good_as_a_list_of_one(reverse):
    result = irops.run(reverse, [X, AXES], keep="again", backends="reference")
    assert set(result) == {"out", "back", "again"}
    assert np.array_equal(irops.call("Reverse-1", X, AXES, mode="index", backends="reference"), X[:, ::-1])
    gradients = irops.vjp(reverse, [X, AXES], {"out": X}, wrt="x", backends="reference")
    assert np.array_equal(gradients["x"], X[:, ::-1])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda model: irops.run(model, [X, AXES], keep=["agian"]),
            "there is no layer 'agian'; did you mean 'again'?",
        ),
        (lambda model: irops.infer(model)["agian"], "there is no layer 'agian'; did you mean 'again'?"),
        (
            lambda _: irops.call("ReverseSequnce-1", X),
            "no op is called 'ReverseSequnce-1'; did you mean ReverseSequence-1?",
        ),
    ],
)
def test_a_name_that_is_none_is_a_key_error_that_says_so(reverse, wrong, message):
    with pytest.raises(KeyError) as caught:
        wrong(reverse)
    assert caught.value.args == (message,)


@pytest.mark.parametrize("value", [None, {"a": 1}, [1, None]])
def test_what_is_no_number_and_no_string_is_no_tensor(reverse, value):
    with pytest.raises(
        irops.EvaluationError,
        match=r"IR603 input 'x' cannot be an array: it has .* which is neither a number nor a string",
    ):
        irops.run(reverse, [value, AXES])
    with pytest.raises(ValueError, match="which is neither a number nor a string"):
        irops.call("Reverse-1", [[None]], AXES, mode="index")
