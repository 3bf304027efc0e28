"""Something in a model that not every release of OpenVINO reads."""

from __future__ import annotations

from dataclasses import dataclass

from irops.analysis.structure import GraphNode
from irops.ir.model import Layer


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a layer uses, and the oldest release that reads it.

    rule: the name of the rule that a target without it violates; what: how messages call it, without its
    layer; at: the byte offset of the element; layer: None where the whole file needs it.
    """

    rule: str
    what: str
    since: str
    graph: GraphNode
    layer: Layer | None = None
    at: int = 0
    attribute: str | None = None
