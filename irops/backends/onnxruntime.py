"""Run layers in their ONNX form (onnx_forms) with ONNX Runtime's CPU provider; compiled models are cached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from irops.backends.backend import require_installed
from irops.backends.declined import Declined
from irops.backends.lru_cache import LruCache
from irops.backends.requirements import Inputs, complete, output_count, signature
from irops.dialects import dialect_named
from irops.dialects.onnx.opsets import ONNX, onnx_opsets
from irops.dialects.onnx.write import attribute_proto
from irops.files.extras import missing_libraries
from irops.ir.model import LayerKind
from irops.spec.op import Op
from irops.spec.op_names import parted
from irops.values.element import Array, as_i64, element_type_of

# Layers as ONNX nodes: ops of ONNX as they are, ops of OpenVINO where ONNX has an equivalent.

OPSET = 18
"""The opset of the nodes that stand for ops of OpenVINO."""
OLDEST_OPSET = 7
"""The oldest opset that ONNX Runtime supports in full."""


@dataclass(frozen=True, slots=True)
class Node:
    """An ONNX node: the names of its inputs and of its output, attributes."""

    type: str
    inputs: tuple[str, ...]
    output: str = "y"
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Form:
    """Nodes of an opset that compute y from arrays by name."""

    nodes: tuple[Node, ...]
    arrays: dict[str, Array]
    opset: int = OPSET


Builder = Callable[..., Form]
MIN_I64 = np.iinfo(np.int64).min


def reverse(data: Array, axes: Array, *, mode: str) -> Form:
    """Reverse-1 as a Slice with steps of -1 from the last element of each axis."""
    reversed_axes = np.flatnonzero(axes) if mode == "mask" else np.unique(as_i64(axes) % max(data.ndim, 1))
    if not reversed_axes.size:
        return Form((Node("Identity", ("data",)),), {"data": data})
    slice_inputs = {
        "starts": np.full(reversed_axes.shape, -1),
        "ends": np.full(reversed_axes.shape, MIN_I64),
        "axes": reversed_axes,
        "steps": np.full(reversed_axes.shape, -1),
    }
    return Form(
        (Node("Slice", ("data", *slice_inputs)),),
        {"data": data, **{name: array.astype(np.int64) for name, array in slice_inputs.items()}},
    )


def reverse_sequence(data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int) -> Form:
    """ReverseSequence-1 as the ONNX op, which requires the first two axes; other axes are transposed."""
    lengths = np.minimum(
        as_i64(seq_lengths), data.shape[seq_axis]
    )  # without steps, ONNX Runtime refuses a length of 1
    arrays = {"data": data, "lengths": lengths}
    if {batch_axis, seq_axis} == {0, 1}:
        return Form(
            (
                Node(
                    "ReverseSequence",
                    ("data", "lengths"),
                    "y",
                    {"batch_axis": batch_axis, "time_axis": seq_axis},
                ),
            ),
            arrays,
        )
    order = [batch_axis, seq_axis, *(axis for axis in range(data.ndim) if axis not in (batch_axis, seq_axis))]
    return Form(
        (
            Node("Transpose", ("data",), "rows", {"perm": order}),
            Node("ReverseSequence", ("rows", "lengths"), "reversed", {"batch_axis": 0, "time_axis": 1}),
            Node("Transpose", ("reversed",), "y", {"perm": np.argsort(order).tolist()}),
        ),
        arrays,
    )


def _transpose(arg: Array, input_order: Array) -> Form:
    order = [int(axis) for axis in input_order] or list(range(arg.ndim))[::-1]
    if not order:
        return Form((Node("Identity", ("arg",)),), {"arg": arg})
    return Form((Node("Transpose", ("arg",), "y", {"perm": order}),), {"arg": arg})


def _concat(*inputs: Array, axis: int) -> Form:
    arrays = {f"part{k}": array for k, array in enumerate(inputs)}
    return Form((Node("Concat", tuple(arrays), "y", {"axis": axis}),), arrays)


def _soft_max(data: Array, *, axis: int) -> Form:
    return Form((Node("Softmax", ("data",), "y", {"axis": axis}),), {"data": data})


def _of_one(type: str) -> Builder:
    def build(data: Array) -> Form:
        _floating(data)
        return Form((Node(type, ("data",)),), {"data": data})

    return build


def _of_two(type: str) -> Builder:
    def build(
        a: Array, b: Array, *, auto_broadcast: str, **_: Any
    ) -> Form:  # m_pythondiv and the axis of pdpd
        _floating(a)
        if auto_broadcast == "pdpd":
            raise Declined("ONNX broadcasts as numpy does, not as pdpd")
        return Form((Node(type, ("a", "b")),), {"a": a, "b": b})

    return build


def _floating(array: Array) -> None:
    kind = element_type_of(array)
    if not kind.floating:
        raise Declined("ONNX does not specify overflow and rounding of integers", f"got {kind}")


def form_of(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> Form | None:
    """The form of a layer; None where its op has none. attributes: as kernels get them

    Raises:  Declined
    """
    if op.definition.dialect == ONNX:
        return _own_form(op, inputs, complete(op, inputs, attributes))
    return FORMS[op.id](*inputs, **attributes) if op.id in FORMS else None


def has_form(op: Op) -> bool:
    """Whether ONNX Runtime may compute an op."""
    if op.definition.dialect == ONNX:
        is_node = dialect_named(ONNX).layer_kind(op.definition.type) is LayerKind.OPERATION
        return is_node and op.functions.kernel is not None and len(op.definition.outputs) == 1
    return op.id in FORMS


def _own_form(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> Form:
    """An op of ONNX as the one node that it is, in an opset that means this version of the op.

    attributes: by parameter name
    """
    number = parted(op.id)[2]
    names = tuple("" if array is None else f"x{k}" for k, array in enumerate(inputs))
    values = {
        name: attributes[attribute.parameter]
        for name, attribute in op.definition.attributes.items()
        if attribute.parameter in attributes
    }
    newer = max(number, OLDEST_OPSET)
    opset = newer if onnx_opsets().version(op.definition.type, newer) == number else number
    arrays = {name: array for name, array in zip(names, inputs) if array is not None}
    return Form((Node(op.definition.type, names, attributes=values),), arrays, opset)


ONE = {
    "Abs": "Abs",
    "Cos": "Cos",
    "Exp": "Exp",
    "Floor": "Floor",
    "Log": "Log",
    "ReLU": "Relu",
    "Sigmoid": "Sigmoid",
    "Sin": "Sin",
    "Sqrt": "Sqrt",
    "Tanh": "Tanh",
}
TWO = {"Add": "Add", "Divide": "Div", "Multiply": "Mul", "Subtract": "Sub"}
FORMS: dict[str, Builder] = {
    "Reverse-1": reverse,
    "ReverseSequence-1": reverse_sequence,
    "Transpose-1": _transpose,
    "Concat-1": _concat,
    "SoftMax-8": _soft_max,
    **{f"{name}-1": _of_one(form) for name, form in ONE.items()},
    **{f"{name}-1": _of_two(form) for name, form in TWO.items()},
}
"""Builders by op id; a builder takes the arguments of the op's kernel."""


