"""Gather: indices outside of the axis that only turn up when a model runs."""

import numpy as np
import pytest

import irops

ROW = np.array([1, 2, 3], np.float32)


ZERO = np.array(0)


@pytest.mark.parametrize("version", [1, 7, 8])
def test_indices_that_turn_up_outside_the_axis_give_zeros(version):
    assert irops.call(f"Gather-{version}", ROW, np.array([1, 3, 2, 9]), ZERO).tolist() == [2, 0, 3, 0]
    assert irops.call(f"Gather-{version}", ROW[:0], np.array([0]), ZERO).tolist() == [0]


def test_negative_indices_count_from_the_end_since_gather_8():
    assert irops.call("Gather-8", ROW, np.array([1, 3, -3, -4]), ZERO).tolist() == [2, 0, 1, 0]


@pytest.mark.parametrize("op", ["Gather-1", "Gather-7", "ScatterUpdate-3"])
def test_negative_indices_to_which_openvino_gives_no_single_meaning_are_refused(op):
    graph, indices, updates = irops.Graph(), np.array([0, -1]), [ROW[:2]] * (op == "ScatterUpdate-3")
    x, given = graph.parameter("x", "f32[3]"), graph.parameter("i", "i64[2]")
    graph.result(graph.add(op, x, given, *updates, 0), "y")
    with pytest.raises(irops.DiagnosticError, match=f"IR401 {op} requires"):
        irops.run(graph.model(), {"x": ROW, "i": indices})
    with pytest.raises(irops.DiagnosticError, match=f"IR401 {op} requires"):
        graph.add(op, x, indices, *updates, 0)


@pytest.mark.parametrize("op", ["Gather-1", "Gather-7"])
def test_a_single_negative_index_counts_from_the_end_with_a_warning(op):
    graph = irops.Graph()
    graph.result(graph.add(op, graph.parameter("x", "f32[3]"), [-1], 0), "y")
    (warning,) = irops.check(graph.model()).warnings
    assert "requires: no element of indices is negative" in warning.message
    assert irops.run(graph.model(), {"x": ROW})["y"].tolist() == [3]
