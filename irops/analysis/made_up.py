"""Values made up for the inputs of a model: zeros, ones or random numbers, within limits."""

from __future__ import annotations

from math import prod

import numpy as np

from irops.analysis.signature import Port
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.ir.model import Model
from irops.limits import Limits
from irops.limits import notes as limit_notes
from irops.values.element import BOOLEAN, DYNAMIC, STRING, Array, ElementType, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape

FILLS = ("zeros", "ones", "random")


def made_up(
    model: Model, port: Port, fill: str, seed: int = 0, shape: str | None = None, limits: Limits | None = None
) -> tuple[Array, bool]:
    """A value for an input, and whether the size of an axis had to be assumed.

    fill: one of FILLS; random gives floats from -1 to 1 (f8e8m0: 1 or 2), integers and packed codes 0 or 1,
        so that indices and masks are in range; seed: with the input's name, determines random values; shape:
        sizes as text
    Raises:  DiagnosticError where the type or the rank is not known, or the shape is not one of the input's
        (IR611), and where the value takes more bytes than the limit (IR605)
    """
    return _Filling(model, port, limits or Limits()).value(fill, seed, shape)


class _Filling:
    """One input, about to get a value."""

    def __init__(self, model: Model, port: Port, limits: Limits) -> None:
        self.model, self.port, self.limits = model, port, limits

    def value(self, fill: str, seed: int, shape: str | None) -> tuple[Array, bool]:
        name, declared = self.port.name, self.port.fact
        kind = declared.element_type
        if kind is DYNAMIC:
            message = f"input {name!r} has no known element type and cannot be filled; give it a value"
            raise self._impossible(message)
        sizes, assumed = self._assumed(declared) if shape is None else (self._given(declared, shape), False)
        size = prod(sizes) * max(kind.dtype.itemsize, 1)
        if size > self.limits.tensor_bytes:
            message = f"input {name!r} is {declared}, {size:,} bytes; {self.limits.message('tensor_bytes')}"
            raise self._fault("memory-limit", message)
        # an input's values depend on its own name and the seed alone, whatever other inputs there are
        random = np.random.default_rng([seed, *name.encode("utf-8", "surrogatepass")])
        try:
            return _values(kind, sizes, fill, random), assumed
        except (MemoryError, ValueError) as error:
            message = f"input {name!r} is {declared}, which cannot be made here: {error}"
            raise self._impossible(message) from None

    def _given(self, declared: Fact, text: str) -> tuple[int, ...]:
        name = self.port.name
        try:
            sizes = Shape.parse(text).to_tuple()
        except ValueError as error:
            message = f"the shape {text!r} for input {name!r} must be sizes alone: {error}"
            raise self._impossible(message) from None
        if not declared.shape.contains(Shape(sizes)):
            message = f"the shape [{text.strip('[]')}] does not fit input {name!r}, which is {declared}"
            raise self._impossible(message)
        return sizes

    def _assumed(self, declared: Fact) -> tuple[tuple[int, ...], bool]:
        """The smallest sizes, 1 or more where they are not known; and whether one was not known."""
        if declared.shape.dims is None:
            name = self.port.name
            message = f"input {name!r} has any number of axes; give its shape: --shape {name}:SHAPE"
            raise self._impossible(message)
        sizes = tuple(int(dim.low) if dim.known else int(max(dim.low, 1)) for dim in declared.shape.dims)
        return sizes, not declared.shape.static

    def _impossible(self, message: str) -> DiagnosticError:
        return self._fault("unfillable-input", message)

    def _fault(self, name: str, message: str) -> DiagnosticError:
        place = self.model.location(self.port.layer)
        return DiagnosticError([Diagnostic(rule(name), message, place, notes=limit_notes(name))])


def _values(kind: ElementType, sizes: tuple[int, ...], fill: str, random: np.random.Generator) -> Array:
    if kind is STRING:
        return _strings(sizes, fill, random)
    if fill != "random":
        numbers = np.full(sizes, 1 if fill == "ones" else 0)
    elif kind.name == "f8e8m0":
        numbers = random.integers(1, 3, sizes)  # its numbers are powers of 2: 0 would become NaN
    elif kind.floating:
        numbers = random.uniform(-1, 1, sizes)
    else:
        numbers = random.integers(0, 2, sizes)
    return tagged(np.asarray(numbers).astype(bool if kind is BOOLEAN else kind.dtype), kind)


def _strings(sizes: tuple[int, ...], fill: str, random: np.random.Generator) -> Array:
    out = np.empty(sizes, dtype=object)
    out[...] = {"zeros": "", "ones": "1"}.get(fill, "")
    if fill == "random":
        out.ravel()[:] = [chr(ord("a") + n) for n in random.integers(0, 26, out.size)]
    return out
