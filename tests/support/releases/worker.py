"""Do with IR files what is asked for, with the OpenVINO that is importable, and print of each why it fails,
"" if it does not.

Runs without irops in the environment of any release. Requests come from standard input and answers go out as
lines of JSON. A request is {"xml", "action"}:

read     read the file
compile  compile it for the CPU, in f32 or else in the precision that the plug-in chooses itself; a model of
         dynamic shapes is also run, with the sizes in the comment at its end

An answer begins with the stage that fails: read, compile or run. A file that crashes the process has none.
"""

from __future__ import annotations

import json
import re
import sys

try:
    import openvino as library
    from openvino import Core
except ImportError:  # 2023.0
    import openvino.runtime as library
    from openvino.runtime import Core

SIZES = re.compile(r"<!--([^>]*)-->\s*$")


def main() -> None:
    core = Core()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(_failure(core, **request)), flush=True)


def _failure(core, xml, action) -> str:
    stage = "read"
    try:
        model = core.read_model(xml)
        if action == "read":
            return ""
        stage = "compile"
        compiled = _compiled(core, model)
        stage = "run"
        tensors = _zeros(compiled, xml)
        if tensors is not None:
            _run(compiled, tensors)
    except Exception as error:
        return f"{stage}: {str(error).strip() or type(error).__name__}"
    return ""


def _compiled(core, model):
    try:
        return core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    except Exception:
        return core.compile_model(model, "CPU", {})


def _run(compiled, tensors):
    running = compiled.create_infer_request()
    for index, tensor in enumerate(tensors):
        running.set_input_tensor(index, tensor)
    running.infer()


def _zeros(compiled, xml):
    """Inputs of the sizes in the comment at the end of a file, "input0:2,3;input1:4"; None without it."""
    with open(xml, encoding="utf-8") as file:
        sizes = SIZES.search(file.read())
    if sizes is None:
        return None
    shapes, tensors = dict(part.split(":") for part in sizes[1].split(";") if part), []
    for source in compiled.inputs:
        shape = shapes[source.get_node().get_friendly_name()]
        numbers = [int(size) for size in shape.split(",") if size]
        tensors.append(library.Tensor(source.get_element_type(), library.Shape(numbers)))
        if tensors[-1].data.dtype.kind in "biuf":
            tensors[-1].data[...] = 0
    return tensors


if __name__ == "__main__":
    main()
