"""Models of one op, of OpenVINO's or ONNX's, made of the examples of its definition."""

from collections.abc import Iterator, Mapping, Sequence

from irops.analysis.model_analysis import infer
from irops.conformance.cases import inputs_of
from irops.dialects.onnx.opsets import ONNX
from irops.dialects.registry import default_registry
from irops.editing.translation.node import TargetGraph, Wire
from irops.ir.model import Model
from irops.spec.load import examples
from irops.spec.op import Op
from irops.values.element import Array, element_type_of

CONSTANT = ("axes", "axis", "shape", "input_order", "start", "stop", "step", "starts", "ends", "steps")
"""Inputs that models have as constants, most often."""


def one_op_model(
    op: Op,
    attributes: Mapping[str, str],
    inputs: Sequence[Array | None],
    *,
    fixed: Sequence[str] = CONSTANT,
    opset: int = 18,
    shapes: Mapping[str, str] | None = None,
) -> tuple[Model, list[Array]]:
    """The model, and the inputs that it takes. fixed: which inputs are constants; shapes: what others
    declare, if not all.
    """
    definition, given = op.definition, list[Array]()
    dialect = definition.dialect
    suffix = "" if dialect == ONNX else "-1"
    target = TargetGraph(dialect, opset, None, ())
    wires: list[Wire | None] = []
    for place, array in enumerate(inputs):
        port = definition.inputs[min(place, len(definition.inputs) - 1)]
        if array is None:
            wires.append(None)
        elif port.name in fixed:
            wires.append(target.constant(f"{port.name}{place}", array))
        else:
            shape = (shapes or {}).get(port.name, ",".join(map(str, array.shape)))
            data = {"shape": shape, "element_type": str(element_type_of(array))}
            wires.append(Wire(target.add(f"{port.name}{place}", f"Parameter{suffix}", data=data)))
            given.append(array)
    subject = target.add("subject", definition.type if dialect == ONNX else op.id, wires, attributes)
    subject.outputs[0].names = ("result",)
    result = target.add("result", f"Result{suffix}", [Wire(subject)], outputs=0)
    result.output_names = ("result",)
    opsets = {ONNX: opset} if dialect == ONNX else {}
    name, weights = op.id.replace(":", "_"), target.weights
    model = Model(name, 11, target.graph, weights=weights, dialect=dialect, opsets=opsets)
    for known in infer(model).layers.values():
        for one, fact in zip((*known.layer.inputs, *known.layer.outputs), (*known.inputs, *known.outputs)):
            if fact is not None:
                one.precision = fact.element_type.precision
                sizes = () if fact.shape.dims is None else fact.shape
                one.dims = tuple(int(size) if size.known else -1 for size in sizes)
    return model, given


def example_models(id: str, opset: int = 18) -> Iterator[tuple[str, Model, list[Array]]]:
    """Of each example of an op: its name, the model, and the inputs that it takes."""
    op = default_registry().op(id)
    for number, case in enumerate(examples(op.definition)):
        if case.net is None and all(t is None or t.value is not None for t in inputs_of(op, case)):
            arrays = [None if t is None else t.value for t in inputs_of(op, case)]
            yield f"{id} {case.name or number}", *one_op_model(op, case.attributes, arrays, opset=opset)
