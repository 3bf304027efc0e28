"""Run layers in their ONNX form, and nodes of ONNX as they are, with ONNX Runtime's CPU provider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from irops.backends.backend import Declined, Kernel, kernel_of_base, require_installed
from irops.backends.one_op import Inputs, LruCache, output_count, signature
from irops.dialects.onnx.opsets import ONNX
from irops.dialects.onnx.tensors import number_of
from irops.environment import missing_libraries
from irops.spec.op import Op
from irops.values.element import Array, ElementType, as_i64, element_type_of

MODELS = 256
"""Number of compiled models in the cache."""
OPSET, IR_VERSION = 18, 8  # both of ONNX 1.13: a newer IR version would need a newer runtime
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
    """Kernels for ops of ONNX, and for others with an equivalent in ONNX."""

    name = "onnxruntime"

    def __init__(self) -> None:
        self._sessions: LruCache[Any] = LruCache(MODELS)

    def missing(self) -> str | None:
        """The libraries that must be installed first, or None."""
        return missing_libraries("onnxruntime", "onnxruntime", "onnx")

    def kernel(self, op: Op) -> Kernel | None:
        require_installed(self)
        build = partial(as_it_is, op) if op.definition.dialect == ONNX else FORMS.get(op.id)
        return kernel_of_base(op, self.kernel) if build is None else partial(self._compute, op, build)

    def _compute(self, op: Op, build: "Builder", /, *inputs: Array, **attributes: Any) -> Array:
        decline_unsupported(inputs)
        output_count(op, inputs, attributes)
        form = build(*inputs, **attributes)
        key = (repr(form.nodes), form.opset, signature([*form.arrays.values()]))
        # the exceptions that ONNX Runtime raises for missing kernels and for invalid values
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        names = ("Fail", "InvalidArgument", "InvalidGraph", "NotImplemented", "RuntimeException")
        try:
            session = self._sessions.get(key, lambda: _session(form))
            result: Array = session.run(
                None, {name: np.asarray(array, order="C") for name, array in form.arrays.items()}
            )[0]
        except tuple(getattr(state, name) for name in names) as error:
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


def _session(form: "OnnxForm") -> Any:
    """Compile a form; ONNX Runtime infers the element type of the output."""
    from onnx import TensorProto, ValueInfoProto, helper
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 4  # errors are raised; do not print them too
    nodes = [helper.make_node(n.type, list(n.inputs), [n.output], **n.attributes) for n in form.nodes]
    info, numbers = helper.make_tensor_value_info, TensorProto.DataType
    kinds = {name: numbers.Value(NAMES[element_type_of(array).name]) for name, array in form.arrays.items()}
    inputs = [info(name, kinds[name], array.shape) for name, array in form.arrays.items()]
    graph = helper.make_graph(nodes, "layer", inputs, [ValueInfoProto(name="y")])
    opset = helper.make_opsetid("", form.opset)
    model = helper.make_model(graph, ir_version=IR_VERSION, opset_imports=[opset])
    return InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


# Layers as ONNX nodes, for ops with an equivalent in ONNX.


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """An ONNX node: input and output names, attributes."""

    type: str
    inputs: tuple[str, ...]
    output: str = "y"
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OnnxForm:
    """Nodes that compute y from arrays by name."""

    nodes: tuple[OnnxNode, ...]
    arrays: dict[str, Array]
    opset: int = OPSET


def as_it_is(op: Op, *inputs: Array | None, **attributes: Any) -> OnnxForm:
    """An op of ONNX as the node that it is, of its own version."""
    arrays = {f"x{index}": array for index, array in enumerate(inputs) if array is not None}
    names = tuple("" if array is None else f"x{index}" for index, array in enumerate(inputs))
    given = {
        attribute.name: number_of(value) if isinstance(value, ElementType) else value
        for attribute in op.definition.attributes.values()
        if (value := attributes.get(attribute.parameter)) is not None
    }
    node = OnnxNode(op.definition.type, names, "y", given)
    return OnnxForm((node,), arrays, int(op.definition.version))


Builder = Callable[..., OnnxForm]
MIN_I64 = np.iinfo(np.int64).min


def reverse(data: Array, axes: Array, *, mode: str) -> OnnxForm:
    """Reverse-1 as a Slice with steps of -1 from the last element of each axis."""
    reversed_axes = np.flatnonzero(axes) if mode == "mask" else np.unique(as_i64(axes) % max(data.ndim, 1))
    if not reversed_axes.size:
        return OnnxForm((OnnxNode("Identity", ("data",)),), {"data": data})
    # an end of -1 would be the last element, not the place before the first one
    last, first = np.full(reversed_axes.shape, -1), np.full(reversed_axes.shape, MIN_I64)
    slice_inputs = {"starts": last, "ends": first, "axes": reversed_axes, "steps": last}
    numbers = {name: array.astype(np.int64) for name, array in slice_inputs.items()}
    return OnnxForm((OnnxNode("Slice", ("data", *slice_inputs)),), {"data": data, **numbers})


def reverse_sequence(data: Array, seq_lengths: Array, *, batch_axis: int, seq_axis: int) -> OnnxForm:
    """ReverseSequence-1 as the ONNX op, which requires the first two axes; other axes are transposed."""
    # without steps, ONNX Runtime refuses a length of 1
    lengths = np.minimum(as_i64(seq_lengths), data.shape[seq_axis])
    arrays = {"data": data, "lengths": lengths}
    if {batch_axis, seq_axis} == {0, 1}:
        axes = {"batch_axis": batch_axis, "time_axis": seq_axis}
        return OnnxForm((OnnxNode("ReverseSequence", ("data", "lengths"), "y", axes),), arrays)
    order = [batch_axis, seq_axis, *(axis for axis in range(data.ndim) if axis not in (batch_axis, seq_axis))]
    return OnnxForm(
        (
            OnnxNode("Transpose", ("data",), "rows", {"perm": order}),
            OnnxNode("ReverseSequence", ("rows", "lengths"), "reversed", {"batch_axis": 0, "time_axis": 1}),
            OnnxNode("Transpose", ("reversed",), "y", {"perm": np.argsort(order).tolist()}),
        ),
        arrays,
    )


def _transpose(arg: Array, input_order: Array) -> OnnxForm:
    order = [int(axis) for axis in input_order] or list(range(arg.ndim))[::-1]
    if not order:
        return OnnxForm((OnnxNode("Identity", ("arg",)),), {"arg": arg})
    return OnnxForm((OnnxNode("Transpose", ("arg",), "y", {"perm": order}),), {"arg": arg})


def _concat(*inputs: Array, axis: int) -> OnnxForm:
    arrays = {f"part{k}": array for k, array in enumerate(inputs)}
    return OnnxForm((OnnxNode("Concat", tuple(arrays), "y", {"axis": axis}),), arrays)


def _soft_max(data: Array, *, axis: int) -> OnnxForm:
    return OnnxForm((OnnxNode("Softmax", ("data",), "y", {"axis": axis}),), {"data": data})


def _of_one(type: str) -> Builder:
    def build(data: Array) -> OnnxForm:
        _floating(data)
        return OnnxForm((OnnxNode(type, ("data",)),), {"data": data})

    return build


def _of_two(type: str) -> Builder:
    def build(
        a: Array, b: Array, *, auto_broadcast: str, **_: Any
    ) -> OnnxForm:  # m_pythondiv and the axis of pdpd
        _floating(a)
        if auto_broadcast == "pdpd":
            raise Declined("ONNX broadcasts as numpy does, not as pdpd")
        return OnnxForm((OnnxNode(type, ("a", "b")),), {"a": a, "b": b})

    return build


def _floating(array: Array) -> None:
    kind = element_type_of(array)
    if not kind.floating:
        raise Declined("ONNX does not specify overflow and rounding of integers", f"got {kind}")


ONE = ("Abs", "Cos", "Exp", "Floor", "Log", "ReLU", "Sigmoid", "Sin", "Sqrt", "Tanh")
"""Ops of one input, whose name ONNX writes with one capital letter."""
TWO = {"Add": "Add", "Divide": "Div", "Multiply": "Mul", "Subtract": "Sub"}
FORMS: dict[str, Builder] = {
    "Reverse-1": reverse,
    "ReverseSequence-1": reverse_sequence,
    "Transpose-1": _transpose,
    "Concat-1": _concat,
    "SoftMax-8": _soft_max,
    **{f"{name}-1": _of_one(name.capitalize()) for name in ONE},
    **{f"{name}-1": _of_two(form) for name, form in TWO.items()},
}
"""Builders by op id; a builder takes the arguments of the op's kernel."""
