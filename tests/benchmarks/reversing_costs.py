"""What reversal costs beside moving bytes, and what limits the moving: overhead of a call, first call, speed
in parts.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from reversing_cases import filled, lengths

import irops

Work = Callable[[], Any]
PARTS = [
    ((4, 10, 100, 200), 0, 1, "f32"),
    ((64, 512, 256), 0, 1, "f32"),
    ((512, 64, 256), 1, 0, "f32"),
    ((65536, 16, 4), 0, 1, "f32"),
    ((65536, 64), 0, 1, "f32"),
    ((65536, 64), 0, 1, "f16"),
    ((65536, 64), 0, 1, "i8"),
    ((256, 4096), 0, 1, "f32"),
    ((256, 4096), 0, 1, "i8"),
    ((64, 65536), 1, 0, "f32"),
    ((64, 65536), 1, 0, "f16"),
    ((64, 65536), 1, 0, "i8"),
]
TINY = np.zeros((4, 8, 4), np.float32), np.array([1, 3, 5, 8]), 0, 1
SMALL = 256 << 10
"""Bytes of a tensor that fits, with its result, into the cache of one core."""
FIRST = """
import json, time
begin = time.perf_counter()
import numpy as np, irops
seconds = {"import": time.perf_counter() - begin}
data, lengths = np.zeros((SHAPE), np.float32), np.arange(1, 65)
for name in ("first", "second"):
    begin = time.perf_counter()
    irops.call("ReverseSequence-1", data, lengths, backends=("numba",), batch_axis=0, seq_axis=1)
    seconds[name] = time.perf_counter() - begin
print(json.dumps(seconds))
"""


def least(works: Sequence[Work], seconds: float = 1.5, in_a_row: int = 8) -> list[float]:
    """The least time of each, in turns."""
    found = [float("inf")] * len(works)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for place, work in enumerate(works):
            for _ in range(in_a_row):
                begin = time.perf_counter()
                work()
                found[place] = min(found[place], time.perf_counter() - begin)
    return found


def costs() -> dict[str, Any]:
    return {"call": call(), "first": first(), "parts": [parts(*part) for part in PARTS]}


def call() -> dict[str, float]:
    """A call on 512 bytes, and what is within it: the backend's function, and the code that it has
    compiled.
    """
    from irops.backends.numba import reversing

    data, numbers, *_ = TINY
    axes: dict[str, Any] = {"batch_axis": 0, "seq_axis": 1}
    out = np.zeros_like(data)
    found = least(
        [
            lambda: irops.call("ReverseSequence-1", data, numbers, out=out, backends=("numba",), **axes),
            lambda: reversing.reverse_sequence(data, numbers, out=out, **axes),
            _small(*TINY)[1],
        ]
    )
    return dict(zip(("call", "backend", "compiled"), found))


def first() -> dict[str, dict[str, float]]:
    """The first call of a process, where nothing is compiled yet, and of the next, which finds the code on
    disk.
    """
    with tempfile.TemporaryDirectory() as folder:
        seconds = [
            subprocess.run(
                [sys.executable, "-c", FIRST.replace("SHAPE", "64, 512, 256")],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
            ).stdout
            for _ in range(3)
        ]
    compiling, *later = map(json.loads, seconds)
    return {"compiling": compiling, "from disk": min(later, key=lambda figures: figures["first"])}


def parts(shape: tuple[int, ...], batch_axis: int, seq_axis: int, kind: str) -> dict[str, Any]:
    """Bytes of the tensor moved per second: by memcpy and by the kernel on one core and on all, and within
    the cache of a core.

    The last figure is without what it takes to enter and leave compiled code.
    """
    rng = np.random.default_rng(0)
    data = filled(shape, kind, rng)
    numbers = lengths("random", shape[batch_axis], shape[seq_axis], rng)
    few = max(shape[batch_axis] * SMALL // data.nbytes, 1)
    small = np.ascontiguousarray(data.take(np.arange(few), batch_axis))
    names = ("memcpy", "memcpy of all cores", "one core", "all cores", "memcpy in cache", "one core in cache")
    works = [
        *_large(data, numbers, batch_axis, seq_axis),
        *_small(small, numbers[:few], batch_axis, seq_axis),
    ]
    sizes = [data.nbytes] * 4 + [small.nbytes] * 2
    *seconds, entering = least([*works, _small(*TINY)[1]])
    seconds[-1] -= entering
    speeds = {
        name: size / spent
        for name, size, spent in zip(names, sizes, seconds)
        if size <= SMALL or size == data.nbytes
    }
    return {
        "shape": list(shape),
        "op": "ReverseSequence",
        "axes": [batch_axis, seq_axis],
        "type": kind,
        "bytes per second": speeds,
    }


def _large(data: np.ndarray, numbers: np.ndarray, batch_axis: int, seq_axis: int) -> list[Work]:
    from irops.backends.numba.workers import WORKERS

    cores, outs = WORKERS.cores, [np.zeros_like(data) for _ in range(4)]
    axes = {"batch_axis": batch_axis, "seq_axis": seq_axis}

    def on(count: int, lengths: np.ndarray, out: np.ndarray) -> Work:
        def work() -> None:
            WORKERS.cores = count
            irops.call("ReverseSequence-1", data, lengths, out=out, backends=("numba",), **axes)
            WORKERS.cores = cores

        return work

    return [
        lambda: np.copyto(outs[0], data),
        on(cores, np.ones_like(numbers), outs[1]),
        on(1, numbers, outs[2]),
        on(cores, numbers, outs[3]),
    ]


def _small(data: np.ndarray, numbers: np.ndarray, batch_axis: int, seq_axis: int) -> list[Work]:
    """Python around the compiled code is left out here: it would be most of the time."""
    from irops.backends.numba import reversing
    from irops.backends.numba.loops import address_of

    copied, out = np.zeros_like(data), np.zeros_like(data)
    places = address_of(out), address_of(data), address_of(numbers)
    jobs = reversing._work(data, places[0] % reversing.LINE, numbers, batch_axis, seq_axis)

    def work() -> None:
        for job in jobs:
            job.run(*places, (data, numbers, out))

    return [lambda: np.copyto(copied, data), work]
