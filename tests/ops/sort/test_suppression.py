"""The ops that suppress boxes beyond their examples: overlap of rotated boxes, ties and limits."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.ops.sort.matrix_nms import overlap
from irops.ops.sort.nms_rotated import rotated_overlap

BOXES = np.array([[[0, 0, 2, 2], [0, 0, 2, 1], [5, 5, 6, 6]]], np.float32)
SCORES = np.array([[[0.5, 0.5, 0.5], [0.9, 0.5, 0.1]]], np.float32)


@pytest.mark.parametrize("turn", [0, np.pi / 2, np.pi, -np.pi, 7.5])
def test_a_box_overlaps_itself_wholly_however_it_is_turned(turn):
    box = np.array([[3, 4, 5, 2, turn]])
    same = np.array([[3, 4, 5, 2, turn + np.pi], [3, 4, 2, 5, turn + np.pi / 2], [3, 4, 5, 2, turn]])
    assert np.allclose(rotated_overlap(box, same), 1, atol=1e-6)


def test_boxes_that_are_not_turned_overlap_as_upright_ones_do():
    random = np.random.default_rng(0)
    middle, size = random.uniform(0, 9, (200, 2)), random.uniform(0.1, 9, (200, 2))
    upright = np.concatenate([middle - size / 2, middle + size / 2], axis=1)
    turned = np.concatenate([middle, size, np.zeros((200, 1))], axis=1)
    found, right = rotated_overlap(turned[:1], turned), overlap(upright[:1], upright, True)
    assert np.allclose(found[0], right[0], atol=1e-6)


def test_a_small_box_within_a_turned_one_counts_with_its_area():
    found = rotated_overlap(np.array([[0, 0, 4, 4, 0.7]]), np.array([[0.5, 0.3, 1, 1, 2.1]]))
    assert np.allclose(found, 1 / 16, atol=1e-6)


def test_boxes_without_area_overlap_nothing():
    boxes = np.array([[0, 0, 0, 4, 0], [0, 0, -2, 2, 0], [np.nan, 0, 2, 2, 0], [0, 0, np.nan, 2, 0]])
    assert np.nan_to_num(rotated_overlap(np.array([[0, 0, 4, 4, 0.3]]), boxes)).tolist() == [[0, 0, 0, 0]]


def test_equal_scores_stand_in_the_order_of_classes_and_boxes():
    rows = irops.call("MulticlassNms-9", BOXES, SCORES, None, iou_threshold=0.9)[0]
    middle = [[0, 0.5], [0, 0.5], [0, 0.5], [1, 0.5]]
    assert rows[:, :2].tolist() == [[1, np.float32(0.9)], *middle, [1, np.float32(0.1)]]


def test_a_box_that_nothing_overlaps_keeps_its_score():
    rows, places, counts = irops.call("MatrixNms-8", BOXES, SCORES, decay_function="gaussian", keep_top_k=2)
    assert rows[:, 1].tolist() == [np.float32(0.9), 0.5]
    assert (places.ravel().tolist(), counts.tolist()) == ([0, 0], [2])


@pytest.mark.parametrize("op", ["MatrixNms-8", "MulticlassNms-8"])
def test_classes_are_given_in_the_type_of_boxes(op):
    rows, places, _ = irops.call(op, BOXES.astype(np.float16), SCORES.astype(np.float16), output_type="i32")
    assert (rows.dtype, places.dtype) == (np.float16, np.int32)


def test_items_with_fewer_boxes_than_there_are_leave_some_over():
    boxes = np.repeat(BOXES, 2, axis=0)
    _, _, counts = irops.call("MulticlassNms-9", boxes, SCORES[0], np.array([1, 1]), iou_threshold=0.5)
    assert counts.tolist() == [2, 2]
