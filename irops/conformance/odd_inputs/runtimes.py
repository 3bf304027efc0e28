"""The runtimes. Each one imports its library when it is first used, in a separate process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from irops.backends.extras import missing_libraries
from irops.conformance.odd_inputs import by_onnx, by_openvino, similar_functions
from irops.conformance.odd_inputs.odd_input import Reply, Request


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime or library function to compare with.

    name: identifies it in columns; label: its name on pages; extra: the extra of irops that installs it;
    libraries: the required libraries, the last of which gives the version.
    """

    name: str
    label: str
    extra: str
    libraries: tuple[str, ...]
    reply: Callable[[Request], Reply]

    @property
    def missing(self) -> str | None:
        """A message about libraries that are not installed, or None."""
        return missing_libraries(self.extra, *self.libraries) if self.extra else None

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
        Runtime("numpy-flip", "numpy.flip", "", ("numpy",), similar_functions.by_numpy),
        Runtime("torch-flip", "torch.flip", "torch", ("torch",), similar_functions.by_torch),
    )
}
