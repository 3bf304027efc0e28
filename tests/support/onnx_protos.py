"""Models of ONNX, made of nodes."""

from collections.abc import Iterable, Mapping
from typing import Any

FLOAT, INT64 = 1, 7
"""Of TensorProto."""
Ends = Mapping[str, tuple[int, Any]]
"""Element types and dims of tensors, by their names."""


def proto_of(
    nodes: Iterable[Any],
    inputs: Ends,
    outputs: Ends,
    initializers: Iterable[Any] = (),
    opset: int = 17,
    **more,
) -> Any:
    """A ModelProto. nodes: NodeProtos, or (op, inputs, outputs, attributes); domains: the versions of further
    domains by name; more: as make_model takes it
    """
    from onnx import helper

    made = [
        helper.make_node(*node[:3], **dict(*node[3:])) if isinstance(node, tuple) else node for node in nodes
    ]
    ends = (
        [helper.make_tensor_value_info(name, *end) for name, end in some.items()]
        for some in (inputs, outputs)
    )
    graph = helper.make_graph(made, "graph", *ends, initializer=list(initializers))
    domains = {"": opset, **more.pop("domains", {})}
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*d) for d in domains.items()], **more)


def external(dims: list[int], **entries: object) -> Any:
    """An initializer w of floats in another file. entries: its location, offset and length"""
    from onnx import TensorProto

    tensor = TensorProto(data_type=FLOAT, dims=dims, name="w", data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor
