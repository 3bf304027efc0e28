"""An IR model of one layer: its inputs are Parameters or constants, its outputs Results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irops.ir.model import Edge, Graph, Layer, Model, Port
from irops.ir.write import document
from irops.spec.op import Op
from irops.values.element import Array, element_type_of
from irops.values.packing import pack


def one_op_model(
    op: Op,
    inputs: Sequence[Array],
    texts: Mapping[str, str],
    outputs: int,
    fixed: Mapping[int, Array],
    declared: Mapping[int, str] | None = None,
) -> tuple[str, bytes]:
    """The text of the model and its weights.

    texts: the attributes; fixed: the constant inputs by index; declared: the shapes that Parameters declare,
    by index, where they are not those of their arrays.
    """
    graph, weights, subject, declared = Graph(), bytearray(), len(inputs), declared or {}
    for index, array in enumerate(inputs):
        kind, shape = element_type_of(array), declared.get(index, ",".join(map(str, array.shape)))
        port = Port(0, kind.precision, () if index in declared else array.shape)
        data = {"element_type": kind.name, "shape": shape}
        if index in fixed:
            raw = pack(array, kind) or b"\0"  # OpenVINO requires a byte for an empty tensor
            data |= {"offset": str(len(weights)), "size": str(len(raw))}
            weights.extend(raw)
        graph.layers.append(
            Layer(
                index,
                f"input{index}",
                "Const" if index in fixed else "Parameter",
                "opset1",
                data,
                outputs=[port],
            )
        )
        graph.edges.append(Edge(index, 0, subject, index))
    graph.layers.append(
        Layer(
            subject,
            "subject",
            op.definition.type,
            op.definition.version,
            dict(texts),
            [
                Port(k, element_type_of(array).precision, () if k in declared else array.shape)
                for k, array in enumerate(inputs)
            ],
            [Port(subject + k, "UNSPECIFIED") for k in range(outputs)],
        )
    )
    for k in range(outputs):
        graph.layers.append(
            Layer(subject + 1 + k, f"output{k}", "Result", "opset1", inputs=[Port(0, "UNSPECIFIED")])
        )
        graph.edges.append(Edge(subject, subject + k, subject + 1 + k, 0))
    return "".join(document(Model(op.id, 11, graph), lambda layer: layer.data)), bytes(weights)
