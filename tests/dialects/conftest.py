"""What tests of ONNX models share: models made of nodes."""

import pytest
from onnx_protos import proto_of


@pytest.fixture
def proto():
    """A function that makes a ModelProto; see proto_of."""
    return proto_of


@pytest.fixture
def saved(tmp_path):
    """A function that makes a model and writes it: its path."""

    def save(*args, name="model.onnx", **more):
        path = tmp_path / name
        path.write_bytes(proto_of(*args, **more).SerializeToString())
        return path

    return save
