"""Where pooling windows stand, and what they find; adaptive ones too."""

from itertools import product
from math import ceil, floor, inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from invoking import sliding

import irops
from irops.ops.pooling.pooling import Window, _by_positions, _by_taps, _first_along, _maxima_along, _positions
from irops.ops.sliding import Slide
from irops.values.dim import Dim
from irops.values.violation import Violation

NUMBERS = [st.integers(low, high) for low, high in ((1, 5), (1, 5), (1, 3), (0, 3), (0, 4))]
WAYS = ["floor", "ceil", "ceil_torch"], ["explicit", "valid", "same_upper", "same_lower"]
WINDOWS = st.builds(Window, *NUMBERS, *map(st.sampled_from, WAYS))


def count(window, size):
    try:
        return int(_positions(window, Dim.of(size)))
    except Violation:
        return None


@settings(max_examples=500, deadline=None, derandomize=True)
@given(WINDOWS, st.integers(0, 6), st.one_of(st.integers(0, 5), st.none()))
def test_an_interval_of_sizes_gives_exactly_the_interval_of_positions(window, low, more):
    high = inf if more is None else low + more
    counts = [
        n
        for size in range(low, low + (30 if more is None else more + 1))
        if (n := count(window, size)) is not None
    ]
    if not counts:
        with pytest.raises(Violation):
            _positions(window, Dim(low, high))
        return
    found = _positions(window, Dim(low, high))
    assert found.low == min(counts)
    assert found.high == (inf if more is None else max(counts))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(WINDOWS, st.integers(1, 9), st.data())
def test_long_windows_find_what_short_ones_find(window, size, data):
    if count(window, size) is None:
        return
    slide = window.slide(size)
    row = np.array([data.draw(st.lists(st.integers(-2, 2), min_size=size, max_size=size))], np.float32)
    places = np.arange(size, dtype=np.uint8)[np.newaxis]
    maxima, other_maxima = (_maxima_along(row, 1, slide, way(slide)) for way in (_by_taps, _by_positions))
    assert np.array_equal(maxima, other_maxima)
    first, other_first = (
        _first_along(row, maxima, places, 1, way(slide)) for way in (_by_taps, _by_positions)
    )
    assert np.array_equal(first, other_first)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(WINDOWS, st.integers(1, 9))
def test_a_slide_meets_and_covers_the_same_elements(window, size):
    if count(window, size) is None:
        return
    slide = window.slide(size)
    met = np.zeros((slide.positions, size), int)
    for tap in range(slide.taps):
        positions, elements = slide.meet(tap)
        met[range(size + slide.positions)[positions], range(size)[elements]] += 1
    covered = np.zeros_like(met)
    for position in range(slide.positions):
        covered[position, slide.cover(position)] += 1
    assert np.array_equal(met, covered)
    assert slide.counts().tolist() == met.sum(axis=1).tolist()
    assert slide.whole == (met.sum(axis=1) == slide.taps).all()


def test_a_cut_slide_has_the_windows_of_its_part():
    slide = Slide(10, 3, 2, 2, 1, 4)
    part = slide.cut(1, 3)
    assert [part.cover(p) for p in range(2)] == [slide.cover(1), slide.cover(2)]


def test_a_window_as_long_as_its_padding_costs_no_more_than_the_elements():
    far = 2**40
    data, windows = np.ones((1, 1, 4), np.float32), sliding(1, strides=far, pads=far)
    values, places = irops.call("MaxPool-14", data, kernel=[far], **windows)
    assert places.tolist() == [[[0, 0]]]
    assert values[0, 0, 1] == 1


def windows(data, counts):
    """Each window of one channel, with the place that it has in the output."""
    for place in product(*map(range, counts)):
        yield (
            place,
            tuple(
                slice(floor(i * n / count), ceil((i + 1) * n / count))
                for i, n, count in zip(place, data.shape, counts)
            ),
        )


@pytest.mark.parametrize("counts", [(1, 1), (2, 3), (5, 4), (7, 9)])
def test_every_window_is_averaged_and_searched(counts):
    data = np.random.default_rng(0).integers(0, 9, (1, 1, 5, 4)).astype(np.float64)
    means = irops.call("AdaptiveAvgPool-8", data, np.array(counts))
    greatest, places = irops.call("AdaptiveMaxPool-8", data, np.array(counts))
    for place, window in windows(data[0, 0], counts):
        seen = data[0, 0][window]
        np.testing.assert_allclose(means[0, 0][place], seen.mean())
        assert greatest[0, 0][place] == seen.max()
        first = min(
            row * 4 + column
            for row, column in np.argwhere(data[0, 0] == seen.max())
            if all(w.start <= at < w.stop for w, at in zip(window, (row, column)))
        )
        assert places[0, 0][place] == first


@pytest.mark.parametrize("op", ["AdaptiveAvgPool-8", "AdaptiveMaxPool-8"])
def test_windows_on_no_channels_take_no_time(op):
    found = irops.call(op, np.zeros((1, 0, 2), np.float32), np.array([10**10]))
    assert (found[0] if isinstance(found, tuple) else found).shape == (1, 0, 10**10)
