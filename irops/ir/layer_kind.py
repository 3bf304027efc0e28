"""What a layer is in its graph."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache


class LayerKind(StrEnum):
    """What a layer is in its graph, whatever its op computes."""

    PARAMETER = "parameter"
    RESULT = "result"
    CONSTANT = "constant"  # its value lies in the model's weights
    SINK = "sink"  # runs although nothing uses an output of it
    OPERATION = "operation"


@lru_cache(4096)
def kind_of(type: str) -> LayerKind:
    """What a layer of that type is in IR: OpenVINO's reader compares Result and Const exactly, Parameter and
    Assign without regard to case.
    """
    match type:
        case "Result":
            return LayerKind.RESULT
        case "Const":
            return LayerKind.CONSTANT
    match type.lower():
        case "parameter":
            return LayerKind.PARAMETER
        case "assign":
            return LayerKind.SINK
    return LayerKind.OPERATION
