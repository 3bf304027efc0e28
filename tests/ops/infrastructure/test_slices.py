"""How many parts a sliced axis gives, and where OpenVINO's CPU plug-in counts others."""

from math import inf

import numpy as np
import pytest
from bodies import iterating

import irops
from irops.ops.infrastructure.iteration import part_count
from irops.spec.body import BodyInput, Cut
from irops.values.dim import ANY, Dim
from irops.values.shape import Shape
from irops.values.violation import Violation


def parts(size, start, end, stride=1, part_size=1):
    return part_count(BodyInput(0, 0, Cut(0, start, end, stride, part_size)), Shape.of(size))


@pytest.mark.parametrize(("start", "end", "stride"), [(0, -1, 1), (-1, 0, -1), (0, -1, 2), (-1, 0, -2)])
def test_an_empty_axis_is_sliced_as_a_whole_into_no_parts(start, end, stride):
    assert parts(0, start, end, stride, abs(stride)) == 0


@pytest.mark.parametrize(
    ("start", "end", "stride"), [(0, 0, 1), (0, 0, -1), (0, -1, -1), (-1, 0, 1), (-1, -1, 1), (-1, -1, -1)]
)
def test_an_empty_axis_has_no_index(start, end, stride):
    with pytest.raises(Violation) as refusal:
        parts(0, start, end, stride)
    assert refusal.value.constraint == "C2"


@pytest.mark.parametrize(
    ("size", "ends", "count"),
    [
        (ANY, (0, -1), ANY),
        (ANY, (0, 0), Dim.of(1)),
        (ANY, (0, -4), Dim(1, inf)),
        (ANY, (2, -1), Dim(1, inf)),
        (Dim(0, 5), (2, -2), Dim(1, 2)),
        (Dim(0, 5), (-3, 2), Dim(1, 3)),
        (ANY, (-1, 0, -1), ANY),
        (ANY, (0, -1, -1), Dim.of(1)),
    ],
)
def test_the_parts_of_an_unknown_size_are_those_of_all_sizes_that_have_the_indices(size, ends, count):
    assert parts(size, *ends) == count
    sizes = []
    for known in range(9):
        if size.can_be(known):
            try:
                sizes.append(int(parts(known, *ends)))
            except Violation:
                continue
    assert sizes
    assert all(count.can_be(number) for number in sizes)
    assert min(sizes) == count.low


def warned(size, cut=None, join=None):
    found = irops.infer(iterating(size, "1", cut=cut, join=join).model()).diagnostics
    return [str(finding.constraint).partition(":")[2] for finding in found]


@pytest.mark.parametrize(
    "cut", [{}, {"end": -2}, {"start": -1, "end": 0, "stride": -1}, {"start": -1, "end": 1, "stride": -1}]
)
def test_slices_that_the_plug_in_counts_alike_give_no_warning(cut):
    assert warned("?", cut) == []


@pytest.mark.parametrize(
    "cut", [{"end": 2}, {"start": 1}, {"start": -3}, {"start": 2, "end": 0, "stride": -1}]
)
def test_slices_that_the_plug_in_counts_otherwise_give_a_warning(cut):
    assert warned("3", cut) == ["C12"]


def test_concatenations_give_a_warning_where_the_plug_in_counts_other_iterations():
    assert warned("3", {}, {"end": 3}) == []
    assert warned("3", {}, {"end": -2}) == ["C13"]
    assert warned("?", {}, {"end": -2}) == []
    assert warned("3", {}, {"stride": -1}) == ["C13"]
    assert warned("?", {}, {"stride": -1}) == []
    assert warned("?", {}, {"stride": 2}) == ["C13"]


def test_an_empty_axis_gives_a_warning_and_no_iteration():
    assert warned("0") == ["C14"]
    assert irops.run(iterating("0", "1").model(), [np.empty(0, np.float32)])["y"].shape == (0,)
