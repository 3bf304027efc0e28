"""Attention against its formula, in blocks and at once."""

from __future__ import annotations

import numpy as np
import pytest

import irops
from irops.ops.sequence import scaled_dot_product_attention as module


def by_definition(query, key, value, mask, scale, sink, causal):
    scores = query @ key.swapaxes(-1, -2) * scale
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    elif mask.dtype == bool:
        scores = np.where(mask, scores, -np.inf)
    else:
        scores = scores + mask
    if sink is not None:
        scores = np.concatenate([scores, np.broadcast_to(sink, (*scores.shape[:-1], 1))], axis=-1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights[..., : key.shape[-2]] @ value


@pytest.mark.parametrize("block", [1, 1 << 22])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", ["all", "one row", "matrix", "flags", "more rows", "more items"])
@pytest.mark.parametrize("sink", [None, (1, 3, 1, 1), (2, 1, 37, 1)])
def test_attention_is_its_formula(monkeypatch, block, causal, mask, sink):
    monkeypatch.setattr(module, "BLOCK_BYTES", block)
    rng = np.random.default_rng(0)
    rows = 1 if mask == "more rows" and not causal else 37
    query, key, value = rng.random((2, 3, rows, 5)), rng.random((2, 1, 41, 5)), rng.random((1, 3, 41, 4))
    masks = {
        "all": (),
        "one row": (1, 41),
        "matrix": (37, 41),
        "flags": (3, 37, 41),
        "more rows": (37, 41),
        "more items": (2, 1, 37, 1),
    }
    given = rng.random(masks[mask])
    if mask == "flags":
        given = (given > 0.5) | np.eye(37, 41, dtype=bool)
    drain = None if sink is None else rng.random(sink)
    more = [np.array(0.3), *([] if drain is None else [drain])]
    found = irops.call("ScaledDotProductAttention-13", query, key, value, given, *more, causal=causal)
    np.testing.assert_allclose(found, by_definition(query, key, value, given, 0.3, drain, causal), rtol=1e-6)


def test_what_is_far_apart_neither_overflows_nor_vanishes():
    query, key = np.array([[[300.0]]], np.float32), np.array([[[1.0], [2.0], [-3e30]]], np.float32)
    value = np.array([[[1.0], [2.0], [np.float32(5)]]], np.float32)
    assert irops.call("ScaledDotProductAttention-13", query, key, value, causal=False).item() == 2


def test_narrow_floats_are_computed_in_f32():
    query = np.full((1, 1, 4096), 8, np.float16)
    key = np.stack([query[0, 0], query[0, 0] - 8])[np.newaxis]
    value = np.array([[[1.0], [3.0]]], np.float16)
    assert irops.call("ScaledDotProductAttention-13", query, key, value, causal=False).item() == 1
