"""Functions of one op under the names of another."""

from dataclasses import replace

import numpy as np
import pytest

import irops
from irops.spec.binding import Functions
from irops.spec.definition import Attribute, Gradient
from irops.spec.sharing import (
    NotSharedError,
    fixed_values,
    input_of,
    own_attributes,
    shared,
    source_of,
    with_gradients,
)
from irops.values.element import I64
from irops.values.fact import Fact
from irops.values.shape import Shape

AXIS, MODE = Attribute("axis", "int"), Attribute("mode", "string")
SIZE = Attribute("size", "int", stands_for="k")
MODEL = irops.definition("ReverseSequence-1")
PORT = MODEL.inputs[0]


def port(name, **more):
    return replace(PORT, name=name, **more)


def definition(inputs, attributes=(), outputs=("out",), **more):
    ports = {"inputs": tuple(inputs), "outputs": tuple(port(name) for name in outputs)}
    return replace(MODEL, **ports, attributes={a.name: a for a in attributes}, gradients={}, **more)


BASE = definition([port("data"), port("k", optional=True)], [AXIS, MODE])


def functions(**roles):
    found = Functions(**roles)
    found.keyword_params = dict.fromkeys(roles, frozenset(BASE.attributes))
    return found


def called(*inputs, **keywords):
    """What a function was called with."""
    return inputs, keywords


def compute(own, *inputs, base=BASE, wanted=frozenset(BASE.attributes), **keywords):
    functions_of_base = functions(kernel=called)
    functions_of_base.keyword_params["kernel"] = wanted
    return shared(own, base, functions_of_base).kernel(*inputs, **keywords)


def test_inputs_are_those_at_the_same_places_and_attributes_those_of_the_same_names():
    own = definition([port("x"), port("y")], [AXIS, MODE])
    assert compute(own, "x", "y", axis=1, mode="m") == (("x", "y"), {"axis": 1, "mode": "m"})


def test_an_input_may_stand_for_another_and_be_left_out():
    own = definition(
        [port("k_first", stands_for="k"), port("x", stands_for="data")],
        [Attribute("dim", "int", stands_for="axis"), MODE],
    )
    assert compute(own, 1, 2, dim=3, mode="m") == ((2, 1), {"axis": 3, "mode": "m"})
    alone = definition([port("x")], [AXIS, MODE])
    assert compute(alone, 1, axis=3, mode="m") == ((1, None), {"axis": 3, "mode": "m"})


def test_an_attribute_may_stand_for_an_input_and_becomes_a_tensor():
    own = definition([port("x")], [AXIS, MODE, SIZE])
    (_, k), keywords = compute(own, 1, axis=0, mode="m", size=(4, 5))
    assert (k.dtype, k.tolist()) == (np.int64, [4, 5])
    assert keywords == {"axis": 0, "mode": "m"}
    (_, k), _ = compute(own, 1, axis=0, mode="m", size=None)
    assert k is None


def test_an_attribute_that_is_not_given_is_an_empty_tensor_where_one_is_needed():
    needed = replace(PORT, optional=False)
    found = input_of(needed, None, "size", np.asarray, {}, {})
    assert (found.dtype, found.tolist()) == (np.int64, [])
    assert input_of(replace(PORT, optional=True), None, "size", np.asarray, {}, {}) is None
    assert input_of(needed, None, None, np.asarray, {}, {}) is None
    assert input_of(needed, "x", None, np.asarray, {"x": 7}, {}) == 7


def test_a_shape_function_gets_facts_of_attributes():
    own = definition([port("x")], [AXIS, MODE, SIZE])
    found = shared(own, BASE, functions(shape=called, values=called))
    (_, k), _ = found.shape(Fact(I64, Shape.of(2)), axis=0, mode="m", size=(4, 5))
    assert isinstance(k, Fact)
    assert k.value.tolist() == [4, 5]
    (_, k), _ = found.values(1, axis=0, mode="m", size=(4, 5))
    assert isinstance(k, np.ndarray)
    assert found.kernel is None


