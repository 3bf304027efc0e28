"""When a backend declines, the next one is tried; when none is left, the reasons of all are reported."""

import numpy as np
import pytest

import irops
from irops.backends.backend import Reference, kernel_of
from irops.dialects.registry import default_registry
from irops.values.violation import Violation

DATA, AXES = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1])
TURNED = [[2, 1, 0], [5, 4, 3]]


class Declining:
    """Declines the op that it is created for."""

    def __init__(self, name: str, why: str | None) -> None:
        self.name, self.why, self.asked = name, why, 0

    def kernel(self, op):
        return self.compute if op.id == "Reverse-1" else None

    def compute(self, data, axes, *, mode):
        self.asked += 1
        if self.why:
            raise irops.Declined(self.why, "by its nature")
        return data[:, ::-1]


def reversed_by(*backends):
    return irops.call("Reverse-1", DATA, AXES, mode="index", backends=backends)


def test_what_one_backend_declines_the_next_computes():
    first, second = Declining("first", "too hard"), Declining("second", None)
    assert reversed_by(first, second).tolist() == TURNED
    assert (first.asked, second.asked) == (1, 1)


def test_what_no_other_has_a_kernel_for_the_reference_computes():
    assert (
        reversed_by(Declining("first", "too hard"), Declining("second", "too dull"), "reference").tolist()
        == TURNED
    )


def test_a_backend_that_computes_leaves_the_others_alone():
    first, second = Declining("first", None), Declining("second", None)
    reversed_by(first, second)
    assert second.asked == 0


def test_a_declining_backend_is_reported_with_its_reason():
    with pytest.raises(irops.EvaluationError) as caught:
        reversed_by(Declining("first", "too hard"))
    (found,) = caught.value.diagnostics
    assert found.code == "IR612"
    assert found.message == "first declines Reverse-1: too hard; by its nature"


def test_all_declining_backends_are_reported():
    with pytest.raises(
        irops.EvaluationError,
        match=r"first declines Reverse-1: too hard; .*; second declines Reverse-1: too dull",
    ):
        reversed_by(Declining("first", "too hard"), Declining("second", "too dull"))


def test_a_backend_that_declines_is_no_failed_kernel_of_a_model(net):
    model = net("x: f32[2,3]; a: i64[1]; r: Reverse x a mode=index; y: Result r")
    inputs = {"x": DATA, "a": AXES}
    with pytest.raises(irops.EvaluationError, match="IR612 first declines Reverse-1: too hard"):
        irops.run(model, inputs, backends=(Declining("first", "too hard"),))
    found = irops.run(model, inputs, backends=(Declining("first", "too hard"), "reference"))
    assert found["y"].tolist() == TURNED


def test_a_violation_is_not_handed_over():
    second = Declining("second", None)

    class Strict(Declining):
        def compute(self, data, axes, *, mode):
            raise Violation("C4", "got 7")

    found = kernel_of(default_registry().op("Reverse-1"), (Strict("strict", None), second))
    with pytest.raises(Violation):
        found[1](DATA, AXES, mode="index")
    assert second.asked == 0


def test_the_reference_is_not_wrapped():
    op = default_registry().op("Reverse-1")
    assert kernel_of(op, (Reference(),))[1] is op.functions.kernel
