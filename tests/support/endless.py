"""A model whose loop goes round a million times."""

from pathlib import Path

import numpy as np
from bodies import LOOP, Net, decides, feeds, gives, takes


def write_endless(path: Path) -> None:
    """Write the model, with its weights beside it."""
    net = Net()
    trips, goes_on, x = net.const(10**6, np.int64), net.const(True, bool), net.parameter("x", "f32", "2")
    body = net.body()
    before = body.parameter("p", "f32", "2")
    after, on = body.result(body.op("Abs", before)), body.result(body.const(True, bool))
    maps = takes(2, before) + gives(3, after) + decides(on) + feeds(after, before)
    net.result(net.apply(LOOP, trips, goes_on, x, body=(body, maps))[0], "y")
    path.write_text(net.xml())
    path.with_suffix(".bin").write_bytes(bytes(net.weights))
