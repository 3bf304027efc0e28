"""Whether a wrong declaration of a port is merely out of date, so that a fix may correct it.

A declaration that contradicts what is inferred may also be right, and the op, its attributes or its edges
wrong. To correct it would then remove the only sign of the fault. So a rank is corrected only where the file
states it elsewhere, and a size or a type only to one that runtimes compute with.
"""

from __future__ import annotations

from irops.analysis.structure import ModelStructure, Path
from irops.ir.model import Layer, Port
from irops.values.fact import Fact


class Stale:
    """The declarations of the ports of one layer."""

    def __init__(self, structure: ModelStructure, layer: Layer, path: Path) -> None:
        self._structure, self._layer, self._path = structure, layer, path

    def dims(self, port: Port, fact: Fact, side: str, index: int) -> bool:
        """Whether the dimensions of a port are out of date. side: input or output."""
        sizes = fact.shape.dims
        if sizes is None or any(size.high == 0 for size in sizes):
            return False
        if len(sizes) == len(port.dims) or self._states_itself(side):
            return True
        producer = self._producer(side, index)
        return producer is not None and len(producer.dims) == len(sizes)

    def type(self, fact: Fact) -> bool:
        """Whether the precision of a port is out of date."""
        kind = fact.element_type
        return kind.bits >= 8 and kind.kind in ("boolean", "signed", "unsigned", "float")

    def _states_itself(self, side: str) -> bool:
        """Whether an attribute of the layer states the shape, as that of a Parameter does."""
        return side == "output" and not self._layer.inputs and "shape" in self._layer.data

    def _producer(self, side: str, index: int) -> Port | None:
        """The output port that feeds an input."""
        sources = self._structure.by_path[self._path].wiring.inputs[self._layer.id]
        source = sources[index] if side == "input" and index < len(sources) else None
        return None if source is None else source[0].outputs[source[1]]
