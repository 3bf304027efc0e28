"""Sums within ops by OpenVINO and PyTorch, each in a process of its own, are within their error bounds; a
thousandth more is not. In about half a minute.

    python tests/verdicts/long_sums.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from test_bounds import OPS, ROWS, result

from irops.verdicts.judge import judge

F32 = np.float32
ILL = {("ReduceMean", "random"), ("MVN", "equal"), ("GroupNormalization", "equal")}
"""Terms that cancel: a thousandth of what is left is rounding."""


def by_openvino(path):
    """The results of OpenVINO's CPU plug-in."""
    import openvino as ov
    from openvino import opset13 as ops

    last, found = ops.constant(np.array([1])), {}
    for rows, x in ROWS.items():
        p = ops.parameter(list(x.shape), ov.Type.f32)
        ends = [ops.constant(np.full(x.shape[1], value, F32)) for value in (1.5, -0.5)]
        nodes = {
            "SoftMax": ops.softmax(p, 1),
            "LogSoftmax": ops.log_softmax(p, 1),
            "MVN": ops.mvn(p, last, True, 1e-5, "INSIDE_SQRT"),
            "NormalizeL2": ops.normalize_l2(p, last, 1e-12, "add"),
            "ReduceMean": ops.reduce_mean(p, last, False),
            "ReduceL2": ops.reduce_l2(p, last, False),
            "GroupNormalization": ops.group_normalization(
                ops.unsqueeze(p, ops.constant(np.array([2]))), *ends, 1, 1e-5
            ),
            "CumSum": ops.cumsum(p, ops.constant(np.array(1))),
        }
        for op, node in nodes.items():
            properties = {"INFERENCE_PRECISION_HINT": "f32"}
            compiled = ov.Core().compile_model(ov.Model([node], [p]), "CPU", properties)
            found[f"{op}|{rows}"] = compiled([x])[0]
    np.savez(path, **found)


def by_torch(path):
    """The results of PyTorch."""
    import torch
    import torch.nn.functional as functions

    found = {}
    for rows, x in ROWS.items():
        t, size = torch.tensor(x), x.shape[1]
        ends = torch.full((size,), 1.5), torch.full((size,), -0.5)
        results = {
            "SoftMax": functions.softmax(t, 1),
            "LogSoftmax": functions.log_softmax(t, 1),
            "MVN": functions.layer_norm(t, (size,), eps=1e-5),
            "NormalizeL2": t / (t.square().sum(1, keepdim=True) + 1e-12).sqrt(),
            "ReduceMean": t.mean(1),
            "ReduceL2": t.norm(dim=1),
            "GroupNormalization": functions.group_norm(t[..., None], 1, *ends),
            "CumSum": t.cumsum(1),
        }
        found.update({f"{op}|{rows}": array.numpy() for op, array in results.items()})
    np.savez(path, **found)


RUNTIMES = {"openvino": by_openvino, "torch": by_torch}


def main():
    """Returns: 1 where a runtime is called wrong, or a fault is not found."""
    wrong = 0
    for runtime in RUNTIMES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "results.npz")
            subprocess.run([sys.executable, __file__, runtime, str(path)], check=True)
            results = dict(np.load(path))
        for key, ours in results.items():
            op, rows = key.split("|")
            asked = OPS[op][1](ROWS[rows])
            truth = result(asked)
            found = judge(asked, truth, ours.reshape(truth.shape).astype(truth.dtype))
            missed = not judge(asked, truth, truth * F32(1.001)).is_fault
            missed = missed and rows != "tiny" and (op, rows) not in ILL
            if found.is_fault or missed:
                wrong += 1
                print(
                    runtime, op, rows, found.verdict, found.reason, "a thousandth is missed" if missed else ""
                )
    return int(bool(wrong))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        RUNTIMES[sys.argv[1]](sys.argv[2])
    else:
        sys.exit(main())
