"""Shapes that a run meets and that inference, which assumes some sizes to be 1, excludes."""

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import EvaluationError


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
