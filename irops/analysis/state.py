"""The declarations of state variables."""

from __future__ import annotations

from collections.abc import Mapping

from irops.ir.model import Model
from irops.values.element import element_type
from irops.values.fact import Fact
from irops.values.shape import Shape


def declared_variables(model: Model) -> Mapping[str, Fact]:
    """The variables declared by ReadValue layers, by variable_id; the first declaration of each.

    Malformed declarations are ignored.
    """
    variables: dict[str, Fact] = {}
    for _, layer in model.walk():
        data = layer.data
        if "variable_id" in data and layer.type.lower() == "readvalue":
            try:
                fact = Fact(
                    element_type(data.get("variable_type", "dynamic")),
                    Shape.parse(data.get("variable_shape", "...")),
                )
            except ValueError:
                continue
            variables.setdefault(data["variable_id"], fact)
    return variables
