"""What an ONNX model declares of tensors is believed where nothing is inferred, and proves nothing."""

from __future__ import annotations

import json

import numpy as np
from libraries import needs

import irops
from irops.cli.main import main

pytestmark = needs("onnx")
F, INT64 = 1, 7  # of TensorProto
RESHAPE = [("Reshape", ["x", "shape"], ["y"])]
INPUTS = {"x": (F, ["n", 6]), "shape": (INT64, [2])}


def test_a_declared_size_stands_where_none_is_inferred(saved):
    path = saved(RESHAPE, INPUTS, {"y": (F, [4, "columns"])})
    facts = irops.infer(path)
    assert facts["y", 0].spelled == "f32[4,columns]"
    assert (facts.of("y").layer.id, 0) in facts.believed
    assert facts.diagnostics == ()


def test_nothing_is_believed_of_what_is_inferred(saved):
    path = saved([("Relu", ["x"], ["y"])], {"x": (F, ["n", 6])}, {"y": (F, [4, 6])})
    facts = irops.infer(path)
    assert facts["y", 0].spelled == "f32[n,6]"
    assert not facts.believed


def test_a_declared_shape_that_contradicts_in_one_size_is_not_believed_at_all(saved):
    path = saved(
        [("Expand", ["x", "shape"], ["y"])], {"x": (F, [5, 6]), "shape": (INT64, [2])}, {"y": (F, [4, 7])}
    )
    facts = irops.infer(path)
    assert not facts.believed
    assert facts["y", 0].shape.rank == 2


def test_a_declared_shape_proves_no_error(saved):
    nodes = [*RESHAPE, ("MatMul", ["y", "weights"], ["z"])]
    path = saved(nodes, {**INPUTS, "weights": (F, [3, 2])}, {"y": (F, [4, 5]), "z": (F, None)})
    assert irops.check(path).errors == ()
    facts = irops.infer(path)
    assert facts.errors == ()
    assert not facts.believed
    given = {
        "x": np.ones((2, 6), np.float32),
        "shape": np.array([4, 3]),
        "weights": np.ones((3, 2), np.float32),
    }
    assert irops.run(path, given)["z"].shape == (4, 2)


def test_what_follows_from_a_declared_shape_is_inferred_and_marked(saved):
    nodes = [*RESHAPE, ("Transpose", ["y"], ["z"])]
    path = saved(nodes, INPUTS, {"y": (F, [4, 5]), "z": (F, None)})
    facts = irops.infer(path)
    assert facts["z", 0].spelled == "f32[5,4]"
    assert {(facts.of(name).layer.id, 0) for name in ("y", "z")} <= facts.believed


def test_with_other_inputs_than_declared_nothing_is_believed(saved):
    path = saved(RESHAPE, INPUTS, {"y": (F, [4, 5])})
    facts = irops.infer(path, {"x": "2,6"})
    assert not facts.believed
    assert "4,5" not in facts["y", 0].spelled


def test_the_command_marks_what_is_declared(saved, capsys):
    path = str(saved(RESHAPE, INPUTS, {"y": (F, [4, 5])}))
    assert main(["infer", path]) == 0
    marked = [line for line in capsys.readouterr().out.splitlines() if "(declared)" in line]
    assert len(marked) == 2  # of the node and of the output
    assert all("[4,5] (declared)" in line for line in marked)
    assert main(["infer", path, "--output-format", "json"]) == 0
    outputs = json.loads(capsys.readouterr().out)["outputs"]
    assert [row["declared"] for row in outputs] == [row["shape"] == "[4,5]" for row in outputs]


def test_names_of_sizes_keep_their_points_and_numbers(saved):
    path = saved([("Relu", ["x"], ["y"])], {"x": (F, ["p2o.Dimension.0", "unk__7", "a b"])}, {"y": (F, None)})
    assert irops.infer(path)["y", 0].spelled == "f32[p2o.Dimension.0,unk__7,a_b]"
