"""Do with IR files what is asked for, with the OpenVINO that is importable, and print of each why it fails,
"" if it does not.

Runs without irops in the environment of any release. Requests come from standard input and answers go out as
lines of JSON. A request is {"xml", "action"}:

read     read the file
compile  compile it for the CPU, in f32 or else in the precision that the plug-in chooses itself; a model of
         dynamic shapes is also run, with the sizes in the comment at its end
run      run it on the arrays of the file "inputs", of the "types" and "shapes", and store those of "outputs"

An answer begins with the stage that fails: read, compile or run. A file that crashes the process has none.
"""

from __future__ import annotations

import json
import re
import sys

import numpy as np

try:
    import openvino as library
    from openvino import Core
except ImportError:  # 2023.0
    import openvino.runtime as library
    from openvino.runtime import Core

BITS = ("bf16", "f8e4m3", "f8e5m2", "f8e8m0", "u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1")
"""Element types that NumPy does not have; the files hold their bits."""
SIZES = re.compile(r"<!--([^>]*)-->\s*$")


def main() -> None:
    core = Core()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(_failure(core, **request)), flush=True)


def _failure(core, xml, action, **files) -> str:
    stage = "read"
    try:
        model = core.read_model(xml)
        if action == "read":
            return ""
        stage = "compile"
        compiled = _compiled(core, model, action)
        stage = "run"
        tensors = _stored(**files) if action == "run" else _zeros(compiled, xml)
        if tensors is not None:
            outputs = _outputs(compiled, tensors)
            if action == "run":
                np.savez(files["outputs"], **{f"out{index}": array for index, array in enumerate(outputs)})
    except Exception as error:
        return f"{stage}: {str(error).strip() or type(error).__name__}"
    return ""


def _compiled(core, model, action):
    try:
        return core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    except Exception:
        if action == "run":
            raise
        return core.compile_model(model, "CPU", {})


def _outputs(compiled, tensors):
    running = compiled.create_infer_request()
    for index, tensor in enumerate(tensors):
        running.set_input_tensor(index, tensor)
    running.infer()
    return [_array(running.get_output_tensor(index)) for index in range(len(compiled.outputs))]


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


def _stored(inputs, types, shapes, outputs):
    with np.load(inputs, allow_pickle=False) as stored:
        arrays = [stored[name] for name in stored.files]
    return list(map(_tensor, arrays, types, shapes))


def _tensor(array, name, shape):
    """A tensor of the bits of an array, as the corpora store them."""
    kind = getattr(library.Type, name)
    if name in BITS:
        return library.Tensor(np.ascontiguousarray(array), library.Shape(shape), kind)
    if name == "string":
        return library.Tensor(np.asarray(array).reshape(shape))
    made = library.Tensor(kind, library.Shape(shape))
    if array.size:
        made.data[...] = np.asarray(array).reshape(shape)
    return made


def _array(tensor):
    """A copy of a tensor; types that NumPy does not have as their bits."""
    data = np.array(tensor.data)
    if tensor.get_element_type().get_type_name() == "bf16":
        return data.view(np.uint16)
    return data.astype(str) if data.dtype == object else data


if __name__ == "__main__":
    main()
