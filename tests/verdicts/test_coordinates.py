"""Coordinates of Interpolate are rounded: those of exact arithmetic are never wrong, others are."""

from fractions import Fraction
from itertools import product
from math import ceil, floor, trunc

import numpy as np
import pytest
from questions import question, truth_of

from irops.verdicts.judge import judge
from irops.verdicts.question import Verdict

HALF = Fraction(1, 2)
COORDINATES = {
    "half_pixel": lambda i, before, after: (i + HALF) * before / after - HALF,
    "pytorch_half_pixel": lambda i, before, after: ((i + HALF) * before / after - HALF) * (after > 1),
    "asymmetric": lambda i, before, after: Fraction(i * before, after),
    "tf_half_pixel_for_nn": lambda i, before, after: (i + HALF) * before / after,
    "align_corners": lambda i, before, after: Fraction(i * (before - 1), max(after - 1, 1)),
}
NEAREST = {
    "round_prefer_floor": lambda x, _: floor(x) if x - floor(x) == HALF else away_from_zero(x),
    "round_prefer_ceil": lambda x, _: away_from_zero(x),
    "floor": lambda x, _: floor(x),
    "ceil": lambda x, _: ceil(x),
    "simple": lambda x, shrinks: ceil(x) if shrinks else trunc(x),
}


def away_from_zero(x):
    return floor(x + HALF) if x >= 0 else ceil(x - HALF)


def coordinates(before, after, how):
    return [Fraction(i) if before == after else COORDINATES[how](i, before, after) for i in range(after)]


def resized(image, sizes, axes, how, op="Interpolate-11", **attributes):
    scales = [np.ones(len(sizes), np.float32)] * (op == "Interpolate-4")
    given = {"coordinate_transformation_mode": how, "shape_calculation_mode": "sizes", **attributes}
    return question(op, image, np.array(sizes), *scales, np.array(axes), **given)


@pytest.mark.parametrize("how", COORDINATES)
@pytest.mark.parametrize("nearest", NEAREST)
def test_the_element_that_exact_coordinates_select_is_equal_or_a_tie(how, nearest):
    for before, after in product((1, 2, 3, 7, 20, 30), (1, 3, 5, 6, 14, 27)):
        image, exact = np.arange(before, dtype=np.float32), coordinates(before, after, how)
        asked = resized(image, [after], [0], how, mode="nearest", nearest_mode=nearest)
        places = [NEAREST[nearest](x, after < before) for x in exact]
        ours = image[np.clip(places, 0, before - 1)]
        (truth,) = truth_of(asked)
        assert judge(asked, truth, ours).verdict in (Verdict.EQUAL, Verdict.TIE), (before, after)
        decided = [(x == 0 and how != "half_pixel") or abs(x - round(2 * x) * HALF) > 0.1 for x in exact]
        if any(decided):
            assert judge(asked, truth, np.where(decided, truth + 1, ours)).verdict is Verdict.WRONG


@pytest.mark.parametrize("op", ["Interpolate-4", "Interpolate-11"])
@pytest.mark.parametrize("shape", [(20,), (3, 20), (1, 2, 20, 20), (1, 1, 20, 2, 20)])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int32])
def test_a_coordinate_in_the_middle_is_a_tie_at_every_rank_and_type(op, shape, dtype):
    """(4 + 0.5) * 20 / 6 - 0.5 is 14.5, and a little less in f32. With 10 for 6, nothing is rounded."""
    ours = image = np.arange(np.prod(shape), dtype=np.float32).reshape(shape).astype(dtype)
    axes = [axis for axis, size in enumerate(shape) if size == 20]
    for places, verdict in (([1, 4, 8, 11, 15, 18], Verdict.TIE), ([*range(0, 20, 2)], Verdict.WRONG)):
        nearest = {"mode": "nearest", "nearest_mode": "round_prefer_ceil"}
        asked = resized(image, [len(places)] * len(axes), axes, "half_pixel", op, **nearest)
        for axis in axes:
            ours = np.take(image if axis == axes[0] else ours, places, axis)
        assert judge(asked, truth_of(asked)[0], ours).verdict is verdict


@pytest.mark.parametrize("mode", ["linear_onnx", "linear"])
@pytest.mark.parametrize(("before", "after"), [(7, 10), (100, 333), (1000, 333), (3000, 700)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8])
def test_the_bound_grows_with_the_coordinates(mode, before, after, dtype):
    image = np.random.default_rng(1).uniform(0, 255, before).astype(dtype)
    asked = resized(image, [after], [0], "half_pixel", mode=mode)
    for how, may_be in (("half_pixel", True), ("asymmetric", False)):
        x = np.clip(np.float64(coordinates(before, after, how)), 0, before - 1)
        ours = np.interp(x, np.arange(before), image.astype(np.float64))
        ours = np.floor(ours + HALF * (mode == "linear")) if dtype is np.uint8 else ours
        assert judge(asked, truth_of(asked)[0], ours.astype(dtype)).is_fault is not may_be
