"""Values made up for the inputs of a model: zeros, ones or random numbers, of fitting sizes, in limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from irops.analysis.assumed_sizes import assumed_shapes
from irops.analysis.model_analysis import ModelAnalysis
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


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A value for an input. assumed: whether the size of an axis was not known and none was given"""

    port: Port
    array: Array
    assumed: bool

    @property
    def ones(self) -> list[int]:
        """The axes whose size was assumed to be 1, along which less shows."""
        return axes_of_one(self.port, self.array) if self.assumed else []


def axes_of_one(port: Port, array: Array) -> list[int]:
    """The axes of an input that may have other sizes, and have 1."""
    dims = port.fact.shape.dims or (None,) * array.ndim
    return [k for k, (dim, size) in enumerate(zip(dims, array.shape)) if size == 1 and dim != 1]


def made_up_inputs(
    analysis: ModelAnalysis,
    fill: str,
    seed: int = 0,
    given: Mapping[int, Array] | None = None,
    shapes: Mapping[int, str] | None = None,
    limits: Limits | None = None,
) -> list[MadeUp]:
    """Values for all inputs that have none. given: arrays, shapes: sizes as text, both by position

    Sizes that are not given are those of assumed_shapes: distinct and above 1, where inference allows that.
    Raises:  DiagnosticError, as made_up does
    """
    given, shapes, limits = given or {}, shapes or {}, limits or analysis.limits
    model = analysis.model
    missing = [port for port in analysis.signature.inputs if port.position not in given]
    arrays = {
        port.position: made_up(model, port, fill, seed, shapes.get(port.position), limits)
        for port in missing
        if port.fact.shape.static or port.position in shapes
    }
    known = {position: array.shape for position, array in (*given.items(), *arrays.items())}
    chosen = assumed_shapes(analysis, known) if len(arrays) < len(missing) else {}
    for port in missing:
        if port.position not in arrays:
            shape = str(chosen[port.position]) if port.position in chosen else None
            arrays[port.position] = made_up(model, port, fill, seed, shape, limits)
    return [
        MadeUp(port, arrays[port.position], not port.fact.shape.static and port.position not in shapes)
        for port in missing
    ]


def made_up(
    model: Model, port: Port, fill: str, seed: int = 0, shape: str | None = None, limits: Limits | None = None
) -> Array:
    """A value for one input.

    fill: one of FILLS; random gives floats from -1 to 1 (f8e8m0: 1 or 2), integers and packed codes 0 or 1,
        so that indices and masks are in range; seed: with the input's name, determines random values; shape:
        sizes as text, which an input with sizes that are not known needs
    Raises:  DiagnosticError where the type or a size is not known, or the shape is not one of the input's
        (IR611), and where the value takes more bytes than the limit (IR605)
    """
    return _Filling(model, port, limits or Limits()).value(fill, seed, shape)


class _Filling:
    """One input, about to get a value."""

    def __init__(self, model: Model, port: Port, limits: Limits) -> None:
        self.model, self.port, self.limits = model, port, limits

    def value(self, fill: str, seed: int, shape: str | None) -> Array:
        name, declared = self.port.name, self.port.fact
        kind = declared.element_type
        if kind is DYNAMIC:
            message = f"input {name!r} has no known element type and cannot be filled; give it a value"
            raise self._impossible(message)
        sizes = self._declared(declared) if shape is None else self._given(declared, shape)
        size = prod(sizes) * max(kind.dtype.itemsize, 1)
        if size > self.limits.tensor_bytes:
            message = f"input {name!r} is {declared}, {size:,} bytes; {self.limits.message('tensor_bytes')}"
            raise self._fault("memory-limit", message)
        # an input's values depend on its own name and the seed alone, whatever other inputs there are
        random = np.random.default_rng([seed, *name.encode("utf-8", "surrogatepass")])
        try:
            return _values(kind, sizes, fill, random)
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

    def _declared(self, declared: Fact) -> tuple[int, ...]:
        if not declared.shape.static:
            name = self.port.name
            what = "any number of axes" if declared.shape.dims is None else "sizes that are not known"
            raise self._impossible(f"input {name!r} has {what}; give its shape: --shape {name}:SHAPE")
        return declared.shape.to_tuple()

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
