"""What the layers that read variables say of them."""

from __future__ import annotations

from collections.abc import Mapping

from irops.ir.model import Model
from irops.values.element import element_type
from irops.values.fact import Fact
from irops.values.shape import Shape


def declared_variables(model: Model) -> Mapping[str, Fact]:
    """The variables that ReadValues declare, by variable_id; of two that declare one, the first. What is
    malformed says nothing.
    """
    found: dict[str, Fact] = {}
    for _, layer in model.walk():
        data = layer.data
        if layer.type.lower() == "readvalue" and "variable_id" in data:
            try:
                fact = Fact(
                    element_type(data.get("variable_type", "dynamic")),
                    Shape.parse(data.get("variable_shape", "...")),
                )
            except ValueError:
                continue
            found.setdefault(data["variable_id"], fact)
    return found
