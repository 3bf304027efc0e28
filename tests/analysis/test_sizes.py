"""Sizes through a model: what is known of a dynamic size stays known on its way through shape sub-graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from irops.analysis import fold
from irops.analysis.invocation import Invocation
from irops.analysis.model_analysis import infer
from irops.dialects.registry import default_registry
from irops.values.fact import Fact
from irops.values.violation import LimitExceeded, Violation


def constants(*values):
    """Const layers for lists of i64, and their bytes."""
    layers, raw = [], b""
    for k, value in enumerate(values):
        array = np.array(value, np.int64)
        data = {"shape": ", ".join(map(str, array.shape)), "offset": len(raw), "size": array.nbytes}
        layers.append((f"c{k}", "Const", {"element_type": "i64", **data}, []))
        raw += array.tobytes()
    return layers, raw


@pytest.fixture
def attention(net):
    """x [?,?,32] -> heads by a Reshape to (batch, length, 4, 8) that a shape sub-graph computes, swapped,
    and merged again.
    """
    layers, raw = constants([0], [1], 0, [4], [-1], [0, 2, 1, 3])
    return net(
        ("x", "Parameter", {"shape": "?,?,32", "element_type": "f32"}, []),
        *layers,
        ("shape", "ShapeOf-opset3", {"output_type": "i64"}, ["x"]),
        ("batch", "Gather-opset8", {"batch_dims": 0}, ["shape", "c0", "c2"]),
        ("length", "Gather-opset8", {"batch_dims": 0}, ["shape", "c1", "c2"]),
        ("split", "Concat", {"axis": 0}, ["batch", "length", "c3", "c4"]),
        ("heads", "Reshape", {"special_zero": "false"}, ["x", "split"]),
        ("swapped", "Transpose", {}, ["heads", "c5"]),
        ("together", "Concat", {"axis": 0}, ["batch", "length", "c4"]),
        ("merged", "Reshape", {"special_zero": "false"}, ["swapped", "together"]),
        ("flat", "Reshape", {"special_zero": "false"}, ["merged", "c4"]),
        ("again", "Reshape", {"special_zero": "false"}, ["flat", "together"]),
        ("y", "Result", {}, ["again"]),
        weights=raw,
    )


def shapes(facts, *names):
    return [str(facts[name, 0].shape) for name in names]


def test_a_size_that_is_left_is_known_where_the_dynamic_ones_cancel_out(attention):
    found = shapes(infer(attention), "heads", "swapped", "merged", "flat", "again")
    assert found == ["[?,?,4,8]", "[?,4,?,8]", "[?,?,32]", "[?]", "[?,?,32]"]


def test_bounds_go_through_a_shape_sub_graph(attention):
    facts = infer(attention, {"x": "2,1..16,32"})
    assert shapes(facts, "heads", "again", "flat") == ["[2,1..16,4,8]", "[2,1..16,32]", "[64..1024]"]
    assert [str(size) for size in facts["split", 0].dims] == ["2", "1..16", "4", "-1"]


def test_names_that_a_caller_gives_come_out_again(attention):
    flat, again = (infer(attention, {"x": "batch,length,32"})[name, 0].shape for name in ("flat", "again"))
    assert (flat.spelled, again.spelled) == ("[32*batch*length]", "[batch,length,32]")
    assert (str(flat), str(again)) == ("[?]", "[?,?,32]")


def test_no_name_that_a_caller_gives_is_taken_for_another(attention):
    facts = infer(attention, {"x": "n0,n1,32"})
    assert facts["heads", 0].shape.spelled == "[n0,n1,4,8]"
    assert infer(attention)["heads", 0].shape.spelled == "[?,?,4,8]"


def test_no_two_sizes_share_a_name_without_reason(net):
    model = net(
        ("x", "Parameter", {"shape": "?,?", "element_type": "f32"}, []),
        ("y", "Parameter", {"shape": "?", "element_type": "f32"}, []),
        ("r", "Result", {}, ["x"]),
        ("s", "Result", {}, ["y"]),
    )
    facts = infer(model)
    names = [size.symbol for name in ("x", "y") for size in facts[name, 0].shape]
    assert len(set(names)) == 3
    assert facts["r", 0].shape[0].symbol == names[0]


def test_a_long_chain_of_shape_arithmetic_is_no_recursion(net):
    layers, raw = constants([1])
    chain = [(f"a{k}", "Add", {}, [f"a{k - 1}" if k else "shape", "c0"]) for k in range(2000)]
    model = net(
        ("x", "Parameter", {"shape": "?", "element_type": "f32"}, []),
        *layers,
        ("shape", "ShapeOf-opset3", {"output_type": "i64"}, ["x"]),
        *chain,
        ("wide", "Broadcast-opset3", {"mode": "numpy"}, ["x", "a1999"]),
        ("y", "Result", {}, ["wide"]),
        weights=raw,
    )
    assert shapes(infer(model, {"x": "1"}), "wide") == ["[2001]"]
    assert shapes(infer(model, {"x": "1..3"}), "wide") == ["[2001..2003]"]


@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (Violation("C1"), []),
        (LimitExceeded("memory-limit", "too large"), []),
        (MemoryError("no"), []),
        (ZeroDivisionError("no"), ["the kernel of Unsqueeze-1 failed: ZeroDivisionError: no"]),
        (TypeError("no"), ["the kernel of Unsqueeze-1 failed: TypeError: no"]),
    ],
)
def test_a_kernel_that_fails_on_constants_stops_no_inference_and_is_reported(error, reported):
    def fail(data, axes):
        raise error

    op = default_registry().op("Unsqueeze-1")
    broken = Invocation(replace(op, functions=replace(op.functions, kernel=fail)))
    inputs, faults = [Fact.of(np.array(3)), Fact.of(np.array([0]))], []
    outputs = fold.attach_values(broken, inputs, list(broken.infer(inputs)), 16, report=faults.append)
    assert (str(outputs[0].shape), outputs[0].value) == ("[1]", None)
    assert [fault.message for fault in faults] == reported
