"""GatherTree: reconstruct the token sequences of a beam search from the parents of its beams."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require


@shape("GatherTree-1")
def gather_tree_shape(
    step_ids: Fact,
    parent_ids: Fact,
    max_seq_len: Fact,
    end_token: Fact,  # noqa: ARG001
) -> Shape:
    both = unify_shapes(step_ids.shape.of_rank(3, "C1"), parent_ids.shape, "C1")
    return both.with_dim(1, unify(both[1], max_seq_len.shape[0], "C2"))


@kernel("GatherTree-1")
def gather_tree(step_ids: Array, parent_ids: Array, max_seq_len: Array, end_token: Array) -> Array:
    times, batch, beams = step_ids.shape
    parents, lengths = as_i64(parent_ids), np.minimum(as_i64(max_seq_len), times)[:, np.newaxis]
    tokens = np.full_like(step_ids, end_token)
    beam = np.broadcast_to(np.arange(beams), (batch, beams))
    for time in reversed(range(times)):
        active = time < lengths
        if not (((beam >= 0) & (beam < beams)) | ~active).all():
            require(False, "C3", beam[active[:, 0]].tolist(), f"{beams} beams")
        beam = np.where(active, beam, np.arange(beams))
        tokens[time] = np.where(active, np.take_along_axis(step_ids[time], beam, 1), end_token)
        beam = np.where(active, np.take_along_axis(parents[time], beam, 1), beam)
    ended = np.logical_or.accumulate(tokens == end_token, axis=0)
    return np.where(ended, end_token, tokens)
