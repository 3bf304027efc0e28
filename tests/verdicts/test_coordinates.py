"""Coordinates of Interpolate are rounded: those of exact arithmetic are never wrong, others are."""

from itertools import product

import numpy as np
import pytest
from questions import question, truth_of
from tables import table

from irops.verdicts.judge import judge
from irops.verdicts.question import Verdict


def resized(image, sizes, axes, how, op="Interpolate-11", **attributes):
    scales = [np.ones(len(sizes), np.float32)] * (op == "Interpolate-4")
    given = {"coordinate_transformation_mode": how, "shape_calculation_mode": "sizes", **attributes}
    return question(op, image, np.array(sizes), *scales, np.array(axes), **given)


@pytest.mark.parametrize(("how", "nearest", "before", "places", "verdict"), table(__file__, "nearest"))
def test_the_element_that_exact_coordinates_select_is_equal_or_a_tie(how, nearest, before, places, verdict):
    """At every rank, for one axis and for several, and in every type."""
    ranks = ((before,), (2, before), (1, 2, before, before), (1, 1, before, 2, before))
    for shape, dtype in product(ranks, (np.float32, np.uint8, np.int32)):
        ours = image = np.arange(np.prod(shape), dtype=np.float32).reshape(shape).astype(dtype)
        axes = [axis for axis in range(len(shape)) if shape[axis] == before]
        for axis in axes:
            ours = np.take(ours, places, axis)
        for op in ("Interpolate-4", "Interpolate-11"):
            sizes = [len(places)] * len(axes)
            asked = resized(image, sizes, axes, how, op, mode="nearest", nearest_mode=nearest)
            assert judge(asked, truth_of(asked)[0], ours).verdict == verdict


@pytest.mark.parametrize("mode", ["linear_onnx", "linear"])
@pytest.mark.parametrize(("before", "after"), [(7, 10), (100, 333), (1000, 333), (3000, 700)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8])
def test_the_bound_grows_with_the_coordinates(mode, before, after, dtype):
    image = np.random.default_rng(1).uniform(0, 255, before).astype(dtype)
    asked = resized(image, [after], [0], "half_pixel", mode=mode)
    for shift, verdicts in ((0.5, (Verdict.EQUAL, Verdict.ROUNDING, Verdict.TIE)), (0, (Verdict.WRONG,))):
        x = np.clip((np.arange(after) + shift) * before / after - shift, 0, before - 1)
        ours = np.interp(x, np.arange(before), image.astype(np.float64))
        ours = np.floor(ours + 0.5 * (mode == "linear")) if dtype is np.uint8 else ours
        assert judge(asked, truth_of(asked)[0], ours.astype(dtype)).verdict in verdicts
