"""Ops on regions beyond their examples: poolings, aligned regions, proposals."""

import numpy as np
import pytest

import irops

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


PLANE = (np.arange(8)[:, np.newaxis] * 10 + np.arange(8)).astype(np.float32)[np.newaxis, np.newaxis]


def aligned(rois, plane=PLANE, **attributes):
    defaults = {"pooled_h": 2, "pooled_w": 3, "sampling_ratio": 2, "spatial_scale": 1.0}
    regions = np.asarray(rois, plane.dtype)
    op = "ROIAlignRotated-15" if regions.shape[1] == 5 else "ROIAlign-9"
    more = {} if regions.shape[1] == 5 else {"mode": "avg"}
    return irops.call(
        op, plane, regions, np.zeros(len(regions), np.int64), **{**defaults, **more, **attributes}
    )


@pytest.mark.parametrize("ratio", [0, 1, 3])
def test_bins_of_a_plane_hold_what_it_is_at_their_middles(ratio):
    y, x = 1 + (np.arange(2)[:, np.newaxis] + 0.5) * 2, 2 + (np.arange(3) + 0.5) * 1
    assert np.allclose(aligned([[2, 1, 5, 5]], sampling_ratio=ratio)[0, 0], 10 * y + x, atol=1e-4)


def test_regions_that_are_not_turned_are_read_as_upright_ones_half_an_element_off():
    assert np.allclose(
        aligned([[3.5, 3, 3, 4, 0]]), aligned([[2, 1, 5, 5]], aligned_mode="half_pixel_for_nn")
    )


def test_a_full_turn_changes_nothing_and_half_a_turn_reverses():
    upright = aligned([[4, 4, 3, 4, 0]])
    assert np.allclose(aligned([[4, 4, 3, 4, 2 * np.pi]]), upright, atol=1e-4)
    assert np.allclose(aligned([[4, 4, 3, 4, np.pi]]), upright[..., ::-1, ::-1], atol=1e-4)


@pytest.mark.parametrize("roi", [[50, 50, 60, 60], [-60, 2, -50, 5]])
def test_a_region_outside_of_the_map_is_0(roi):
    assert not aligned([roi]).any()


def test_a_region_of_more_points_than_can_be_held_is_told_of():
    with pytest.raises(irops.EvaluationError, match="points"):
        aligned([[0, 0, 1e9, 1e9]], sampling_ratio=0)


def test_maps_without_elements_give_0():
    assert not aligned([[0, 0, 1, 1]], np.zeros((1, 2, 0, 4), np.float32)).any()


def test_regions_of_a_pyramid_of_one_level_are_aligned_regions():
    rois = np.array([[2, 1, 5, 5], [0, 0, 7, 3]], np.float32)
    op, way = "ExperimentalDetectronROIFeatureExtractor-6", {"output_size": 3, "sampling_ratio": 2}
    features, same = irops.call(op, rois, PLANE, **way, pyramid_scales=[1])
    assert np.allclose(features, aligned(rois, pooled_h=3))
    assert np.array_equal(same, rois)


def test_proposals_of_a_batch_are_those_of_each_image():
    random = np.random.default_rng(2)
    anchors = np.float32(np.tile([0, 0, 6, 6], (3, 4, 2, 1)) + random.integers(0, 20, (3, 4, 2, 1)))
    deltas = random.standard_normal((2, 8, 3, 4)).astype(np.float32) / 4
    scores = random.random((2, 2, 3, 4)).astype(np.float32)
    image = np.array([[24, 20, 1], [16, 16, 1]], np.float32)
    count = {"min_size": 1.0, "nms_threshold": 0.4, "pre_nms_count": 20, "post_nms_count": 8}
    rois, points, numbers = irops.call("GenerateProposals-9", image, anchors, deltas, scores, **count)
    parts = [
        irops.call("GenerateProposals-9", image[[i]], anchors, deltas[[i]], scores[[i]], **count)
        for i in range(2)
    ]
    for whole, index in ((rois, 0), (points, 1), (numbers, 2)):
        assert np.array_equal(whole, np.concatenate([part[index] for part in parts]))
    assert all((np.diff(part[1]) <= 0).all() for part in parts)
