"""Models without their weights, as people attach them to reports."""

import numpy as np
import pytest

import irops as library

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"


@pytest.mark.parametrize(
    ("weights", "code", "words"),
    [
        (None, "IR501", "m.bin does not exist; layer"),
        (b"", "IR501", "m.bin is empty; layer"),
        (bytes(9), "IR502", "must be within the 9 bytes of m.bin, as must "),
        (POINTER, "IR501", "m.bin is a pointer of Git LFS or git-annex"),
        (b"/annex/objects/MD5E-s12345--" + b"0" * 32 + b".bin\n", "IR501", "m.bin is a pointer of Git LFS"),
    ],
)
def test_weights_that_are_not_there_are_one_finding_of_each_command(weights, code, words, tmp_path, irops):
    graph = library.Graph("m")
    x = graph.parameter("x", "f32[?,?,8]")
    pair = graph.add("Gather", graph.add("ShapeOf", x), np.array([0, 1]), 0)
    state = graph.add("Broadcast", np.float32([0, 0]), graph.add("Concat", pair, np.array([2]), axis=0))
    variable = {"variable_id": "past", "variable_type": "f32", "variable_shape": "?,?,2"}
    graph.result(
        graph.add("Concat", graph.add("ReadValue-6", state, name="state", **variable), x, axis=2), "y"
    )
    graph.result(graph.add("Transpose", x, np.array([2, 0, 1])), "z")
    library.write(graph, tmp_path / "m.xml")
    assert [d.code for d in library.check(tmp_path / "m.xml").diagnostics] == ["IR216"]  # no Assign
    (tmp_path / "m.bin").unlink()
    if weights is not None:
        (tmp_path / "m.bin").write_bytes(weights)
    found = {d.code: d.message for d in library.check(tmp_path / "m.xml").diagnostics if d.code != "IR216"}
    assert (list(found), words in found[code]) == ([code], True)
    for line in (["check"], ["infer"], ["inspect"], ["draw", "-o", tmp_path / "m.html"], ["why", "state"]):
        result = irops(line[0], tmp_path / "m.xml", *line[1:])
        assert (result.out + result.err).count("error IR") <= 1
