"""Compile IR files with OpenVINO's CPU plug-in, and print of each why it is refused, "" if it compiles.

Paths come from standard input, one a line, and answers go out as lines of JSON. A file that crashes the
process has no answer. A refusal counts if the plug-in compiles the model neither in f32 nor in the precision
that it chooses itself. A model of dynamic shapes is also run, with the sizes in the comment at its end.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

SIZES = re.compile(r"<!--([^>]*)-->\s*$")


def main() -> None:
    from openvino import Core

    core = Core()
    for line in sys.stdin:
        path = line.rstrip("\n")
        print(json.dumps([path, _refusal(core, path)]), flush=True)


def _refusal(core: Any, path: str) -> str:
    try:
        model = core.read_model(path)
    except Exception as error:
        return f"read: {_text(error)}"
    why = ""
    for settings in ({"INFERENCE_PRECISION_HINT": "f32"}, {}):
        try:
            compiled = core.compile_model(model, "CPU", settings)
        except Exception as error:
            why = f"compile: {_text(error)}"
        else:
            sizes = SIZES.search(Path(path).read_text("utf-8"))
            return "" if sizes is None else _failure(compiled, sizes[1])
    return why


def _failure(compiled: Any, sizes: str) -> str:
    """Why a run fails; sizes: of each input, "input0:2,3;input1:4"."""
    from openvino import Shape, Tensor

    shapes = dict(part.split(":") for part in sizes.split(";") if part)
    try:
        request = compiled.create_infer_request()
        for index, source in enumerate(compiled.inputs):
            shape = shapes[source.get_node().get_friendly_name()]
            numbers = [int(size) for size in shape.split(",") if size]
            tensor = Tensor(source.get_element_type(), Shape(numbers))
            if tensor.data.dtype.kind in "biuf":
                tensor.data[...] = 0
            request.set_input_tensor(index, tensor)
        request.infer()
    except Exception as error:
        return f"run: {_text(error)}"
    return ""


def _text(error: Exception) -> str:
    return str(error).strip() or type(error).__name__


if __name__ == "__main__":
    main()
