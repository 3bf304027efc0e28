"""Run layers with OpenVINO's CPU plug-in, as models of one op; compiled models are cached.

The precision is f32, not the bf16 that the plug-in may choose. Inputs that it is known to compute wrongly are
declined, with the reasons at the end of this module.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from threading import Lock
from typing import Any

import numpy as np

from irops.backends.backend import Declined, Kernel, kernel_of_base, require_installed
from irops.backends.one_op import MOVING, Inputs, LruCache, complete, one_op_model, output_count, signature
from irops.environment import missing_libraries
from irops.spec.attributes import format_value
from irops.spec.op import Op
from irops.values.element import STRING, Array, ElementType, element_type, element_type_of, tagged

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
            raise Declined(f"OpenVINO fails: {sentence_of(error)}") from None
        return results[0] if count == 1 else tuple(results)

    def _program(
        self, op: Op, inputs: Sequence[Array], attributes: Mapping[str, Any], count: int
    ) -> "_Program":
        """The compiled model. Inputs are Parameters. If OpenVINO refuses that for an op, its small integer
        inputs become constants.
        """
        stated = [a for a in op.definition.attributes.values() if a.parameter in attributes]
        texts = {a.name: format_value(attributes[a.parameter]) for a in stated}
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
    numbers = {k: array for k, array in enumerate(inputs) if k and array.dtype.kind in "iu"}
    return {k: array for k, array in numbers.items() if array.ndim < 2 and array.size <= SMALL}


_PLACE = re.compile(
    r"Exception from \S+:\d+:?|Check '.*?' failed at \S+:\d+:?|FrontEnd API failed with \w+:|"
    r"While validating node .*:$",
    re.MULTILINE,
)
"""Where in OpenVINO's sources an error arose, and of which layer, which comes before the reason."""


def sentence_of(error: Exception) -> str:
    """The reason in a message of OpenVINO; where it names places alone, all of it."""
    text = str(error)
    sentence = " ".join(_PLACE.sub("", text).split()) or " ".join(text.split())
    return sentence.rstrip(".: ") or type(error).__name__


@cache
def _core() -> Any:
    from openvino import Core

    return Core()


# Inputs for which OpenVINO's CPU plug-in, measured with 2026.4, does not compute what the definition
# specifies.

CONVERTED = {"i64": ("i32",), "u64": ("i32",), "f64": ("f32",)}
"""The types to which elements are converted, in order, by ops that move them."""
CONVERTED_TO_FLOAT: dict[str, tuple[str, ...]] = dict.fromkeys(("i32", "u32", "f64"), ("f32",))
CONVERTED_TO_FLOAT |= dict.fromkeys(("i64", "u64"), ("i32", "f32"))
"""The same for kernels that move floating-point numbers only."""
LOSSY = ("bf16", "f8e4m3", "f8e5m2", "f8e8m0")
"""Types whose subnormals, signs of zeros or NaNs change in the plug-in's conversion to f32."""
EMPTY = ("Reverse-1", "ReverseSequence-1")
"""Ops whose kernels are known to support tensors without elements."""
WIDE = ("i64", "u64", "u32")


def decline_unsupported(op: Op, inputs: Inputs, attributes: Mapping[str, Any]) -> None:
    """Decline inputs for which the plug-in would not compute what the definition of op specifies.

    Raises:  Declined
    """
    fault = fault_of(op.id, inputs, attributes)
    if fault:
        raise Declined(fault)
    for index, array in enumerate(inputs):
        if array is not None:
            kind = element_type_of(array)
            _check_type(kind)
            if not array.size and op.id not in EMPTY:
                reason = "some of OpenVINO's kernels crash or read outside of the tensor"
                raise Declined(f"on tensors without elements, {reason}")
            _check_input(op, index, kind, array)
    destination = attributes.get("destination_type")
    if isinstance(destination, ElementType):
        _check_type(destination)
        if destination.name in CONVERTED:
            raise Declined(f"{destination} is computed as {CONVERTED[destination.name][0]}")


def _check_type(kind: ElementType) -> None:
    """Decline types that no op supports."""
    if kind is STRING:
        raise Declined("a tensor of strings makes OpenVINO abort")
    if kind.bits < 8:
        raise Declined("types of less than a byte are moved wrongly", f"got {kind}")


def _check_input(op: Op, index: int, kind: ElementType, array: Array) -> None:
    ports = op.definition.inputs
    if (
        op.definition.category not in MOVING
        and kind.floating
        and op.definition.type != "IsNaN"
        and np.isnan(array).any()
    ):
        raise Declined("NaN is not propagated")
    if not any(ports[min(index, len(ports) - 1)].type == output.type for output in op.definition.outputs):
        _check_round_trip(array, kind, ("i32",) if kind.name in WIDE else CONVERTED.get(kind.name, ()))
    elif op.definition.category not in MOVING:
        if kind.integral:
            raise Declined(
                "integers are computed as f32, and saturate instead of wrapping around", f"got {kind}"
            )
        if kind.name == "f64" or (kind.bits == 8 and kind.floating):
            raise Declined(f"{kind} is computed as f32")
    elif kind.name == "f16" and np.isnan(array).any():
        raise Declined("f16 is converted to f32, which changes NaNs")
    elif op.definition.type != "ReverseSequence":
        _check_round_trip(array, kind, CONVERTED.get(kind.name, ()))
    elif kind.name in LOSSY:
        raise Declined(f"{kind} is converted to f32, which changes subnormals, zeros or NaNs")
    else:
        _check_round_trip(array, kind, CONVERTED_TO_FLOAT.get(kind.name, ()))


