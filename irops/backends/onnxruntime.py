"""Run layers in their ONNX form (onnx_forms) with ONNX Runtime's CPU provider; compiled models are cached."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from irops.backends.backend import Kernel, kernel_of_base
from irops.backends.declined import Declined
from irops.backends.extras import missing_libraries, require_installed
from irops.backends.lru_cache import LruCache
from irops.backends.onnx_forms import FORMS, Form
from irops.backends.requirements import Inputs, output_count, signature
from irops.spec.op import Op
from irops.values.element import Array, ElementType, element_type_of

MODELS = 256
"""Number of compiled models in the cache."""
OPSET, IR_VERSION = 18, 8
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
    """Kernels for ops with an equivalent in ONNX."""

    name = "onnxruntime"

    def __init__(self) -> None:
        self._sessions: LruCache[Any] = LruCache(MODELS)

    def missing(self) -> str | None:
        """The libraries that must be installed first, or None."""
        return missing_libraries("onnxruntime", "onnxruntime", "onnx")

    def kernel(self, op: Op) -> Kernel | None:
        require_installed(self)
        return partial(self._compute, op) if op.id in FORMS else kernel_of_base(op, self.kernel)

    def _compute(self, op: Op, *inputs: Array, **attributes: Any) -> Array:
        output_count(op, inputs, attributes)
        decline_unsupported(inputs)
        form = FORMS[op.id](*inputs, **attributes)
        kind = element_type_of(inputs[0])
        key = (repr(form.nodes), signature([*form.arrays.values()]))
        try:
            session = self._sessions.get(key, lambda: _session(form, kind))
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


def _session(form: Form, kind: ElementType) -> Any:
    """Compile a form. kind: the element type of the output."""
    from onnx import TensorProto, helper
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 4  # errors are raised; do not print them too
    nodes = [helper.make_node(n.type, list(n.inputs), [n.output], **n.attributes) for n in form.nodes]
    inputs = [
        helper.make_tensor_value_info(
            name, getattr(TensorProto, NAMES[element_type_of(array).name]), array.shape
        )
        for name, array in form.arrays.items()
    ]
    output = helper.make_tensor_value_info("y", getattr(TensorProto, NAMES[kind.name]), None)
    model = helper.make_model(
        helper.make_graph(nodes, "layer", inputs, [output]),
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
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
