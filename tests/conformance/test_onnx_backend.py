"""ONNX's own tests of nodes, by its own runner, on irops. What irops does not define is skipped by name."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnx.backend.test")

from onnx.backend.test import BackendTest  # noqa: E402

from irops.conformance import onnx_backend as backend  # noqa: E402

DEFINED = {
    "ReverseSequence",
    "Identity",
    "Constant",
    "Cast",
    "Transpose",
    "Slice",
    "Concat",
    "Add",
    "Mul",
    "MatMul",
    "Relu",
    "Tanh",
    "Sigmoid",
    "Reshape",
    "Shape",
    "Gather",
    "Squeeze",
    "Unsqueeze",
}

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # overflow is what some cases are about
    RUNNER = BackendTest(backend.Backend, __name__)
    MODELS = {case.name: case.model for case in onnx.backend.test.loader.load_model_tests(kind="node")}


def node_tests() -> dict[str, set[str]]:
    """The ops of each test of nodes."""
    return {name: {node.op_type for node in model.graph.node} for name, model in MODELS.items()}


NodeTests = RUNNER.test_cases["OnnxBackendNodeModelTest"]
for test in [name for name in vars(NodeTests) if name.endswith("_cuda")]:
    delattr(NodeTests, test)


def test_the_tests_of_the_ops_that_are_defined_all_run():
    """None of them is skipped, but those of sequences and optional values, which are no tensors."""
    skipped = []
    for name, ops in node_tests().items():
        if ops <= DEFINED and not backend.is_compatible(MODELS[name]):
            skipped.append(name)
    assert set(skipped) <= {"test_identity_sequence", "test_identity_opt"}


@pytest.mark.parametrize("name", ["test_reversesequence_time", "test_reversesequence_batch"])
def test_reverse_sequence_is_among_them(name):
    assert hasattr(NodeTests, f"{name}_cpu")


def test_what_is_not_defined_is_skipped_by_name():
    with pytest.raises(backend.NotDefinedError, match="irops does not define Softmax"):
        backend.prepare(MODELS["test_softmax_example"])


def test_a_model_runs_by_names_and_by_places():
    prepared = backend.prepare(MODELS["test_add"])
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
        backend.prepare(MODELS["test_add"], "CUDA")
