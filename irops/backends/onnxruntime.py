"""Layers by ONNX Runtime's CPU provider, in their ONNX form (onnx_forms): a model compiled once for each
signature.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from irops.backends.declined import Declined
from irops.backends.extras import installed, lacks
from irops.backends.onnx_forms import FORMS, Form
from irops.backends.remembered import Remembered
from irops.backends.requirements import Inputs, output_count, signature
from irops.spec.op import Op
from irops.values.element import Array, ElementType, element_type_of

MODELS = 256
"""How many compiled models are kept."""
OPSET, IR_VERSION = 18, 8
NAMES = {
    "boolean": "BOOL",
    "f16": "FLOAT16",
    "f32": "FLOAT",
    "f64": "DOUBLE",
    "string": "STRING",
    **{f"{sign}{bits}": f"{'U' * (sign == 'u')}INT{bits}" for sign in "iu" for bits in (8, 16, 32, 64)},
}
"""The element types that ONNX Runtime takes from and gives to Python, and ONNX's names of them."""


class ONNXRuntime:
    """The ops that have an ONNX form of the same meaning."""

    name = "onnxruntime"

    def __init__(self) -> None:
        self._sessions: Remembered[Any] = Remembered(MODELS)

    def missing(self) -> str | None:
        """What must be installed before it can compute, or None."""
        return lacks("onnxruntime", "onnxruntime", "onnx")

    def kernel(self, op: Op) -> Callable[..., Any] | None:
        installed(self)
        return partial(self._compute, op) if op.id in FORMS else None

    def _compute(self, op: Op, *inputs: Array, **attributes: Any) -> Array:
        output_count(op, inputs, attributes)
        hold_to_limits(inputs)
        form = FORMS[op.id](*inputs, **attributes)
        kind = element_type_of(inputs[0])
        key = (repr(form.nodes), signature([*form.given.values()]))
        try:
            session = self._sessions.get(key, lambda: _session(form, kind))
            result: Array = session.run(
                None, {name: np.asarray(array, order="C") for name, array in form.given.items()}
            )[0]
        except _refusals() as error:
            assert op.functions.kernel is not None
            op.functions.kernel(*inputs, **attributes)  # raises the Violation, if the inputs are to blame
            raise Declined(f"ONNX Runtime fails: {str(error).splitlines()[0]}") from None
        return result


def hold_to_limits(inputs: Inputs) -> None:
    """Decline what cannot be given to ONNX Runtime.

    Raises:  Declined
    """
    for item in inputs:
        if item is not None and element_type_of(item).name not in NAMES:
            raise Declined(
                "ONNX Runtime takes no such elements from Python", f"they are of type {element_type_of(item)}"
            )


def _session(form: Form, kind: ElementType) -> Any:
    """kind: of the output."""
    from onnx import TensorProto, helper
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.log_severity_level = 4  # what is wrong is told by the error alone
    nodes = [helper.make_node(n.type, list(n.inputs), [n.output], **n.attributes) for n in form.nodes]
    inputs = [
        helper.make_tensor_value_info(
            name, getattr(TensorProto, NAMES[element_type_of(array).name]), array.shape
        )
        for name, array in form.given.items()
    ]
    output = helper.make_tensor_value_info("y", getattr(TensorProto, NAMES[kind.name]), None)
    model = helper.make_model(
        helper.make_graph(nodes, "layer", inputs, [output]),
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    return InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def _refusals() -> tuple[type[Exception], ...]:
    """What ONNX Runtime raises where it has no kernel, or does not like values."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.NotImplemented,
        state.RuntimeException,
    )
