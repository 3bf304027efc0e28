"""One Session that meets many shapes: it never fails for their number, and its memory is bounded."""

import gc
from collections import Counter

import numpy as np
import pytest

import irops
from irops.analysis.inferred import Inferred
from irops.runtime import evaluator
from irops.runtime.evaluator import MAX_PLANS
from irops.runtime.plan import Plan

pytestmark = pytest.mark.slow("a thousand shapes")

SHAPES = 1000


@pytest.fixture
def model(net):
    """The rows of x and of y; each shape of the inputs is inferred anew."""
    return net(
        "x: f32[?,?]; y: f32[?,?]; joined: Concat x y axis=0; shape: ShapeOf-opset3 joined output_type=i64",
        "flat: Reshape joined shape special_zero=false; out: Result flat",
    )


def run(session, number):
    """A run on inputs of a shape that no other number has."""
    rows, columns = 1 + number % 50, 1 + number // 50
    x, y = np.full((rows, columns), number, np.float32), np.zeros((1, columns), np.float32)
    (result,) = session.run([x, y]).values()
    assert np.array_equal(result, np.concatenate([x, y]))


def alive(kind):
    gc.collect()
    return sum(type(one) is kind for one in gc.get_objects())


def test_a_thousand_shapes_run_and_only_the_newest_plans_are_kept(model):
    session = irops.Session(model)
    plans, inferred = alive(Plan), alive(Inferred)
    for number in range(SHAPES):
        run(session, number)
    assert alive(Plan) - plans == MAX_PLANS < SHAPES
    assert alive(Inferred) - inferred <= MAX_PLANS + 1
    run(session, 0)  # long forgotten, and planned again


def test_no_objects_are_added_once_the_cache_of_plans_is_full(model, monkeypatch):
    monkeypatch.setattr(evaluator, "MAX_PLANS", 32)
    session = irops.Session(model)
    _, full, later = [objects_after(session, range(start, start + 100)) for start in (0, 100, 200)]
    assert later - full == {Counter: 1}, "of more than the count before this one"


def objects_after(session, numbers):
    """How many objects of each type are alive after runs on these shapes."""
    for number in numbers:
        run(session, number)
    gc.collect()
    return Counter(type(one) for one in gc.get_objects())
