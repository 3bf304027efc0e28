"""Parameter as ONNX has it: an input may be a value that is not a tensor."""

from __future__ import annotations

from irops.spec.binding import shape as infers
from irops.values.fact import Fact, parse_fact
from irops.values.shape import Shape


@infers("onnx:Parameter-1")
def typed_parameter(*, shape: Shape, type: str | None = None) -> Shape | Fact:
    return shape if type is None else parse_fact(type)
