"""Which Parameter an input's name means, and what is given for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.dialects import dialect_of_version
from irops.ir.model import Layer, LayerKind, Model
from irops.values.fact import Fact
from irops.values.shape import Shape


def parameters(model: Model) -> list[Layer]:
    """The inputs of a model, in order."""
    return [layer for layer in model.layers if layer.kind is LayerKind.PARAMETER]


def results(model: Model) -> list[Layer]:
    """The outputs of a model, in order."""
    return [layer for layer in model.layers if layer.kind is LayerKind.RESULT]


def parameter(model: Model, key: str | int) -> Layer:
    """The Parameter that a tensor name, layer name or position means.

    Raises:  DiagnosticError (IR602) where it means none
    """
    known = parameters(model)
    if isinstance(key, int):
        if 0 <= key < len(known):
            return known[key]
    else:
        for layer in known:
            if layer.name == key or any(key in port.names for port in layer.outputs):
                return layer
    names = ", ".join(repr(layer.name) for layer in known) or "none"
    raise DiagnosticError(
        [
            Diagnostic(
                rule("unknown-input"),
                f"the model has no input {key!r}; its inputs are {names}",
                Location(model.source.path if model.source else None),
            )
        ]
    )


def given_facts(
    model: Model, inputs: Mapping[str | int, Any], declared: Mapping[int, Fact]
) -> dict[int, Fact]:
    """Facts for Parameters, by layer id, from what a caller gives: a shape as text or sequence, a Shape or a
    Fact.

    Raises:  DiagnosticError where an input is not known (IR602) or its shape is none (IR407)
    """
    given = {}
    for key, what in inputs.items():
        layer = parameter(model, key)
        before = declared[layer.id]
        if isinstance(what, Fact):
            given[layer.id] = what
            continue
        try:
            given[layer.id] = Fact(before.element_type, _shape(what))
        except ValueError as error:
            raise DiagnosticError(
                [
                    Diagnostic(
                        rule("impossible-input-shape"),
                        f"the shape given for input {layer.name!r}: {error}",
                        Location(
                            model.source.path if model.source else None,
                            layer_id=layer.id,
                            layer_name=layer.name,
                        ),
                    )
                ]
            ) from None
    return given


def _shape(what: Any) -> Shape:
    if isinstance(what, Shape):
        return what
    if isinstance(what, str):
        return Shape.parse(what, symbols=True)
    return Shape.parse(",".join(map(str, what)), symbols=True)


def declared_fact(layer: Layer) -> Fact:
    """What a Parameter's own attributes say; nothing, where they are malformed."""
    try:
        return Fact(
            dialect_of_version(layer.version).element_type(layer.data.get("element_type", "dynamic")),
            dialect_of_version(layer.version).parse_shape(layer.data.get("shape", "")),
        )
    except ValueError:
        return Fact()
