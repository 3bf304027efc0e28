"""Generated input values, for running a model without data."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from irops.analysis.inputs import declared_fact
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.ir.model import Layer
from irops.limits import Limits
from irops.limits import notes as limit_notes
from irops.values.element import BOOLEAN, DYNAMIC, STRING, Array, ElementType, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape

FILLS = ("zeros", "ones", "random")


def filled(
    layer: Layer, how: str, seed: int, shapes: Mapping[str, str], limits: Limits | None = None
) -> tuple[Array, bool]:
    """Generate a value for an input. Return it, and whether the size of a dynamic axis was assumed.

    random: floats from -1 to 1; integers and codes are 0 or 1, which are valid as indices and masks
    Raises:  DiagnosticError (IR611) if the element type or the rank is unknown, or the given shape does not
             match the input's; (IR605) if the value exceeds the byte limit
    """
    declared = declared_fact(layer)
    if declared.element_type is DYNAMIC:
        raise _impossible(
            layer, f"input {layer.name!r} has no known element type and cannot be filled; provide a value"
        )
    sizes, assumed = _sizes(layer, declared, shapes)
    limits, size = limits or Limits(), prod(sizes) * max(declared.element_type.dtype.itemsize, 1)
    if size > limits.tensor_bytes:
        raise _fault(
            "byte-limit",
            layer,
            f"input {layer.name!r} is {declared}, {size:,} bytes; {limits.said('tensor_bytes')}",
        )
    # the values depend only on the input's name and the seed, not on the other inputs
    random = np.random.default_rng([seed, *layer.name.encode("utf-8", "surrogatepass")])
    try:
        return _values(declared.element_type, sizes, how, random), assumed
    except (MemoryError, ValueError) as error:
        raise _impossible(
            layer, f"input {layer.name!r} is {declared}, which cannot be allocated: {error}"
        ) from None


def _sizes(layer: Layer, declared: Fact, shapes: Mapping[str, str]) -> tuple[tuple[int, ...], bool]:
    text = next(
        (
            shapes[name]
            for name in (layer.name, *(n for port in layer.outputs for n in port.names))
            if name in shapes
        ),
        None,
    )
    if text is not None:
        try:
            sizes = Shape.parse(text).to_tuple()
        except ValueError as error:
            raise _impossible(
                layer, f"the shape {text!r} for input {layer.name!r} is not static: {error}"
            ) from None
        if not declared.shape.contains(Shape(sizes)):
            raise _impossible(
                layer,
                f"the shape [{text.strip('[]')}] does not match input {layer.name!r}, which is {declared}",
            )
        return sizes, False
    if declared.shape.dims is None:
        raise _impossible(
            layer, f"input {layer.name!r} has unknown rank; provide its shape: --shape {layer.name}:SIZES"
        )
    return (
        tuple(int(dim.low) if dim.known else int(max(dim.low, 1)) for dim in declared.shape.dims),
        not declared.shape.static,
    )


def _values(kind: ElementType, sizes: tuple[int, ...], how: str, random: np.random.Generator) -> Array:
    if kind is STRING:
        out = np.empty(sizes, dtype=object)
        out[...] = {"zeros": "", "ones": "1"}.get(how, "")
        if how == "random":
            out.ravel()[:] = [chr(ord("a") + n) for n in random.integers(0, 26, out.size)]
        return out
    if how == "random":
        numbers = (
            random.uniform(-1, 1, sizes)
            if kind.floating and kind.name != "f8e8m0"
            else random.integers(0, 2, sizes)
        )
    else:
        numbers = np.full(sizes, 1 if how == "ones" else 0)
    return tagged(np.asarray(numbers).astype(bool if kind is BOOLEAN else kind.dtype), kind)


def _impossible(layer: Layer, message: str) -> DiagnosticError:
    return _fault("impossible-filling", layer, message)


def _fault(name: str, layer: Layer, message: str) -> DiagnosticError:
    return DiagnosticError(
        [
            Diagnostic(
                rule(name),
                message,
                Location(layer_id=layer.id, layer_name=layer.name),
                notes=limit_notes(name),
            )
        ]
    )
