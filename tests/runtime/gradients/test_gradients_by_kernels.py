"""Gradients that are ops themselves: backends compute them, and the backward pass has the limits of a run."""

import numpy as np
import pytest

import irops
from irops.backends.backend import Reference
from irops.runtime.gradients import GradientSession

SHAPE = (4, 8, 2)
LENGTHS = np.array([8, 3, 1, 5])


class Counting:
    """A backend for ReverseSequence that notes the shapes that it computes."""

    name = "counting"

    def __init__(self):
        self.calls = []

    def kernel(self, op):
        kernel = Reference().kernel(op)
        if op.id != "ReverseSequence-1" or kernel is None:
            return None

        def compute(data, seq_lengths, **attributes):
            self.calls.append(data.shape)
            return kernel(data, seq_lengths, **attributes)

        return compute


@pytest.fixture
def turned(net):
    return net(
        "x: f32[4,8,2]; n: i64[4]; turned: ReverseSequence x n batch_axis=0 seq_axis=1; y: Result turned"
    )


def test_a_backend_computes_the_gradient_of_reverse_sequence(turned):
    backend, rng = Counting(), np.random.default_rng(0)
    x, d = rng.random(SHAPE, np.float32), rng.random(SHAPE, np.float32)
    found = irops.vjp(turned, [x, LENGTHS], d, backends=[backend, "reference"])["x"]
    assert backend.calls == [SHAPE] * 2
    assert np.array_equal(found, irops.vjp(turned, [x, LENGTHS], d, backends="reference")["x"])


@pytest.mark.slow("large arrays")
def test_gradients_that_a_caller_keeps_do_not_change(net):
    model = net("x: f32[64,64,64]", "n: i64[1]", "turned: Reverse x n mode=index", "y: Result turned")
    session, axes = GradientSession(model), np.array([0])
    given = [np.full((64, 64, 64), number, np.float32) for number in range(4)]
    found = [session.vjp([one, axes], one, wrt="x")["x"] for one in given]
    assert [np.array_equal(one, other) for one, other in zip(found, given)] == [True] * 4


def test_the_backward_pass_has_the_limit_of_a_run(net):
    model = net("x: f32[256]", "a: Sigmoid x", "b: Sigmoid a", "c: Sigmoid b", "y: Result c")
    x = np.ones(256, np.float32)
    assert irops.vjp(model, [x], x, limits=irops.Limits(tensor_bytes=6 << 10))["x"].shape == (256,)
    irops.run(model, [x], limits=irops.Limits(tensor_bytes=2 << 10))
    message = r"IR605 would hold [\d,]+ bytes, the limit is 4,096 \(tensor_bytes\)"
    with pytest.raises(irops.EvaluationError, match=message):
        irops.vjp(model, [x], x, limits=irops.Limits(tensor_bytes=4 << 10))
