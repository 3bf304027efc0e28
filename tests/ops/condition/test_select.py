"""Select moves elements of every type, and warns where its condition stretches the others."""
from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.inference.layer import infer_layer
from irops.registry import default_registry
from irops.values.element import BOOLEAN, F32, element_types
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import remarks


@pytest.mark.parametrize("kind", [t for t in element_types() if t.name != "dynamic"], ids=str)
def test_elements_of_every_type_are_moved(kind):
    pair = {"string": ("a", "b"), "f8e8m0": (1, 2)}.get(kind.name, (1, 0))
    this, that = (np.array([item], kind.dtype) for item in pair)
    chosen = irops.call("Select-1", np.array([True, False]), this, that)
    assert chosen.dtype == kind.dtype
    assert (chosen == np.concatenate([this, that])).all()


def test_a_condition_that_may_or_may_not_stretch_is_not_complained_of():
    op = default_registry().op("Select-1")
    facts = [Fact(BOOLEAN, Shape.parse("?,3")), Fact(F32, Shape.parse("1..4,3")), Fact(F32, Shape.parse("3"))]
    with remarks() as heard:
        infer_layer(op, facts, {"auto_broadcast": "numpy", "auto_broadcast.auto_broadcast_axis": 0})
    assert not heard
