"""Ops that move, select, sample and run over sequences, at the sizes of real networks."""

from __future__ import annotations

from typing import Any

import numpy as np
from operating_arrays import IMAGE, TOKENS, Table, fixed, real, reals, signed, weights, whole


def recurrent(gates: int) -> list[Any]:
    """Weights of a layer of 256 units."""
    return [weights(1, gates * 256, 256), weights(1, gates * 256, 256), weights(1, gates * 256)]


def selections() -> Table:
    from openvino import opset3, opset6, opset8, opset9, opset10, opset12, opset15
    from openvino import opset13 as op

    image, small, tokens = [signed(*IMAGE)], [signed(1, 64, 56, 56)], [signed(*TOKENS)]
    plane, twice = [signed(1, 32, 64, 64)], [2, 2]
    points = reals(100, 2) * 20
    boxes = np.concatenate([points, 5 + points + reals(100, 2) * 20], 1)
    return {
        "Gather rows": (
            [whole(30000, 1, 128)],
            lambda x: op.gather(op.constant(reals(30000, 768)), x, fixed(0)),
        ),
        "GatherElements": (
            [signed(128, 1000), whole(128, 128, 1000)],
            lambda x, y: op.gather_elements(x, y, 0),
        ),
        "GatherND": ([signed(128, 128, 64), whole(128, 4096, 2)], lambda x, y: op.gather_nd(x, y, 0)),
        "ScatterNDUpdate": ([signed(1000, 256), whole(1000, 500, 1), signed(500, 256)], op.scatter_nd_update),
        "ScatterUpdate": (
            [signed(1000, 256), whole(1000, 500), signed(500, 256)],
            lambda x, i, u: op.scatter_update(x, i, u, fixed(0)),
        ),
        "ScatterElementsUpdate": (
            [signed(128, 1000), whole(128, 64, 1000), signed(64, 1000)],
            lambda x, i, u: opset12.scatter_elements_update(x, i, u, fixed(0)),
        ),
        "Transpose 0213": ([signed(1, 128, 12, 64)], lambda x: op.transpose(x, fixed([0, 2, 1, 3]))),
        "Transpose to channels last": (image, lambda x: op.transpose(x, fixed([0, 2, 3, 1]))),
        "Concat": ([signed(*IMAGE), signed(*IMAGE)], lambda x, y: op.concat([x, y], 1)),
        "VariadicSplit": (image, lambda x: op.variadic_split(x, fixed(1), fixed([16, 48])).outputs()),
        "StridedSlice": (
            image,
            lambda x: op.strided_slice(
                x, fixed([0] * 4), fixed([0] * 4), fixed([1, 1, 2, 2]), [1] * 4, [1] * 4
            ),
        ),
        "Slice": (
            image,
            lambda x: op.slice(x, fixed([0, 1]), fixed([32, 111]), fixed([1, 1]), fixed([1, 3])),
        ),
        "Pad constant": (image, lambda x: op.pad(x, fixed([0, 0, 3, 3]), fixed([0, 0, 3, 3]), "constant")),
        "Pad reflect": (image, lambda x: op.pad(x, fixed([0, 0, 3, 3]), fixed([0, 0, 3, 3]), "reflect")),
        "Broadcast": ([signed(1, 64, 1, 112)], lambda x: op.broadcast(x, fixed(IMAGE))),
        "Tile": (small, lambda x: op.tile(x, fixed([1, 1, 2, 2]))),
        "Roll": (image, lambda x: op.roll(x, fixed([3, 3]), fixed([2, 3]))),
        "Select": ([reals(*IMAGE) > 0.5, signed(*IMAGE), signed(*IMAGE)], op.select),
        "DepthToSpace": (small, lambda x: op.depth_to_space(x, "blocks_first", 2)),
        "SpaceToDepth": (small, lambda x: op.space_to_depth(x, "blocks_first", 2)),
        "ShuffleChannels": (small, lambda x: op.shuffle_channels(x, 1, 4)),
        "ReverseSequence": (
            [signed(50, 100, 64), whole(100, 50)],
            lambda x, n: op.reverse_sequence(x, n, 0, 1),
        ),
        "CumSum": ([signed(128, 10000)], lambda x: op.cum_sum(x, fixed(1))),
        "OneHot": ([whole(1000, 4096)], lambda x: op.one_hot(x, fixed(1000), real(1), real(0), 1)),
        "NonZero": ([(reals(512, 512) > 0.9).astype(np.float32)], op.non_zero),
        "Bucketize": (tokens, lambda x: op.bucketize(x, op.constant(np.sort(signed(100))))),
        "Unique": ([whole(1000, 20000)], lambda x: opset10.unique(x, None, True).output(0)),
        "TopK 100 of 8400": (
            [reals(80, 8400)],
            lambda x: op.topk(x, fixed(100), 1, "max", "value").output(0),
        ),
        "TopK all of 1000": (
            [reals(80, 1000)],
            lambda x: op.topk(x, fixed(1000), 1, "max", "value").output(0),
        ),
        "NonMaxSuppression 80x8400": (
            [reals(1, 8400, 4), reals(1, 80, 8400) ** 3],
            lambda x, y: op.non_max_suppression(x, y, fixed(100), real(0.5), real(0.6)).output(0),
        ),
        "NonMaxSuppression soft 4x2000": (
            [reals(1, 2000, 4), reals(1, 4, 2000)],
            lambda x, y: op.non_max_suppression(x, y, fixed(100), real(0.5), real(0.3), real(0.5)).output(0),
        ),
        "MulticlassNms 20x1000": (
            [reals(1, 1000, 4), reals(1, 20, 1000)],
            lambda x, y: opset9.multiclass_nms(x, y, None, score_threshold=0.8, nms_top_k=200).output(0),
        ),
        "MatrixNms 20x1000": (
            [reals(1, 1000, 4), reals(1, 20, 1000)],
            lambda x, y: opset8.matrix_nms(x, y, score_threshold=0.8, nms_top_k=200).output(0),
        ),
        "ROIAlign 100": (
            [signed(1, 64, 50, 50), boxes],
            lambda x, r: opset9.roi_align(
                x, r, op.constant(np.zeros(100, np.int64)), 7, 7, 2, 1.0, "avg", "asymmetric"
            ),
        ),
        "GridSample": (
            [signed(1, 32, 64, 64), reals(1, 64, 64, 2) * 2 - 1],
            lambda x, g: opset9.grid_sample(
                x, g, {"align_corners": True, "mode": "bilinear", "padding_mode": "zeros"}
            ),
        ),
        "Interpolate linear_onnx x2": (
            plane,
            lambda x: op.interpolate(x, real(twice), "linear_onnx", "scales", axes=fixed([2, 3])),
        ),
        "Interpolate nearest x2": (
            plane,
            lambda x: op.interpolate(x, real(twice), "nearest", "scales", axes=fixed([2, 3])),
        ),
        "Interpolate cubic x2": (
            [signed(1, 16, 64, 64)],
            lambda x: op.interpolate(x, real(twice), "cubic", "scales", axes=fixed([2, 3])),
        ),
        "LSTMSequence 50x256": (
            [signed(4, 50, 256), signed(4, 1, 256), signed(4, 1, 256)],
            lambda *given: op.lstm_sequence(*given, fixed([50] * 4), *recurrent(4), 256, "forward").output(0),
        ),
        "GRUSequence 50x256": (
            [signed(4, 50, 256), signed(4, 1, 256)],
            lambda *given: op.gru_sequence(*given, fixed([50] * 4), *recurrent(3), 256, "forward").output(0),
        ),
        "CTCGreedyDecoder": (
            [reals(100, 4, 50), np.ones((100, 4), np.float32)],
            lambda x, m: op.ctc_greedy_decoder(x, m, True),
        ),
        "RDFT 2d": ([signed(16, 128, 128)], lambda x: opset9.rdft(x, fixed([1, 2]))),
        "EmbeddingBagPackedSum": (
            [whole(1000, 256, 20)],
            lambda x: opset3.embedding_bag_packed_sum(weights(1000, 64), x),
        ),
        "EmbeddingBagOffsets": (
            [whole(1000, 5000), np.sort(whole(5000, 250))],
            lambda x, o: opset15.embedding_bag_offsets(weights(1000, 64), x, o),
        ),
        "EmbeddingSegmentsSum": (
            [whole(1000, 5000), np.sort(whole(250, 5000))],
            lambda x, s: opset3.embedding_segments_sum(weights(1000, 64), x, s, fixed(250)),
        ),
        "GatherTree": (
            [whole(10, 50, 8, 10).astype(np.int32), whole(10, 50, 8, 10).astype(np.int32)],
            lambda s, p: op.gather_tree(s, p, fixed([50] * 8, np.int32), fixed(9, np.int32)),
        ),
        "ExtractImagePatches": (
            [signed(1, 16, 64, 64)],
            lambda x: op.extract_image_patches(x, [3, 3], [1, 1], [1, 1], "SAME_UPPER"),
        ),
        "ROIPooling 100": (
            [signed(1, 64, 50, 50), np.insert(boxes, 0, 0, axis=1)],
            lambda x, r: op.roi_pooling(x, r, [7, 7], 1.0, "max"),
        ),
        "ReadValue and Assign": (tokens, lambda x: opset6.assign(opset6.read_value(x, "state"), "state")),
    }
