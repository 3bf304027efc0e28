"""The runtimes that are asked. Each of them imports its library when it is asked, which it is in a process of
its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from irops.backends.extras import lacks
from irops.conformance.odd_inputs import by_onnx, by_openvino, neighbours
from irops.conformance.odd_inputs.odd import Question, Reply


@dataclass(frozen=True, slots=True)
class Runtime:
    """Something that can be asked.

    name: as columns name it; label: as readers see it; libraries: what must be installed, and extra brings,
        the last of them the one
    whose version counts.
    """

    name: str
    label: str
    extra: str
    libraries: tuple[str, ...]
    reply: Callable[[Question], Reply]

    @property
    def missing(self) -> str | None:
        """What is not installed, in words; None where all is there."""
        return lacks(self.extra, *self.libraries) if self.extra else None

    @property
    def version(self) -> str:
        try:
            return version(self.libraries[-1])
        except PackageNotFoundError:
            return ""


RUNTIMES = {
    runtime.name: runtime
    for runtime in (
        Runtime("openvino", "OpenVINO, CPU", "openvino", ("openvino",), by_openvino.by_cpu),
        Runtime(
            "openvino-evaluate",
            "OpenVINO, Model.evaluate",
            "openvino",
            ("openvino",),
            by_openvino.by_evaluate,
        ),
        Runtime(
            "openvino-onnx", "OpenVINO, from ONNX", "openvino", ("onnx", "openvino"), by_onnx.by_openvino
        ),
        Runtime("onnx-checker", "ONNX checker", "onnx", ("onnx",), by_onnx.by_checker),
        Runtime("onnx-reference", "onnx.reference", "onnx", ("onnx",), by_onnx.by_reference),
        Runtime(
            "onnxruntime", "ONNX Runtime, CPU", "onnxruntime", ("onnx", "onnxruntime"), by_onnx.by_onnxruntime
        ),
        Runtime("numpy-flip", "numpy.flip", "", ("numpy",), neighbours.by_numpy),
        Runtime("torch-flip", "torch.flip", "torch", ("torch",), neighbours.by_torch),
    )
}
