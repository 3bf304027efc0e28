"""Run IR files with the OpenVINO that is importable, on arrays of .npz files, and store the outputs.

Runs without irops in the environment of any release. Requests come from standard input and answers go out as
lines of JSON: {"xml", "inputs", "types", "shapes", "outputs"} gives [xml, why], "" where it ran.
"""

from __future__ import annotations

import json
import sys

import numpy as np

BITS = ("bf16", "f8e4m3", "f8e5m2", "f8e8m0", "u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1")
"""Element types that NumPy does not have; the files hold their bits."""


def main() -> None:
    try:
        import openvino as library
        from openvino import Core
    except ImportError:  # 2023.0
        import openvino.runtime as library
        from openvino.runtime import Core
    core = Core()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            why = _run(core, library, request)
        except Exception as error:
            text = str(error).strip() or type(error).__name__
            why = f"{type(error).__name__}: {text}"
        print(json.dumps([request["xml"], why]), flush=True)


def _run(core, library, request) -> str:
    """Read, compile and run a file; the outputs by position go to an .npz file."""
    try:
        model = core.read_model(request["xml"])
    except Exception as error:
        return f"not read: {error}"
    try:
        compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        running = compiled.create_infer_request()
        with np.load(request["inputs"], allow_pickle=False) as stored:
            arrays = [stored[name] for name in stored.files]
        tensors = [
            _tensor(library, array, name, shape)
            for array, name, shape in zip(arrays, request["types"], request["shapes"])
        ]
        for index, tensor in enumerate(tensors):
            running.set_input_tensor(index, tensor)
        running.infer()
        outputs = [_array(running.get_output_tensor(index)) for index in range(len(compiled.outputs))]
    except Exception as error:
        return f"not run: {error}"
    np.savez(request["outputs"], **{f"out{index}": array for index, array in enumerate(outputs)})
    return ""


def _tensor(library, array, name, shape):
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
