"""ONNX's own tests of nodes, by its own runner, on irops. What irops does not define is skipped by name."""

import unittest
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from libraries import Late, needs
from onnx_protos import proto_of

pytestmark = needs("onnx")
onnx, backend = Late("onnx"), Late("irops.conformance.onnx_backend")

DEFINED = {
    "ReverseSequence", "Identity", "Constant", "Cast", "Transpose", "Slice", "Concat", "Add", "Mul",
    "MatMul", "Relu", "Tanh", "Sigmoid", "Reshape", "Shape", "Gather", "Squeeze", "Unsqueeze",
}  # fmt: skip


def model(kind: str, *inputs: str) -> Any:
    """A model of one node, whose tensors are f32[3,4,5]."""
    ends = (1, [3, 4, 5])
    return proto_of([(kind, inputs, ["result"])], dict.fromkeys(inputs, ends), {"result": ends})


@cache
def models() -> dict[str, Any]:
    """The models of ONNX's tests of nodes, by the names of the tests."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow is what some cases are about
        return {case.name: case.model for case in load_model_tests(kind="node")}


@cache
def node_tests() -> type[unittest.TestCase]:
    """ONNX's tests of nodes on the CPU, as a class of unittest."""
    from onnx.backend.test import BackendTest

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = BackendTest(backend.ReferenceBackend, __name__).test_cases["OnnxBackendNodeModelTest"]
    for name in [name for name in vars(cases) if name.endswith("_cuda")]:
        delattr(cases, name)
    return cases


PARTS = 4


@pytest.mark.slow("the tests of nodes of onnx")
@pytest.mark.parametrize("part", range(PARTS))
def test_the_tests_of_nodes_pass(part):
    """In parts, for several processes to share. Loaded here and not when tests are collected."""
    names = unittest.defaultTestLoader.getTestCaseNames(node_tests())
    assert len(names) > 1000
    assert {"test_reversesequence_time_cpu", "test_reversesequence_batch_cpu"} <= set(names)
    result = unittest.TestResult()
    unittest.TestSuite(map(node_tests(), names[part::PARTS])).run(result)
    assert [f"{test}: {text}" for test, text in (*result.failures, *result.errors)] == []
    assert result.testsRun == len(names[part::PARTS])
    assert len(result.skipped) < result.testsRun


@pytest.mark.slow("all tests of nodes of onnx")
def test_the_tests_of_the_ops_that_are_defined_all_run():
    """None of them is skipped, but those of sequences and optional values, which are no tensors."""
    skipped = []
    for name, model in models().items():
        if {node.op_type for node in model.graph.node} <= DEFINED and not backend.is_compatible(model):
            skipped.append(name)
    assert set(skipped) <= {"test_identity_sequence", "test_identity_opt"}


def test_what_is_not_defined_is_skipped_by_name():
    with pytest.raises(backend.NotDefinedError, match="irops does not define Softmax"):
        backend.prepare(model("Softmax", "x"))


def test_a_model_runs_by_names_and_by_places():
    prepared = backend.prepare(model("Add", "x", "y"))
    x, y = np.ones((3, 4, 5), np.float32), np.full((3, 4, 5), 2, np.float32)
    assert np.array_equal(prepared.run([x, y])[0], x + y)
    assert np.array_equal(prepared.run({"x": x, "y": y})[0], x + y)


def test_a_node_runs_by_itself():
    node = onnx.helper.make_node("ReverseSequence", ["x", "l"], ["y"])
    (found,) = backend.run_node(node, [np.arange(4).reshape(2, 2), np.array([2, 1])])
    assert found.tolist() == [[2, 1], [0, 3]]


def test_a_gpu_is_not_supported():
    assert not backend.supports_device("CUDA:1")
    with pytest.raises(backend.NotDefinedError, match="on the CPU"):
        backend.prepare(model("Add", "x", "y"), "CUDA")
