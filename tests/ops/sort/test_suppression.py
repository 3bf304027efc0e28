"""Non-maximum suppression against the definition, taken literally; rotated boxes, ties and limits."""

from itertools import product

import numpy as np
import pytest

import irops
from irops.ops.sort.suppression import (
    BLOCK_BOXES,
    above,
    kept_boxes,
    overlap as upright_overlap,
    rotated_overlap,
    touching_overlap,
)


def overlap(a, b):
    """The intersection over union of two boxes given by two corners, in f32."""
    sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), np.float32(0))
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    common = sides[0] * sides[1]
    return common / (areas[0] + areas[1] - common) if all(area > 0 for area in areas) else np.float32(0)


def selected(boxes, scores, limit, iou_threshold, score_threshold, sigma):
    """The pairs of box and score of one class."""
    remaining = {box: score for box, score in enumerate(scores) if score > np.float32(score_threshold)}
    chosen = []
    while remaining and len(chosen) < limit:
        best = max(remaining, key=lambda box: (remaining[box], -box))
        chosen.append((best, remaining.pop(best)))
        for box in list(remaining):
            iou = overlap(boxes[best], boxes[box])
            if sigma:
                remaining[box] *= np.exp(np.float32(-0.5 / sigma) * iou * iou)
                dropped = not remaining[box] > np.float32(score_threshold)
            else:
                dropped = iou > np.float32(iou_threshold)
            if dropped:
                del remaining[box]
    return chosen


@pytest.mark.parametrize(
    ("count", "limit", "sigma"),
    [(40, 7, 0), (40, 40, 0.3), (BLOCK_BOXES + 40, 3, 0.2), (2 * BLOCK_BOXES + 10, 1000, 0)],
)
def test_the_selection_is_that_of_the_definition(count, limit, sigma):
    random = np.random.default_rng(count)
    corners = random.random((1, count, 2), np.float32)
    boxes = np.concatenate([corners, corners + random.random((1, count, 2), np.float32) / 5], axis=2)
    scores = np.round(random.random((1, 2, count), np.float32), 2)  # with ties
    scores[0, 1, :5] = np.nan, np.inf, -np.inf, -0.0, 0.5
    indices, rows, _ = irops.call(
        "NonMaxSuppression-9", boxes, scores, limit, np.float32(0.4), np.float32(0.05), np.float32(sigma)
    )
    expected = [
        (-score, 0, class_id, box)
        for class_id in range(2)
        for box, score in selected(boxes[0], scores[0, class_id], limit, 0.4, 0.05, sigma)
    ]
    expected.sort()
    assert indices.tolist() == [list(row[1:]) for row in expected]
    assert rows[:, 2].tolist() == [-row[0] for row in expected]


def test_selections_of_several_classes_may_stay_in_their_order():
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3]]], np.float32)
    scores = np.array([[[0.1, 0.9], [0.8, 0.2]]], np.float32)
    indices = irops.call("NonMaxSuppression-9", boxes, scores, 2, sort_result_descending=False)[0]
    assert indices.tolist() == [[0, 0, 1], [0, 0, 0], [0, 1, 0], [0, 1, 1]]


def test_proposals_are_dropped_across_blocks_of_boxes():
    places = np.arange(3 * BLOCK_BOXES) % (BLOCK_BOXES + 9)
    boxes = np.stack([places * 2, places * 0, places * 2 + 1, places * 0 + 1], axis=1).astype(np.float32)
    kept = kept_boxes(boxes, above(touching_overlap, 0.5), np.inf)
    assert kept.tolist() == list(range(BLOCK_BOXES + 9))
    for limit, start in product((0, 5, BLOCK_BOXES + 2), (0, 3)):
        kept = kept_boxes(boxes[start:], above(touching_overlap, 0.5), limit)
        assert kept.tolist() == list(range(limit))


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
    found = rotated_overlap(turned[:1], turned)
    right = upright_overlap(upright[:1], upright, True)
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
