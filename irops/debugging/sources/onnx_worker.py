"""The process that runs ONNX models with ONNX Runtime, so that a crash does not end the caller.

Its requests are ("names",) or ("values", inputs, names): the values of these names, or of the model's outputs
where there are none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.processes.worker import Refused
from irops.values.element import Array


class ONNXModel:
    """The model at a path."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, request: tuple[Any, ...]) -> Any:
        try:
            return self._names() if request[0] == "names" else self._values(*request[1:])
        except Exception as error:
            return Refused((str(error).strip() or type(error).__name__).splitlines()[0])

    def _names(self) -> list[str]:
        """The names of all values that nodes give."""
        import onnx

        graph = onnx.load(self._path, load_external_data=False).graph
        return [name for node in graph.node for name in node.output if name]

    def _values(self, inputs: list[Array], names: list[str]) -> dict[str, Array]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        content: Any = self._with_outputs(names) if names else self._path
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        fed = {port.name: array for port, array in zip(session.get_inputs(), inputs)}
        wanted = names or [port.name for port in session.get_outputs()]
        return {name: np.asarray(value) for name, value in zip(wanted, session.run(wanted, fed))}

    def _with_outputs(self, names: list[str]) -> bytes:
        """The model with further outputs; its initializers are loaded, since it is passed as bytes."""
        import onnx

        model = onnx.load(self._path)
        present = {output.name for output in model.graph.output}
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in present)
        content: bytes = model.SerializeToString()
        return content
