"""Functions of one op under the names of another: names, and what must be said. Examples of ONNX's ops show
the rest.
"""

from dataclasses import replace

import numpy as np
import pytest

import irops
from irops.spec.binding import Functions
from irops.spec.definition import Attribute, Gradient
from irops.spec.sharing import NotSharedError, fixed_values, shared, with_gradients
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


def called(*inputs, **keywords):
    """What a function was called with."""
    return inputs, keywords


def compute(own, *inputs, wanted=frozenset(BASE.attributes), **keywords):
    found = Functions(kernel=called)
    found.keyword_params = {"kernel": wanted}
    return shared(own, BASE, found).kernel(*inputs, **keywords)


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


def test_an_attribute_that_is_fixed_must_be_one_of_the_base():
    with pytest.raises(NotSharedError, match="sets hue, which is not an attribute of ReverseSequence-1"):
        fixed_values(definition([port("x")], [AXIS], given=(("hue", "x"),)), BASE)


def test_an_attribute_that_the_function_takes_must_be_said():
    own = definition([port("x")], [AXIS])
    with pytest.raises(NotSharedError, match="does not map the attribute mode of ReverseSequence-1"):
        compute(own, 1, axis=0)
    assert compute(own, 1, axis=0, wanted=frozenset({"axis"}))[1] == {"axis": 0}


def test_an_input_that_is_needed_must_be_said():
    own = definition([port("x", stands_for="k")], [AXIS, MODE])
    with pytest.raises(NotSharedError, match="does not map the input data of ReverseSequence-1"):
        compute(own, 1, axis=0, mode="m")


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
