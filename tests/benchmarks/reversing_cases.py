"""What is reversed: layouts, element types and lengths, and how they are called in tables."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from reversing_peers import Case

SEQUENCES = [
    ((4, 10, 100, 200), 0, 1),
    ((64, 512, 256), 0, 1),
    ((512, 64, 256), 1, 0),
    ((65536, 64), 0, 1),
    ((64, 65536), 1, 0),
    ((65536, 16, 4), 0, 1),
    ((256, 4096), 0, 1),
]
OF_ALL_TYPES = ((65536, 64), (64, 65536), (256, 4096))
TYPES = {"f32": np.float32, "i8": np.int8, "f16": np.float16, "f64": np.float64, "bool": np.bool_}
LENGTHS = ("random", "full", "one", "sorted")
IMAGES = (8, 3, 224, 224)
AXES = [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]

About = dict[str, Any]


def cases() -> Iterator[tuple[About, Case]]:
    """What is measured, and what it is called."""
    rng = np.random.default_rng(0)
    for shape, batch_axis, seq_axis in SEQUENCES:
        for name in TYPES if shape in OF_ALL_TYPES else ("f32",):
            data = filled(shape, name, rng)
            for kind in LENGTHS:
                about = {
                    "op": "ReverseSequence",
                    "shape": list(shape),
                    "axes": [batch_axis, seq_axis],
                    "type": name,
                    "lengths": kind,
                }
                yield (
                    about,
                    Case(
                        "ReverseSequence-1",
                        data,
                        lengths(kind, shape[batch_axis], shape[seq_axis], rng),
                        {"batch_axis": batch_axis, "seq_axis": seq_axis},
                    ),
                )
    data = filled(IMAGES, "f32", rng)
    for axes in AXES:
        yield (
            {"op": "Reverse", "shape": list(IMAGES), "axes": list(axes), "type": "f32", "lengths": ""},
            Case("Reverse-1", data, np.array(axes), {"mode": "index"}),
        )


def lengths(kind: str, batch: int, steps: int, rng: np.random.Generator) -> np.ndarray:
    random = rng.integers(1, steps + 1, batch)
    return {
        "random": random,
        "sorted": np.sort(random),
        "full": np.full(batch, steps),
        "one": np.ones(batch, np.int64),
    }[kind]


def filled(shape: tuple[int, ...], name: str, rng: np.random.Generator) -> np.ndarray:
    kind = np.dtype(TYPES[name])
    return rng.random(shape).astype(kind) if kind.kind == "f" else rng.integers(0, 2, shape).astype(kind)


def layout(about: About) -> str:
    """Shape and axes, as people write them."""
    shape = "(" + ", ".join(map(str, about["shape"])) + ")"
    if about["op"] == "Reverse":
        return (
            f"{shape}, {'axis' if len(about['axes']) == 1 else 'axes'} {', '.join(map(str, about['axes']))}"
        )
    return shape + (", time first" if about["axes"] == [1, 0] else "")


def row_bytes(about: About) -> int:
    """How many bytes lie together and stay in their order: what is behind the last axis that is reversed."""
    behind = about["shape"][max(about["axes"]) + 1 :]
    return int(np.prod(behind, dtype=np.int64)) * np.dtype(TYPES[about["type"]]).itemsize
