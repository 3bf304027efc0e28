"""Constants of narrow types are combined in f32 and rounded where they leave."""

from __future__ import annotations

import numpy as np

import irops

TENTH, THIRD = np.float16(0.1), np.float16(0.3333)


def chain(net, *ends):
    weights = TENTH.tobytes() + THIRD.tobytes()
    const = {"element_type": "f16", "shape": "1", "size": 2}
    return net(
        ("a", "Const", const | {"offset": 0}, []),
        ("b", "Const", const | {"offset": 2}, []),
        ("product", "Multiply", {"auto_broadcast": "numpy"}, ["a", "b"]),
        *ends,
        weights=weights,
    )


def test_a_product_of_constants_is_not_rounded_before_it_is_converted(net):
    model = chain(
        net, ("wide", "Convert", {"destination_type": "f32"}, ["product"]), ("out", "Result", {}, ["wide"])
    )
    assert irops.run(model)["out"].tolist() == [float(np.float32(TENTH) * np.float32(THIRD))]


def test_it_is_rounded_where_it_is_given(net):
    model = chain(net, ("out", "Result", {}, ["product"]))
    result = irops.run(model, keep=["product"])
    assert result["out"].dtype == result["product"].dtype == np.float16
    assert result["out"].tolist() == [float(TENTH * THIRD)]


def test_what_depends_on_an_input_is_rounded_at_every_layer(net):
    model = net(
        ("a", "Parameter", {"element_type": "f16", "shape": "1"}, []),
        ("b", "Parameter", {"element_type": "f16", "shape": "1"}, []),
        ("product", "Multiply", {"auto_broadcast": "numpy"}, ["a", "b"]),
        ("wide", "Convert", {"destination_type": "f32"}, ["product"]),
        ("out", "Result", {}, ["wide"]),
    )
    assert irops.run(model, [np.array([TENTH]), np.array([THIRD])])["out"].tolist() == [float(TENTH * THIRD)]
