"""Run layers with OpenVINO's CPU plug-in, as models of one op; compiled models are cached.

The precision is f32, not the bf16 that the plug-in may choose. Inputs that it is known to compute wrongly are
declined: see openvino_limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from threading import Lock
from typing import Any

import numpy as np

from irops.backends.backend import Kernel, kernel_of_base
from irops.backends.declined import Declined
from irops.backends.extras import missing_libraries, require_installed
from irops.backends.lru_cache import LruCache
from irops.backends.one_op import one_op_model
from irops.backends.openvino_limits import decline_unsupported
from irops.backends.requirements import Inputs, complete, output_count, signature
from irops.spec.domains import format_value
from irops.spec.op import Op
from irops.values.element import Array, element_type, element_type_of, tagged

MODELS = 256
"""Number of compiled models in the cache."""
SMALL = 64
"""Inputs of up to this many elements become constants if OpenVINO does not accept a Parameter."""
CRASHING = ("Gather-1", "SliceScatter-15")
"""Ops with which OpenVINO crashes, rather than refuse, if their axis or positions are Parameters."""


class OpenVINO:
    """Kernels for all ops of OpenVINO's opsets without state and bodies."""

    name = "openvino"

    def __init__(self) -> None:
        self._programs: LruCache[_Program] = LruCache(MODELS)
        self._constants = set(CRASHING)

    def missing(self) -> str | None:
        """The libraries that must be installed first, or None."""
        return missing_libraries("openvino", "openvino")

    def kernel(self, op: Op) -> Kernel | None:
        require_installed(self)
        definition = op.definition
        if not definition.version.startswith("opset"):
            return kernel_of_base(op, self.kernel)
        has_none = definition.stateful or definition.bodies or not definition.inputs
        return None if has_none or definition.type == "Result" else partial(self._compute, op)

    def _compute(self, op: Op, *inputs: Array | None, **attributes: Any) -> Any:
        count = output_count(op, inputs, attributes)
        decline_unsupported(op, inputs, attributes)
        present_inputs = _present_inputs(inputs)
        try:
            results = self._program(op, present_inputs, complete(op, inputs, attributes), count).run(
                present_inputs
            )
        except RuntimeError as error:
            assert op.functions.kernel is not None
            op.functions.kernel(*inputs, **attributes)  # raises the Violation if the inputs are invalid
            raise Declined(f"OpenVINO fails: {_last_line(error)}") from None
        return results[0] if count == 1 else tuple(results)

    def _program(
        self, op: Op, inputs: Sequence[Array], attributes: Mapping[str, Any], count: int
    ) -> _Program:
        """The compiled model. Inputs are Parameters. If OpenVINO refuses that for an op, its small integer
        inputs become constants.
        """
        texts = {
            a.name: format_value(attributes[a.parameter])
            for a in op.definition.attributes.values()
            if a.parameter in attributes
        }
        key = (op.id, tuple(texts.items()), signature(inputs))
        if op.id not in self._constants:
            try:
                return self._programs.get(key, lambda: _Program(op, inputs, texts, count, {}))
            except RuntimeError:
                if not _constants(inputs):
                    raise
        fixed = _constants(inputs)
        content = tuple((k, array.tobytes()) for k, array in fixed.items())
        program = self._programs.get((*key, content), lambda: _Program(op, inputs, texts, count, fixed))
        self._constants.add(op.id)
        return program


class _Program:
    """A compiled model of one op."""

    def __init__(
        self,
        op: Op,
        inputs: Sequence[Array],
        texts: Mapping[str, str],
        count: int,
        fixed: Mapping[int, Array],
    ) -> None:
        from openvino import Tensor

        text, weights = one_op_model(op, inputs, texts, count, fixed)
        self._bytes = np.frombuffer(weights or b"\0", np.uint8).copy()
        self._compiled = _core().compile_model(
            _core().read_model(text.encode(), Tensor(self._bytes)), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
        )
        self._request = self._compiled.create_infer_request()
        self._present_inputs = [k for k in range(len(inputs)) if k not in fixed]
        self._kinds = [
            element_type(port.get_element_type().get_type_name()) for port in self._compiled.outputs
        ]
        self._lock = Lock()

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        from openvino import Shape, Tensor, Type

        with self._lock:
            arrays = [np.asarray(inputs[k], order="C") for k in self._present_inputs]
            for index, array in enumerate(arrays):
                kind = getattr(Type, element_type_of(array).name)
                self._request.set_input_tensor(
                    index, Tensor(array.reshape(-1).view(np.uint8), Shape(list(array.shape)), kind)
                )
            self._request.infer()
            return [self._result(k) for k in range(len(self._kinds))]

    def _result(self, index: int) -> Array:
        tensor = self._request.get_output_tensor(index)
        kind, shape = self._kinds[index], tuple(tensor.shape)
        raw = np.empty(int(np.prod(shape, dtype=np.int64)) * kind.dtype.itemsize, np.uint8)
        if raw.size:
            raw[:] = tensor.data.reshape(-1).view(np.uint8)
        return tagged(raw.view(kind.dtype).reshape(shape), kind)


def _present_inputs(inputs: Inputs) -> list[Array]:
    """The inputs without omitted ones at the end; a layer of IR cannot omit an input before a present one."""
    present_inputs = list(inputs)
    while present_inputs and present_inputs[-1] is None:
        present_inputs.pop()
    without_gaps = [item for item in present_inputs if item is not None]
    if len(without_gaps) < len(present_inputs):
        raise Declined("a layer of IR cannot omit an optional input before another one that is present")
    return without_gaps


def _constants(inputs: Sequence[Array]) -> dict[int, Array]:
    """Small integer inputs, which may be axes, sizes or counts, to be passed as constants."""
    return {
        k: array
        for k, array in enumerate(inputs)
        if k and array.dtype.kind in "iu" and array.ndim < 2 and array.size <= SMALL
    }


def _last_line(error: RuntimeError) -> str:
    """The last line of OpenVINO's message, which has the reason; source locations come first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else "no message"


@cache
def _core() -> Any:
    from openvino import Core

    return Core()
