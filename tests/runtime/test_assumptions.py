"""Shapes that a run meets and that inference, which assumes some sizes to be 1, excludes."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import EvaluationError
from irops.values.shape import Shape

AXIS_0 = ("axes", "Const", {"element_type": "i64", "shape": "1", "offset": 0, "size": 8}, [])
ZERO = bytes(8)


def squeezed(net, shape, *after, version="opset1"):
    """A Squeeze of axis 0 of an f32 input."""
    return net(
        ("x", "Parameter", {"shape": shape, "element_type": "f32"}, []),
        AXIS_0,
        ("squeeze", f"Squeeze-{version}", {}, ["x", "axes"]),
        *after,
        ("y", "Result", {}, ["squeeze"]),
        weights=ZERO,
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
        ("x", "Parameter", {"shape": "3", "element_type": "f32"}, []),
        AXIS_0,
        ("places", "NonZero-opset3", {"output_type": "i64"}, ["x"]),
        ("one", "Const", {"element_type": "i64", "shape": "1", "offset": 8, "size": 8}, []),
        ("squeeze", "Squeeze", {}, ["places", "one"]),
        ("y", "Result", {}, ["squeeze"]),
        weights=ZERO + (1).to_bytes(8, "little"),
    )
    assert irops.run(model, [np.array([0, 1, 0], np.float32)])["y"].tolist() == [1]
    assert refusal(model, np.ones(3, np.float32)).code == "IR618"


def reshaped(pattern: int, **attributes: bool) -> irops.Model:
    """A Reshape of [0,6] to values of an input."""
    graph = irops.Graph()
    x, shape = graph.parameter("x", "f32[0,6]"), graph.parameter("shape", f"i64[{pattern}]")
    graph.result(graph.ops.Reshape(x, shape, name="reshaped", **attributes), "y")
    return graph.model()


@pytest.mark.parametrize("pattern", [(5, 0, 1), (1, -1, 7), (0, -1, 2), (0, 3, 3), (2, -1, 1)])
@pytest.mark.parametrize("special_zero", [False, True])
def test_a_reshape_of_empty_data_is_inferred_to_have_any_shape_that_a_run_gives(pattern, special_zero):
    model = reshaped(len(pattern), special_zero=special_zero)
    data = np.ones((0, 6), np.float32)
    if special_zero and 0 in pattern[1:]:  # copies a size: there is no axis 2, or the sizes differ
        assert refusal(model, data, np.array(pattern)).code == "IR401"
        return
    result = irops.run(model, [data, np.array(pattern)])["y"]
    assert irops.infer(model)["reshaped", 0].shape.can_be(Shape(result.shape))


def partly_known(op: str, data: str, known: list[int], unknown: int, **attributes: object) -> irops.Model:
    """An op whose second input begins with known values, followed by those of an input."""
    graph = irops.Graph()
    x, rest = graph.parameter("x", data), graph.parameter("rest", f"i64[{unknown}]")
    values = graph.ops.Concat(np.array(known, np.int64), rest, axis=0)
    if op == "VariadicSplit":
        outputs = graph.ops.VariadicSplit(x, 0, values)
    elif op == "Broadcast":
        mapping = graph.parameter("mapping", "i64[1]")
        outputs = (graph.ops.Broadcast(x, values, mapping, mode="explicit"),)
    else:
        outputs = (graph.ops.Reshape(x, values, **attributes),)
    for output in outputs:
        graph.result(output)
    return graph.model()


@pytest.mark.parametrize(
    ("model", "inputs", "message"),
    [
        (
            partly_known("Reshape", "f32[?]", [2], 2, special_zero=False),
            [np.ones(12, np.float32), np.array([100, 1])],
            "the output has as many elements as data",
        ),
        (
            partly_known("Reshape", "f32[2,2,3]", [], 3, special_zero=True),
            [np.ones((2, 2, 3), np.float32), np.array([2, 100, 1])],
            "the output has as many elements as data",
        ),
        (
            partly_known("VariadicSplit", "f32[6]", [2], 2),
            [np.ones(6, np.float32), np.array([2, 5])],
            "the sizes of the parts add up",
        ),
        (
            partly_known("Broadcast", "f32[2]", [2], 2),
            [np.ones(2, np.float32), np.array([4, 2]), np.array([1])],
            "data",
        ),
    ],
)
def test_an_invalid_shape_that_a_run_meets_violates_the_constraint_of_the_op(model, inputs, message):
    finding = refusal(model, *inputs)
    assert (finding.code, finding.name) == ("IR401", "violated-constraint")
    assert message in finding.message
