"""Ops of ONNX with kernels of their own, as nodes of models."""

from __future__ import annotations

import numpy as np
from libraries import needs

import irops

pytestmark = needs("onnx")
F, U8, INT, INT64 = 1, 2, 6, 7  # of TensorProto


def test_a_node_may_leave_out_an_optional_output(saved):
    ends = {"scores": (F, [2, 3]), "labels": (INT64, [2])}
    for names in (["loss"], ["loss", "log_prob"]):
        outputs = {"loss": (F, []), "log_prob": (F, [2, 3])}
        path = saved(
            [("SoftmaxCrossEntropyLoss", ["scores", "labels"], names)],
            ends,
            {name: outputs[name] for name in names},
        )
        assert irops.check(path).diagnostics == ()
        results = irops.run(path, {"scores": np.zeros((2, 3), np.float32), "labels": np.array([0, 2])})
        assert np.isclose(results["loss"], np.log(3))


def test_a_node_must_declare_its_required_outputs(saved):
    path = saved(
        [("DynamicQuantizeLinear", ["x"], ["y"])],
        {"x": (F, [2])},
        {"y": (U8, [2])},
    )
    assert "IR322" in [found.code for found in irops.check(path).diagnostics]


def test_numbers_of_element_types_are_read(saved):
    path = saved(
        [("HannWindow", ["size"], ["y"], {"output_datatype": INT})],
        {"size": (INT64, [])},
        {"y": (INT, ["n"])},
    )
    assert irops.run(path, {"size": np.array(4)})["y"].dtype == np.int32
