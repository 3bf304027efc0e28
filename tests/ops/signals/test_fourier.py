"""What examples cannot show of transforms: that they undo each other, and what is inferred where little is
known.
"""

from __future__ import annotations

import numpy as np
import pytest
from invoking import infer_layer

import irops
from irops.dialects.registry import default_registry
from irops.values.element import F32, I64
from irops.values.fact import Fact
from irops.values.shape import Shape


def shape_of(op_id, data, axes, signal_size=None):
    facts = [Fact(F32, Shape.parse(data)), *(known(item) for item in (axes, signal_size) if item is not None)]
    return str(infer_layer(default_registry().op(op_id), facts, {})[0].shape)


def known(item):
    return Fact(I64, Shape.parse(item)) if isinstance(item, str) else Fact.of(np.array(item, np.int64))


@pytest.mark.parametrize(
    ("op", "data", "axes", "signal_size", "output"),
    [
        ("DFT-7", "?,3..4,2", "1", None, "[?,3..4,2]"),
        ("DFT-7", "?,3..4,2", "1", "1", "[?,?,2]"),
        ("DFT-7", "5,3..4,2", [-1], [7], "[5,7,2]"),
        ("DFT-7", "5,3..4,?", [-1], "1", "[5,?,2]"),
        ("RDFT-9", "5,..4", [1], None, "[5,..3,2]"),
        ("RDFT-9", "5,1..4", [0, 1], [-1, -1], "[5,1..3,2]"),
        ("RDFT-9", "5,4", [1, 0], "2", "[?,?,2]"),
        ("IRDFT-9", "5,..4,2", [1], None, "[5,..6]"),
        ("IRDFT-9", "5,4,2", [1, 0], [-1, 7], "[7,4]"),
        ("IRDFT-9", "...", [1], None, "[...]"),
    ],
)
def test_sizes_are_known_as_far_as_they_follow(op, data, axes, signal_size, output):
    assert shape_of(op, data, axes, signal_size) == output


def test_an_inverse_transform_undoes_the_transform():
    rng = np.random.default_rng(0)
    data, axes = rng.standard_normal((3, 4, 5, 2)).astype(np.float32), np.array([2, 0])
    np.testing.assert_allclose(irops.call("IDFT-7", irops.call("DFT-7", data, axes), axes), data, atol=1e-6)


@pytest.mark.parametrize("length", [4, 5])
def test_half_a_spectrum_of_any_length_gives_the_signal_back(length):
    rng = np.random.default_rng(1)
    data, axes = rng.standard_normal((3, length)).astype(np.float32), np.array([0, 1])
    half = irops.call("RDFT-9", data, axes)
    np.testing.assert_allclose(irops.call("IRDFT-9", half, axes, np.array([3, length])), data, atol=1e-6)


@pytest.mark.parametrize("op", ["DFT-7", "IDFT-7", "IRDFT-9"])
def test_what_is_cut_off_is_cut_before_anything_grows(op):
    """Else a tensor of 10^12 elements would stand in between."""
    data = np.ones((1, 10**6, 2), np.float32)
    assert irops.call(op, data, np.array([0, 1]), np.array([10**6, 1])).shape[:2] == (10**6, 1)
