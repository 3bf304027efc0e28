"""Poolings over regions beyond their examples: boxes far away, no elements, narrow types."""

import numpy as np
import pytest

import irops
from irops.values.element import element_type

POOLINGS = {
    "ROIPooling-2": {"pooled_h": 2, "pooled_w": 2, "spatial_scale": 1.0, "method": "max"},
    "PSROIPooling-1": {"output_dim": 1, "group_size": 2, "spatial_scale": 1.0, "mode": "average"},
    "DeformablePSROIPooling-1": {"output_dim": 1, "group_size": 2, "spatial_scale": 1.0},
}


@pytest.mark.parametrize("op", POOLINGS)
@pytest.mark.parametrize("corner", [1e30, -1e30, np.inf, -np.inf])
def test_a_box_far_away_meets_nothing(op, corner):
    data, rois = (
        np.ones((1, 4, 3, 3), np.float32),
        np.array([[0, corner, corner, corner, corner]], np.float32),
    )
    assert not irops.call(op, data, rois, **POOLINGS[op]).any()


@pytest.mark.parametrize("op", POOLINGS)
def test_maps_without_elements_hold_nothing(op):
    data, rois = np.ones((1, 4, 0, 3), np.float32), np.array([[0, 0, 0, 2, 2]], np.float32)
    assert not irops.call(op, data, rois, **POOLINGS[op]).any()


@pytest.mark.parametrize("op", POOLINGS)
@pytest.mark.parametrize("kind", ["bf16", "f8e5m2", "f16", "f64"])
def test_the_output_has_the_type_of_the_maps(op, kind):
    dtype = element_type(kind).dtype
    found = irops.call(op, np.ones((1, 4, 3, 3), dtype), np.array([[0, 0, 0, 2, 2]], dtype), **POOLINGS[op])
    assert found.dtype == dtype
    assert (found.astype(np.float32) == 1).all()


@pytest.mark.parametrize("op", POOLINGS)
@pytest.mark.parametrize("item", [-1, 0, 7])
def test_a_list_of_no_regions_gives_none(op, item):
    data, rois = np.ones((1, 4, 3, 3), np.float32), np.full((0, 5), item, np.float32)
    assert irops.call(op, data, rois, **POOLINGS[op]).shape[0] == 0
