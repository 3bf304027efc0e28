"""RMSNorm said in other ops: its kernel, its shapes and its conversion follow from this alone."""

from __future__ import annotations

from typing import Any

from irops.expansion.expanding import Expanding, expansion


@expansion("RMSNorm-extension", rounds="narrow types round after each op")
def rms_norm(op: Expanding) -> Any:
    data = op.input("data")
    mean = op.ReduceMean(op.Multiply(data, data), [-1], keep_dims=True, part="mean")
    root = op.Sqrt(op.Add(mean, op.attributes["epsilon"]), part="root")
    return op.Multiply(op.Divide(data, root), op.input("scale"))
