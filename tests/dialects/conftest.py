"""What tests of ONNX models share: models made of nodes."""

import pytest


def proto_of(nodes, inputs, outputs, initializers=(), opset=17, **more):
    """A ModelProto. inputs, outputs: names to (element type, dims); nodes: (op, inputs, outputs,
    attributes).
    """
    from onnx import helper

    made = [
        (
            node
            if not isinstance(node, tuple)
            else helper.make_node(node[0], node[1], node[2], **(node[3] if len(node) > 3 else {}))
        )
        for node in nodes
    ]
    values = [
        [helper.make_tensor_value_info(name, kind, dims) for name, (kind, dims) in some.items()]
        for some in (inputs, outputs)
    ]
    graph = helper.make_graph(made, "graph", *values, initializer=list(initializers))
    imports = [
        helper.make_opsetid("", opset),
        *(helper.make_opsetid(d, v) for d, v in more.pop("domains", {}).items()),
    ]
    return helper.make_model(graph, opset_imports=imports, **more)


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