def _check_round_trip(array: Array, kind: ElementType, via: tuple[str, ...]) -> None:
    """Decline elements that change when converted to the other types, one after the other, and back."""
    if not via:
        return
    converted = array
    with np.errstate(all="ignore"):
        for type_name in via:
            converted = converted.astype(_TYPES[type_name])
        same = (converted < 0) == (array < 0)  # -1 and 2^64-1 have the same bits
        converted = converted.astype(array.dtype)
    same &= converted.view(f"u{array.itemsize}") == array.view(f"u{array.itemsize}")
    if not same.all():
        raise Declined(f"{kind} is converted to {via[-1]}", f"{array[~same][0]} cannot be represented")


_TYPES = {"i32": np.int32, "f32": np.float32}


# Ops that OpenVINO 2026.4's CPU plug-in computes wrongly, as measured by `irops conformance`.

Attributes = Mapping[str, Any]
Fault = Callable[[Inputs, Attributes], str]
"""The reason to decline the inputs, or ''."""


def fault_of(op: str, inputs: Inputs, attributes: Attributes) -> str:
    """Why the plug-in is known to compute an op wrongly on these inputs, or ''."""
    if attributes.get("auto_broadcast") == "pdpd":
        return "auto_broadcast pdpd is ignored"
    fault = FAULTS.get(op, "")
    return fault if isinstance(fault, str) else fault(inputs, attributes)


def _pad(inputs: Inputs, _: Attributes) -> str:
    negative = any(item is not None and (item < 0).any() for item in inputs[1:3])
    return "negative padding makes OpenVINO crash" if negative else ""


def _gather(inputs: Inputs, _: Attributes) -> str:
    data, indices, axis = inputs[0], inputs[1], inputs[2]
    if data is None or indices is None or axis is None:
        return ""
    size = data.shape[int(axis.ravel()[0])]
    outside = (indices >= size).any() or (indices < -size).any()
    return "indices out of range read memory outside of the tensor" if outside else ""


def _gather_without_signs(inputs: Inputs, attributes: Attributes) -> str:
    indices = inputs[1]
    negative = indices is not None and (indices < 0).any()
    return "negative indices are outside of the axis" if negative else _gather(inputs, attributes)


def _gather_nd(inputs: Inputs, _: Attributes) -> str:
    indices = inputs[1]
    empty = indices is not None and indices.shape[-1] == 0
    return "empty tuples read memory outside of the tensor" if empty else ""


def _reverse_sequence(inputs: Inputs, _: Attributes) -> str:
    lengths = inputs[1]
    if lengths is None or element_type_of(lengths).name != "bf16":
        return ""
    numbers = lengths.astype(np.float64)
    return (
        "fractions of bf16 lengths are rounded, not truncated" if (numbers != np.trunc(numbers)).any() else ""
    )


def _strided_slice(inputs: Inputs, attributes: Attributes) -> str:
    begin = inputs[1]
    masks = (attributes.get(name) or () for name in ("new_axis_mask", "shrink_axis_mask", "ellipsis_mask"))
    if begin is not None and any(any(mask[len(begin) :]) for mask in masks):
        return "masks beyond the last position read memory outside of the tensor"
    added, dropped = (np.any(attributes.get(name) or ()) for name in ("new_axis_mask", "shrink_axis_mask"))
    reason = "combined new_axis_mask and shrink_axis_mask read memory outside of the tensor"
    return reason if added and dropped else ""


def _convert(inputs: Inputs, attributes: Attributes) -> str:
    data, destination = inputs[0], attributes["destination_type"]
    if data is None or not destination.integral or not data.size or data.dtype == object:
        return ""
    low, high = destination.extent
    numbers = data.astype(np.float64)
    return "numbers out of range saturate" if not ((numbers > low - 1) & (numbers < high + 1)).all() else ""


def _non_zero(inputs: Inputs, _: Attributes) -> str:
    return "OpenVINO treats a scalar as a vector" if inputs[0] is not None and inputs[0].ndim == 0 else ""


FAULTS: dict[str, str | Fault] = {
    "AvgPool-16": "AvgPool-16 makes OpenVINO crash",
    "TopK-11": "TopK-11 corrupts OpenVINO's memory",
    "IsFinite-10": "some infinities are not detected",
    "IsInf-10": "the signs of infinities are not distinguished",
    "Range-4": "the elements and their number are computed as f32",
    "Convert-1": _convert,
    "Gather-1": _gather_without_signs,
    "Gather-7": _gather_without_signs,
    "Gather-8": _gather,
    "GatherND-5": _gather_nd,
    "GatherND-8": _gather_nd,
    "NonZero-3": _non_zero,
    "Pad-12": _pad,
    "ReverseSequence-1": _reverse_sequence,
    "StridedSlice-1": _strided_slice,
}
