"""The signature of a model: how inputs and results are found, and how shapes and arrays fit them."""

import numpy as np
import pytest
from tables import table

import irops
from irops.analysis.model_analysis import analyse
from irops.analysis.signature import Signature, declared_fact
from irops.ir.model import Layer
from irops.values.fact import Fact


def inputs_of(net, *names, shape="?,3"):
    layers = [f"{name}: f32[{shape}]" for name in names]
    return analyse(net(*layers, *(f"{name}_out: Result {name}" for name in names)))


@pytest.fixture
def signature(net):
    return inputs_of(net, "first", "second").signature


def test_an_input_is_found_by_position_by_layer_name_and_by_tensor_name(signature):
    for place, name in enumerate(("first", "second")):
        port = signature.inputs[place]
        assert (port.name, port.position, port.names) == (name, place, (name, f"{name}.0"))
        assert str(port.fact) == "f32[?,3]"
        for key in (place, name, f"{name}.0"):
            assert signature.input(key) is port


def test_a_result_is_found_by_position_by_layer_name_and_by_tensor_name(signature):
    port = signature.results[1]
    for key in (1, "second_out", "second.0"):
        assert signature.result(key) is port
    assert port.fact.shape.rank is None


@pytest.mark.parametrize(
    ("key", "message"), table(__file__, "an_unknown_input_is_reported_with_the_known_ones_and_a_suggestion")
)
def test_an_unknown_input_is_reported_with_the_known_ones_and_a_suggestion(signature, key, message):
    with pytest.raises(irops.DiagnosticError) as caught:
        signature.input(key)
    assert [(d.code, d.message) for d in caught.value.diagnostics] == [("IR602", message)]


def test_an_unknown_result_is_a_key_error_with_a_suggestion(signature):
    with pytest.raises(KeyError) as caught:
        signature.result("secnd_out")
    assert caught.value.args == (
        "the model has no result 'secnd_out'; its results are 'first.0', 'second.0';"
        " did you mean 'second_out'?",
    )


def test_a_model_without_inputs_has_none_to_name(net):
    model = net("c: Range-opset4 output_type=i64; y: Result c")
    with pytest.raises(irops.DiagnosticError, match=r"its inputs are none$"):
        analyse(model).signature.input("x")


def test_digits_are_a_position_unless_an_input_has_that_name(net):
    signature = inputs_of(net, "a", "b", "0").signature
    assert signature.input_of_text("0").position == 2
    assert signature.input_of_text("1").name == "b"
    assert signature.input_of_text("b").name == "b"
    with pytest.raises(irops.DiagnosticError, match="no input 'c'"):
        signature.input_of_text("c")


def test_of_equal_names_the_first_input_and_the_first_result_count(net):
    analysis = inputs_of(net, "a", "b")
    for layer in analysis.model.layers[:2]:
        layer.outputs[0].names = ("shared",)
    for layer in analysis.model.layers[2:]:
        layer.output_names = ("given",)
    signature = Signature(analysis)
    assert signature.input("shared").name == "a"
    assert [port.name for port in signature.results] == ["given", "shared"]
    assert signature.result("shared") is signature.result("b_out") is signature.results[1]
    assert signature.result("given") is signature.result("a_out") is signature.results[0]
    assert signature.results[1].names == ("b_out", "given", "shared")


def test_a_result_without_a_tensor_name_of_its_own_has_that_of_its_layer(net):
    analysis = analyse(net("a: f32; r: Result a; s: Result a"))
    assert [port.name for port in analysis.signature.results] == ["a.0", "s"]


def test_aliases_stand_for_the_names_of_layers(signature):
    for aliases, end, of in ((signature.aliases(), "_out", ".0"), (dict(signature.input_aliases()), "", "")):
        first = dict.fromkeys((0, f"first{end}", "first.0"), f"first{of}")
        assert aliases == first | dict.fromkeys((1, f"second{end}", "second.0"), f"second{of}")


def test_a_fact_replaces_what_an_input_declares(signature):
    wanted = Fact.of(np.array([1]))
    assert list(signature.facts({1: wanted}).values()) == [wanted]


def test_a_text_that_is_no_shape_is_reported_at_the_input(signature):
    with pytest.raises(irops.DiagnosticError, match="the shape given for input 'second': ") as caught:
        signature.facts({1: "2,-7"})
    (found,) = caught.value.diagnostics
    assert (found.code, found.location.layer_name) == ("IR407", "second")


def test_arrays_are_by_layer_id_in_the_order_of_the_inputs(signature):
    one, two = np.ones((1, 3), np.float32), np.ones((2, 3), np.float32)
    expected = [(port.layer.id, rows) for port, rows in zip(signature.inputs, (1, 2))]
    for given in ({"second": two, "first": one}, [one, two], {1: two, 0: one}):
        assert [(key, len(array)) for key, array in signature.arrays(given).items()] == expected


def test_an_input_without_a_value_is_reported_at_its_layer(signature):
    with pytest.raises(irops.EvaluationError) as caught:
        signature.arrays([np.ones((1, 3), np.float32)])
    (found,) = caught.value.diagnostics
    assert (found.code, found.location.layer_name) == ("IR601", "second")
    assert found.message == "input 'second', f32[?,3], was given no value"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.ones((1, 4), np.float32), "input 'first' is f32[1,4], must be f32[?,3]"),
        (np.ones((1, 3)), "input 'first' is f64[1,3], must be f32[?,3]"),
        ([[1, 2, 3]], "input 'first' is i64[1,3], must be f32[?,3]"),
        ([[1, 2], [3]], "input 'first' cannot be an array: "),
    ],
)
def test_an_array_that_does_not_fit_is_reported_at_its_input(signature, value, words):
    with pytest.raises(irops.EvaluationError) as caught:
        signature.fit(signature.inputs[0].layer, value)
    (found,) = caught.value.diagnostics
    assert (found.code, found.location.layer_name) == ("IR603", "first")
    assert words in found.message


@pytest.mark.parametrize("data", [{"element_type": "f31", "shape": "2"}, {"shape": "2,x"}])
def test_a_malformed_declaration_is_an_unknown_fact(data):
    assert str(declared_fact(Layer(0, "x", "Parameter", "opset1", data))) == str(Fact())


def test_an_absent_shape_is_that_of_a_scalar_and_an_absent_type_is_unknown():
    assert str(declared_fact(Layer(0, "x", "Parameter", "opset1", {}))) == "dynamic[]"
