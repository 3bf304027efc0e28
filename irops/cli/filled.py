"""Inputs made up, for a first run."""

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
    """A value for an input; and whether the size of an axis had to be assumed.

    random: floats from -1 to 1, integers and codes 0 or 1, so that indices and masks are what they may be
    Raises:  DiagnosticError (IR611) where the type or the number of axes is not known, or a given shape is
        not one of the input's; (IR605)
             where it would take too many bytes
    """
    declared = declared_fact(layer)
    if declared.element_type is DYNAMIC:
        raise _impossible(
            layer, f"input {layer.name!r} has no known element type and cannot be filled; give it a value"
        )
    sizes, assumed = _sizes(layer, declared, shapes)
    limits, size = limits or Limits(), prod(sizes) * max(declared.element_type.dtype.itemsize, 1)
    if size > limits.tensor_bytes:
        raise _fault(
            "memory-limit",
            layer,
            f"input {layer.name!r} is {declared}, {size:,} bytes; {limits.message('tensor_bytes')}",
        )
    # an input's values depend on its own name and the seed alone, whatever other inputs there are
    random = np.random.default_rng([seed, *layer.name.encode("utf-8", "surrogatepass")])
    try:
        return _values(declared.element_type, sizes, how, random), assumed
    except (MemoryError, ValueError) as error:
        raise _impossible(
            layer, f"input {layer.name!r} is {declared}, which cannot be made here: {error}"
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
                layer, f"the shape {text!r} for input {layer.name!r} must be sizes alone: {error}"
            ) from None
        if not declared.shape.contains(Shape(sizes)):
            raise _impossible(
                layer, f"the shape [{text.strip('[]')}] is none of input {layer.name!r}, which is {declared}"
            )
        return sizes, False
    if declared.shape.dims is None:
        raise _impossible(
            layer, f"input {layer.name!r} has any number of axes; give its shape: --shape {layer.name}:SIZES"
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
    return _fault("unfillable-input", layer, message)


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
