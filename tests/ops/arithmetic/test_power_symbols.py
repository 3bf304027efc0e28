"""Sizes that go through Power."""

from __future__ import annotations

import numpy as np
import pytest
from invoking import attach_values, infer_layer

from irops.dialects.registry import default_registry
from irops.values.dim import Dim
from irops.values.element import F32
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape


@pytest.mark.parametrize(("exponent", "kept"), [(0.5, False), (2.0, False), (1.0, True)])
def test_only_the_first_power_keeps_the_symbol_of_a_size(exponent, kept):
    op = default_registry().op("Power-1")
    size = Dim(0, 9).named("N")
    facts = [Fact(F32, Shape.of(1), dims_array([size])), Fact.of(np.float32([exponent]))]
    values = {"auto_broadcast": "numpy"}
    (fact,) = attach_values(op, facts, values, infer_layer(op, facts, values), 16)
    (dim,) = fact.dims or ()
    assert (dim.symbol is not None) is kept
