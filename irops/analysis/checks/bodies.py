"""Port maps and back edges tie a body to the ports of its layer."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic


def port_maps_are_sound(structure: ModelStructure) -> Iterator[Diagnostic]:
    """The faults of every port map; what is absent is not reported of a graph that was read only in part."""
    for node in structure.bodies:
        outer = node.outer
        for fault in node.faults:
            if not (fault.absence and outer.path in structure.partially_read):
                yield structure.finding(
                    fault.rule, fault.message, fault.at, outer, node.layer, notes=(fault.note,)
                )
