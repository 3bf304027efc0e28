"""Whole runs: levels that rounding decides are ties, and what is systematic is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from tiers import slow

import irops
from irops.debugging.compare.agreement import agreement
from irops.verdicts.arithmetic import DECLARED
from irops.verdicts.verdict import Verdict

F32 = np.float32
ROWS, WIDTH = 256, 384
"""98,304 elements."""
QUANTUM = F32(6 / 255)


def quantized_network(seed, out_high=3.0):
    """Two products, each followed by a FakeQuantize with 256 levels."""
    random = np.random.default_rng(seed)
    weights = [(random.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5).astype(F32) for _ in range(2)]
    graph = irops.Graph("quantized")
    value = graph.parameter("x", f"f32[{ROWS},{WIDTH}]")
    for index, weight in enumerate(weights):
        product = graph.add("MatMul", value, weight, name=f"product{index}")
        ends = (F32(-3), F32(3), F32(-3), F32(out_high if index == 0 else 3))
        value = graph.add("FakeQuantize", product, *ends, levels=256, name=f"levels{index}")
    graph.result(value, "y")
    return graph.model(), [random.standard_normal((ROWS, WIDTH)).astype(F32)], weights


def decided_otherwise(place):
    """Levels, the one of the element closest to the middle between two levels being the other one."""
    levels = np.rint(place)
    distance = np.where((place > 0) & (place < 255), np.abs(place - np.floor(place) - 0.5), np.inf)
    closest = np.unravel_index(np.argmin(distance), place.shape)
    levels[closest] = 2 * np.floor(place[closest]) + 1 - levels[closest]
    return levels


def other_order(x, weights):
    """The values of the network by a runtime that adds in blocks of 8 terms and decides one level."""
    values = {}
    for index, weight in enumerate(weights):
        blocks = [x[:, k : k + 8] @ weight[k : k + 8] for k in range(0, WIDTH, 8)]
        product = np.zeros_like(blocks[0])
        for block in blocks:
            product += block
        values[f"product{index}"] = product
        place = (np.clip(product, -3, 3) + F32(3)) * F32(255 / 6)
        place = decided_otherwise(place) if index == 0 else np.rint(place)
        x = values[f"levels{index}"] = (place * QUANTUM - F32(3)).astype(F32)
    return values


@pytest.mark.parametrize("seed", [1, slow(2), slow(3)])
def test_levels_that_rounding_decides_are_no_faults(seed):
    model, inputs, weights = quantized_network(seed)
    values = other_order(inputs[0], weights)
    values["y"] = values["levels1"]
    truth = irops.run(model, inputs, keep=["levels0"])
    jumps = np.abs(np.asarray(truth["levels0"]) - values["levels0"]) > QUANTUM / 2
    assert 0 < jumps.sum() < 100, "some elements are on another level"
    found = irops.compare(model, inputs, b=values, mode="propagated")
    assert [(layer.name, layer.reason) for layer in found.layers if layer.is_fault] == []


@pytest.mark.parametrize("factor", [1.02, 1.002])
def test_a_range_that_is_a_little_off_is_wrong_in_a_whole_run(factor):
    model, inputs, _ = quantized_network(4)
    other, _, _ = quantized_network(4, out_high=3.0 * factor)
    found = irops.compare(model, inputs, b=other, mode="propagated")
    assert not found.ok
    assert found.first is not None
    assert found.first.name == "levels0"


def noisy_runs(truth, size, seed=8):
    random = np.random.default_rng(seed)
    noise = size * random.uniform(-1, 1, truth.shape)
    return [truth, (truth + noise).astype(F32), (truth - noise).astype(F32)]


def test_a_scale_within_the_bound_of_each_element_is_systematic():
    random = np.random.default_rng(9)
    truth = random.standard_normal(20_000).astype(F32)
    runs = noisy_runs(truth, 0.02)
    noise = (truth + 0.02 * random.uniform(-1, 1, truth.shape)).astype(F32)
    assert agreement(truth, noise, runs, DECLARED).verdict is Verdict.ROUNDING
    scaled = agreement(truth, truth * F32(1.003), runs, DECLARED)
    assert (scaled.verdict, "all alike" in scaled.reason) == (Verdict.WRONG, True)
    assert scaled.excess > 1
    shifted = agreement(truth, truth + F32(0.004), runs, DECLARED)
    assert (shifted.verdict, "all alike" in shifted.reason) == (Verdict.WRONG, True)


def test_few_jumps_are_a_tie_and_larger_or_more_ones_are_not():
    truth = np.zeros(10_000, F32) + np.arange(10_000, dtype=F32) % 7 + F32(0.5)
    runs = noisy_runs(truth, 1e-6)
    for run, place in zip(runs[1:], (100, 200)):
        run[place : place + 5] += F32(0.25)
    ours = truth.copy()
    ours[[7, 9]] += F32(0.25)
    assert agreement(truth, ours, runs, DECLARED).verdict is Verdict.TIE
    larger = truth.copy()
    larger[7] += F32(1)
    assert agreement(truth, larger, runs, DECLARED).verdict is Verdict.WRONG
    more = truth.copy()
    more[::50] += F32(0.25)
    assert agreement(truth, more, runs, DECLARED).verdict is Verdict.WRONG


def selection():
    """The rows with the highest scores, of which two are nearly equal."""
    graph = irops.Graph("selection")
    x = graph.parameter("x", "f32[12,6]")
    scores = graph.add("ReduceSum", x, 1, name="scores")
    best = graph.add("TopK", scores, 4, axis=0, mode="max", sort="value", name="best")
    rows = graph.add("Gather", x, best[1], 0, name="rows")
    graph.result(graph.add("Exp", rows, name="exp"), "y")
    inputs = np.random.default_rng(12).standard_normal((12, 6)).astype(F32)
    inputs[3], inputs[8] = 2.123, 2.123
    inputs[8, :2] += np.float32([1e-3, -1e-3])
    inputs[8, 2] += F32(2.4e-6)
    return graph.model(), [inputs]


def values_of_selection(model, inputs, order, factor=1.0):
    """As a runtime that selects rows in this order. factor: on the exponentials"""
    scores = np.array(irops.run(model, inputs, keep=["scores"])["scores"])
    scores[order] = np.sort(scores[order])[::-1]
    best = scores[order]
    rows = inputs[0][order]
    exp = np.exp(rows) * F32(factor)
    return {"scores": scores, "best:0": best, "best:1": np.int32(order), "rows": rows,
            "exp": exp, "y": exp}  # fmt: skip


def test_what_is_gathered_by_a_tie_is_a_tie_and_a_fault_behind_it_is_found():
    model, inputs = selection()
    order = np.argsort(-inputs[0].sum(axis=1), kind="stable")[:4]
    assert {3, 8} == set(map(int, order[:2]))
    swapped = np.array([order[1], order[0], *order[2:]])
    values = values_of_selection(model, inputs, swapped)
    found = irops.compare(model, inputs, b=values, mode="propagated")
    assert [(layer.name, layer.reason) for layer in found.layers if layer.is_fault] == []
    wrong = values_of_selection(model, inputs, swapped, factor=1.01)
    found = irops.compare(model, inputs, b=wrong, mode="propagated")
    assert [layer.name for layer in found.layers if layer.is_fault] == ["exp"]