MODELS = 256
"""Number of compiled models in the cache."""
NAMES = {
    "boolean": "BOOL",
    "f16": "FLOAT16",
    "f32": "FLOAT",
    "f64": "DOUBLE",
    "string": "STRING",
    **{f"{sign}{bits}": f"{'U' * (sign == 'u')}INT{bits}" for sign in "iu" for bits in (8, 16, 32, 64)},
}
"""The element types that ONNX Runtime exchanges with Python, with their names in ONNX."""


class ONNXRuntime:
    """Kernels for ops of ONNX, and for those of OpenVINO with an equivalent in ONNX."""

    name = "onnxruntime"

    def __init__(self) -> None:
        self._sessions: LruCache[Any] = LruCache(MODELS)

    def missing(self) -> str | None:
        """The libraries that must be installed first, or None."""
        return missing_libraries("onnxruntime", "onnxruntime", "onnx")

    def kernel(self, op: Op) -> Callable[..., Any] | None:
        require_installed(self)
        return partial(self._compute, op) if has_form(op) else None

    def _compute(self, op: Op, *inputs: Array | None, **attributes: Any) -> Array:
        output_count(op, inputs, attributes)
        decline_unsupported(inputs)
        form = form_of(op, inputs, attributes)
        assert form is not None
        key = (form.opset, repr(form.nodes), signature([*form.arrays.values()]))
        try:
            session = self._sessions.get(key, lambda: _session(form))
            result: Array = session.run(
                None, {name: np.asarray(array, order="C") for name, array in form.arrays.items()}
            )[0]
        except _refusals() as error:
            assert op.functions.kernel is not None
            op.functions.kernel(*inputs, **attributes)  # raises the Violation if the inputs are invalid
            raise Declined(f"ONNX Runtime fails: {str(error).splitlines()[0]}") from None
        return result


def decline_unsupported(inputs: Inputs) -> None:
    """Decline inputs that cannot be passed to ONNX Runtime.

    Raises:  Declined
    """
    for item in inputs:
        if item is not None and element_type_of(item).name not in NAMES:
            raise Declined(
                "ONNX Runtime does not accept this element type from Python", f"got {element_type_of(item)}"
            )


def _session(form: Form) -> Any:
    """Compile a form. ONNX Runtime finds the element type of the output itself."""
    from onnx import TensorProto, ValueInfoProto, helper
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 4  # errors are raised; do not print them too
    nodes = [helper.make_node(n.type, list(n.inputs), [n.output]) for n in form.nodes]
    for node, own in zip(nodes, form.nodes):
        node.attribute.extend(attribute_proto(helper, *item) for item in own.attributes.items())
    inputs = [
        helper.make_tensor_value_info(
            name, getattr(TensorProto, NAMES[element_type_of(array).name]), array.shape
        )
        for name, array in form.arrays.items()
    ]
    imports = [helper.make_opsetid("", form.opset)]
    model = helper.make_model(
        helper.make_graph(nodes, "layer", inputs, [ValueInfoProto(name="y")]),
        ir_version=helper.find_min_ir_version_for(imports),
        opset_imports=imports,
    )
    return InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _refusals() -> tuple[type[Exception], ...]:
    """The exceptions that ONNX Runtime raises for missing kernels and for invalid values."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.NotImplemented,
        state.RuntimeException,
    )
