"""Attributes with a switch, as panels of a toolkit show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from irops.editing.graph.faults import refuse
from irops.spec.op import Op


@dataclass(frozen=True, slots=True)
class Switched:
    """A parameter with its switch, as the toolkit's panels show it: where use_it is off, the node's own
    default holds.
    """

    value: int
    use_it: bool = False


def plain(op: Op, name: str, value: Any) -> Any:
    """The value of an attribute, None where its switch is off. Raises: DiagnosticError if it has no switch"""
    if not isinstance(value, Switched):
        return value
    attribute = op.definition.attributes.get(name)
    if attribute is None or attribute.switch is None:
        raise refuse("unsupported-switch", f"{name} of {op.id} has no switch, but is given with one")
    return value.value if value.use_it else None
