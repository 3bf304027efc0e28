"""The libraries that reverse arrays: each is prepared for one case, writes to a given array, and is compared
with the reference.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
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


def written(case: Case, path: Path) -> Path:
    """A case as a model in an .xml or .onnx file; the axes of Reverse are constant, lengths are an input."""
    graph = irops.Graph("case")
    data = graph.parameter("data", str(case.data.dtype), case.data.shape)
    numbers: Any = case.numbers
    if case.op == "ReverseSequence-1":
        numbers = graph.parameter("numbers", "i64", numbers.shape)
    graph.result(graph.add(case.op, data, numbers, **case.attributes), "out")
    model = graph.model()
    irops.write(irops.translate(model, "onnx") if path.suffix == ".onnx" else model, path)
    return path


def inputs_of(case: Case) -> dict[str, np.ndarray]:
    inputs = {"data": case.data}
    return inputs | {"numbers": case.numbers} if case.op == "ReverseSequence-1" else inputs


def onnxruntime(case: Case, out: np.ndarray) -> Work | None:
    """Compiled once, bound to the arrays; Reverse, which ONNX has not, as a Slice with steps of -1."""
    import onnxruntime as ort
    from onnxruntime.capi.onnxruntime_pybind11_state import InvalidGraph, NotImplemented as NoKernel

    options = ort.SessionOptions()
    options.log_severity_level = 4
    with TemporaryDirectory() as folder:
        model = written(case, Path(folder, "case.onnx")).read_bytes()
    try:
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except (InvalidGraph, NoKernel):  # neither the definition nor any kernel has the element type
        return None
    bound = session.io_binding()
    for name, array in inputs_of(case).items():
        bound.bind_cpu_input(name, array)
    bound.bind_output("out", "cpu", 0, case.data.dtype, case.data.shape, out.ctypes.data)
    return lambda: session.run_with_iobinding(bound)


def openvino(case: Case, out: np.ndarray) -> Work | None:
    """Compiled once for f32, fed with tensors that share the arrays' memory."""
    import openvino as ov

    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    with TemporaryDirectory() as folder:
        request = ov.Core().compile_model(written(case, Path(folder, "case.xml")), "CPU", settings)
        request = request.create_infer_request()
    for place, array in enumerate(inputs_of(case).values()):
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
