"""The process that runs ONNX models with ONNX Runtime, so that a crash does not end the caller.

Its requests are ("model", path), then ("values", inputs, names): the values of these names, or of the model's
outputs where there are none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irops.debugging.sources.wire import Packed, packed, unpacked
from irops.processes.worker import serve


class Worker:
    """A model. Answers are pairs of a word and what it is about."""

    def __init__(self) -> None:
        self._path = ""

    def answer(self, request: tuple[Any, ...]) -> Any:
        """None for the first request, unless the model cannot be read; then (word, content)."""
        try:
            match request[0]:
                case "model":
                    self._path = request[1]
                    return None
                case "names":
                    return "names", self._names()
                case _:
                    return "values", self._values(request[1], request[2])
        except Exception as error:
            return "refused", (str(error).strip() or type(error).__name__).splitlines()[0]

    def _names(self) -> list[str]:
        """The names of all values that nodes give."""
        import onnx

        graph = onnx.load(self._path, load_external_data=False).graph
        return [name for node in graph.node for name in node.output if name]

    def _values(self, inputs: list[Packed], names: list[str]) -> dict[str, Packed]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        content: Any = self._with_outputs(names) if names else self._path
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        fed = {port.name: np.asarray(unpacked(item)) for port, item in zip(session.get_inputs(), inputs)}
        wanted = names or [port.name for port in session.get_outputs()]
        return {name: packed(np.asarray(value)) for name, value in zip(wanted, session.run(wanted, fed))}

    def _with_outputs(self, names: list[str]) -> bytes:
        """The model with further outputs; its initializers are loaded, since it is passed as bytes."""
        import onnx

        model = onnx.load(self._path)
        present = {output.name for output in model.graph.output}
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in present)
        content: bytes = model.SerializeToString()
        return content


if __name__ == "__main__":
    serve(Worker().answer)