def test_an_attribute_may_be_fixed():
    own = definition([port("x")], [AXIS], given=(("mode", "fixed"),))
    assert compute(own, 1, axis=0)[1] == {"axis": 0, "mode": "fixed"}
    assert fixed_values(own, BASE) == {"mode": "fixed"}
    with pytest.raises(NotSharedError, match="sets hue, which is not an attribute of ReverseSequence-1"):
        fixed_values(replace(own, given=(("hue", "x"),)), BASE)


def test_only_keywords_that_the_function_takes_are_given():
    own = definition([port("x")], [AXIS])
    with pytest.raises(NotSharedError, match="does not map the attribute mode of ReverseSequence-1"):
        compute(own, 1, axis=0)
    assert compute(own, 1, axis=0, wanted=frozenset({"axis"}))[1] == {"axis": 0}
    assert compute(own, 1, axis=0, wanted=frozenset())[1] == {}


def test_an_input_that_is_needed_must_be_said():
    own = definition([port("x", stands_for="k")], [AXIS, MODE])
    with pytest.raises(NotSharedError, match="does not map the input data of ReverseSequence-1"):
        compute(own, 1, axis=0, mode="m")
    assert source_of(own, BASE, {}, 1, BASE.inputs[1]) == ("x", None)
    found = own_attributes(definition([], [Attribute("a", "int", stands_for="b"), Attribute("c", "int")]))
    assert found == {"b": Attribute("a", "int", stands_for="b"), "c": Attribute("c", "int")}


def test_variadic_inputs_are_spread():
    base = definition([port("data"), port("rest", variadic=True)])
    own = definition([port("x"), port("others", variadic=True)])
    assert compute(own, 1, 2, 3, base=base) == ((1, 2, 3), {})
    assert compute(own, 1, base=base) == ((1,), {})


def test_what_a_function_needs_of_its_surroundings_is_passed_on():
    own = definition([port("x")], [AXIS, MODE])
    wanted = frozenset({"axis", "value", "variables"})
    found = compute(own, 1, wanted=wanted, axis=0, mode="m", value=5, result_type=I64)
    assert found[1] == {"axis": 0, "value": 5}
    functions_of_base = functions(kernel=called)
    functions_of_base.keyword_params["kernel"] = wanted
    named = shared(own, BASE, functions_of_base).keyword_params["kernel"]
    assert named == {"axis", "mode", "value", "variables"}


def test_a_function_of_the_ops_own_stays():
    own = definition([port("x")], [AXIS, MODE])
    base = functions(kernel=called, shape=called)
    found = shared(own, BASE, base, functions(kernel=len))
    assert (found.kernel, found.shape is None) == (None, False)
    assert found.shape.__wrapped__ is called
    found = shared(own, BASE, base, functions(values=len))
    assert found.kernel is not None


def gradient(d_out, *saved, **keywords):
    return d_out, saved, keywords


def test_a_gradient_is_that_of_the_base_under_own_names():
    stated = {"data": Gradient("data", "text", ("data", "k", "out"), "mode"), "k": Gradient("k", "t")}
    base = replace(BASE, gradients=stated)
    own = definition([port("x")], [AXIS, MODE, SIZE], ["y"])
    functions_of_base = Functions(gradients={"data": gradient, "k": gradient})
    functions_of_base.keyword_params = {
        "gradient of data": frozenset({"axis", "data_shape", "k_shape"}),
        "gradient of k": None,
    }
    found = Functions()
    stated = with_gradients(own, base, functions_of_base, found).gradients
    assert stated == {"x": Gradient("x", "As of data of ReverseSequence-1: text", ("x", "y"), "mode")}
    assert list(found.gradients) == ["x"]
    assert found.keyword_params == {"gradient of x": frozenset({"axis", "mode", "size", "x_shape"})}
    d_out, saved, keywords = found.gradients["x"](
        "d", "saved x", "saved y", axis=1, mode="m", size=(4,), x_shape=Shape.of(2)
    )
    assert (d_out, saved[0], saved[1].tolist(), saved[2]) == ("d", "saved x", [4], "saved y")
    assert keywords == {"axis": 1, "data_shape": Shape.of(2)}
    assert found.gradients["x"].__wrapped__ is gradient
