"""Sizes for the axes of inputs whose size is not known, with which a model can be computed."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key
from irops.diagnostics.rule import Severity
from irops.values.dim import Dim
from irops.values.shape import Shape

TRIED = (1, 2, 4, 8, 16, 32, 64, 128, 224, 256, 512, 1024, 4096)
"""The sizes that are tried, in this order, for all axes that admit them."""


def assumed_shapes(analysis: ModelAnalysis) -> dict[Key, Shape]:
    """Static shapes for the inputs, by position: the first with which inference finds no error.

    Axes whose size is not known get one size, 1 before the others; the first axis of each input stays 1 if
    that is possible, because most models have their batch there. If inference finds errors for all sizes, it
    is 1. Inputs whose shape is static or whose rank is not known are left out.
    """
    smallest: dict[Key, Shape] = {}
    tried: list[dict[Key, Shape]] = []
    for shapes in _candidates(analysis):
        if shapes in tried:
            continue
        tried.append(shapes)
        smallest = smallest or shapes
        if not any(d.severity is Severity.ERROR for d in analysis.infer(shapes).diagnostics):
            return shapes
    return smallest


def _candidates(analysis: ModelAnalysis) -> Iterator[dict[Key, Shape]]:
    dynamic = {
        port.position: dims
        for port in analysis.signature.inputs
        if (dims := port.fact.shape.dims) is not None and not port.fact.shape.static
    }
    if not dynamic:
        return
    for batch_is_1 in (True, False):
        for size in TRIED:
            yield {
                position: Shape.of(
                    *(_within(dim, 1 if batch_is_1 and axis == 0 else size) for axis, dim in enumerate(dims))
                )
                for position, dims in dynamic.items()
            }


def _within(dim: Dim, size: int) -> int:
    """The size that a Dim admits and that is nearest to a size."""
    return int(min(max(dim.low, size), dim.high))
