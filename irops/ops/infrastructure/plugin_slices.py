"""Where OpenVINO's CPU plug-in slices and concatenates otherwise than OpenVINO infers: warnings.

The plug-in takes start and end of a TensorIterator for positions between elements, of which -1 is the end of
the axis, and counts iterations along sliced inputs and, if all shapes are static, along concatenated outputs.
"""

from __future__ import annotations

from collections.abc import Sequence

from irops.spec.body import BodyFunction, Cut
from irops.values.dim import Dim
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import violations_at, warn_unless


def check_slices(body: BodyFunction, shapes: Sequence[Shape]) -> None:
    """Warn about sliced inputs of which the plug-in takes other parts, or none."""
    for entry in body.inputs:
        if entry.cut is None or entry.port is None:
            continue
        cut, shape = entry.cut, shapes[entry.port]
        with violations_at(entry.at):
            ends = f"start {cut.start}, end {cut.end}, stride {cut.stride}"
            warn_unless(_counted_alike(cut), "C12", ends)
            if shape.dims is not None and -len(shape) <= cut.axis < len(shape):
                warn_unless(shape[cut.axis] > 0, "C14", shape)


def _counted_alike(cut: Cut) -> bool:
    if cut.stride > 0:
        return cut.start == 0 and cut.end < 0
    return cut.start == -1 and cut.end >= 0


def check_concatenations(body: BodyFunction, results: Sequence[Fact], count: Dim) -> None:
    """Warn about concatenated outputs for which the plug-in counts another number of iterations."""
    for entry in body.outputs:
        if entry.cut is None or entry.port is None:
            continue
        cut, shape = entry.cut, results[entry.result].shape
        values = f"start {cut.start}, end {cut.end}, stride {cut.stride}, part_size {cut.part_size}"
        with violations_at(entry.at):
            if count.known and shape.static:
                size = int(count) * cut.part_size
                warn_unless(int(count) * abs(cut.stride) == _length(cut, size), "C13", values)
            else:
                warn_unless(abs(cut.stride) == cut.part_size, "C13", values)


def _length(cut: Cut, size: int) -> int:
    """The number of elements that the plug-in counts along an axis."""
    start, end = (at if at >= 0 else at + size + 1 for at in (cut.start, cut.end))
    return end - start if cut.stride > 0 else start - end
