"""The libraries that reverse arrays: each is prepared for one case, writes to a given array, and is compared
with the reference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import irops

Work = Callable[[], Any]
Peer = Callable[["Case", np.ndarray], Work | None]
"""What does the work of a case into an array, when called; None where it cannot."""


@dataclass(frozen=True)
class Case:
    """One call. numbers: lengths, or axes; attributes: as irops.call takes them."""

    op: str
    data: np.ndarray
    numbers: np.ndarray
    attributes: dict[str, Any]


def by_irops(*backends: str) -> Peer:
    def ready(case: Case, out: np.ndarray) -> Work:
        return lambda: irops.call(
            case.op, case.data, case.numbers, out=out, backends=backends, **case.attributes
        )

    return ready


def memcpy(case: Case, out: np.ndarray) -> Work:
    return lambda: np.copyto(out, case.data)


def flip(case: Case, out: np.ndarray) -> Work | None:
    axes = tuple(case.numbers.tolist())
    return (lambda: np.copyto(out, np.flip(case.data, axes))) if case.op == "Reverse-1" else None


def onnxruntime(case: Case, out: np.ndarray) -> Work | None:
    """Compiled once, bound to the arrays; Reverse, which ONNX has not, as a Slice with steps of -1."""
    import onnxruntime as ort
    from onnx import TensorProto, helper
    from onnxruntime.capi.onnxruntime_pybind11_state import InvalidGraph
    from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as NoKernel

    kind = helper.np_dtype_to_tensor_dtype(case.data.dtype)
    shape, info = case.data.shape, helper.make_tensor_value_info
    given = {"data": case.data}
    if case.op == "ReverseSequence-1":
        given["lengths"] = case.numbers
        axes = {"batch_axis": case.attributes["batch_axis"], "time_axis": case.attributes["seq_axis"]}
        node = helper.make_node("ReverseSequence", ["data", "lengths"], ["out"], **axes)
    else:
        each = np.ones_like(case.numbers)
        given |= {"starts": -each, "ends": each * -(1 << 62), "axes": case.numbers, "steps": -each}
        node = helper.make_node("Slice", list(given), ["out"])
    inputs = [
        info(name, kind if name == "data" else TensorProto.INT64, array.shape)
        for name, array in given.items()
    ]
    model = helper.make_model(
        helper.make_graph([node], "g", inputs, [info("out", kind, shape)]),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    options = ort.SessionOptions()
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except (InvalidGraph, NoKernel):  # neither the definition nor any kernel has the element type
        return None
    bound = session.io_binding()
    for name, array in given.items():
        bound.bind_cpu_input(name, array)
    bound.bind_output("out", "cpu", 0, case.data.dtype, shape, out.ctypes.data)
    return lambda: session.run_with_iobinding(bound)


def openvino(case: Case, out: np.ndarray) -> Work | None:
    """Compiled once for f32, fed with tensors that share the arrays' memory."""
    import openvino as ov
    from openvino import opset1

    kind = case.data.dtype
    data, numbers = opset1.parameter(case.data.shape, kind), opset1.parameter(case.numbers.shape, np.int64)
    if case.op == "ReverseSequence-1":
        model = ov.Model([opset1.reverse_sequence(data, numbers, **case.attributes)], [data, numbers])
        given = [case.data, case.numbers]
    else:
        from openvino.utils.node_factory import NodeFactory

        axes = opset1.constant(case.numbers)
        model = ov.Model(
            [NodeFactory("opset1").create("Reverse", [data.output(0), axes.output(0)], {"mode": "index"})],
            [data],
        )
        given = [case.data]
    compiled = ov.Core().compile_model(
        model, "CPU", {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    )
    request = compiled.create_infer_request()
    for place, array in enumerate(given):
        request.set_input_tensor(place, ov.Tensor(array, shared_memory=True))
    request.set_output_tensor(ov.Tensor(out, shared_memory=True))
    return lambda: request.infer(share_outputs=True)  # otherwise results are copied once more


PEERS: dict[str, Peer] = {
    "memcpy": memcpy,
    "numba": by_irops("numba"),
    "reference": by_irops("reference"),
    "onnxruntime": onnxruntime,
    "openvino": openvino,
    "flip": flip,
}


def machine() -> dict[str, Any]:
    """What the times were taken on."""
    import platform
    from importlib.metadata import version

    description = Path("/proc/cpuinfo")
    names = (
        [
            line.partition(":")[2].strip()
            for line in description.read_text().splitlines()
            if line.startswith("model name")
        ]
        if description.exists()
        else []
    )
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "onnxruntime", "openvino")},
    }
