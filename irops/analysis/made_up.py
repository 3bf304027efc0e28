"""Values made up for the inputs of a model: zeros, ones or random numbers, of fitting sizes, in limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from math import prod

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key, ModelPort
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from irops.diagnostics.rules import rule
from irops.files.limits import Limits
from irops.files.limits import notes as limit_notes
from irops.ir.model import Model
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, DYNAMIC, STRING, Array, ElementType, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape

FILLS = ("zeros", "ones", "random")


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A value for an input. assumed: whether the size of an axis was not known and none was given"""

    port: ModelPort
    array: Array
    assumed: bool

    @property
    def ones(self) -> list[int]:
        """The axes whose size was assumed to be 1, along which less shows."""
        return axes_of_one(self.port, self.array) if self.assumed else []


def axes_of_one(port: ModelPort, array: Array) -> list[int]:
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
    model: Model,
    port: ModelPort,
    fill: str,
    seed: int = 0,
    shape: str | None = None,
    limits: Limits | None = None,
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

    def __init__(self, model: Model, port: ModelPort, limits: Limits) -> None:
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


# Sizes for the axes of inputs whose size is not known, with which a model can be computed.

Axis = tuple[int, int] | str
"""An axis of an input, by the positions of both; or the name that the model gives to all axes of one size."""
Findings = tuple[int, int]
"""How many errors and warnings inference has."""
BATCH = 2
SMALL = (2, 3, 5, 7, 4, 6, 9, 8, 10, 11, 12, 13)
"""The sizes that axes get first, each for one axis."""
LARGER = (16, 32, 64, 128, 224, 256, 512, 768, 1024, 4096)
"""The sizes that are tried next, for strides and windows; and for all axes alike."""
MAX_OF_WEIGHTS = 12
"""How many sizes of constants are tried, the most common ones."""
MAX_LAYERS = 300_000
MIN_TRIES, MAX_TRIES = 30, 300
"""Inference runs once for each try; the more layers, the fewer tries."""


def assumed_shapes(
    analysis: ModelAnalysis, known: Mapping[int, tuple[int, ...]] | None = None
) -> dict[int, Shape]:
    """Static shapes for the inputs, by position, with which inference finds no error and no warning that it
    does not find without them.

    Axes get distinct sizes above 1; those that must be equal, or that the model gives one name, get one size,
    and so do the first axes of inputs where that is possible, because most models have their batch there. If
    inference refuses these, all axes get one size; an axis has 1 if inference refuses the others. known:
    shapes of inputs that have a value. Inputs whose shape is static or known, or whose rank is not known, are
    left out.
    """
    search = _Search(analysis, known or {})
    return search.found() if search.ports else {}


@dataclass
class _Search:
    """Sizes that are chosen so far, by axis, and the tries that are left."""

    analysis: ModelAnalysis
    known: Mapping[int, tuple[int, ...]]
    sizes: dict[Axis, int] = field(default_factory=dict)
    tries: int = 0
    allowed: Findings = (0, 0)
    """The findings of inference without any size."""

    def __post_init__(self) -> None:
        layers = sum(len(graph.layers) for graph in self.analysis.graphs)
        self.tries = min(max(MAX_LAYERS // max(layers, 1), MIN_TRIES), MAX_TRIES)

    @property
    def ports(self) -> list[ModelPort]:
        """The inputs that get a shape."""
        return [
            port
            for port in self.analysis.signature.inputs
            if port.position not in self.known and port.fact.shape.dims and not port.fact.shape.static
        ]

    def found(self) -> dict[int, Shape]:
        self.allowed = self._findings()
        axes = self._axes()
        for axis in axes:
            self._choose(axis, axes[axis])
        if self._findings() > self.allowed:
            self._choose_alike(axes)
        return self._shapes()

    def _choose(self, axis: Axis, dim: Dim) -> None:
        """The first size of an axis with which inference finds no further error, while others are open."""
        found: dict[int, Findings] = {}
        for size in self._candidates(axis, dim):
            self.sizes[axis] = size
            if self.tries <= 0:
                break
            found[size] = self._findings()
            if found[size] <= self.allowed:
                break
        self.sizes[axis] = min(found, key=lambda size: found[size], default=self.sizes[axis])

    def _choose_alike(self, axes: Mapping[Axis, Dim]) -> None:
        """One size for all axes, or else for all but the first ones, where that has fewer findings."""
        best, fewest = self.sizes, self._findings()
        self.tries = max(self.tries, MIN_TRIES)
        for first in (0, BATCH, 1):
            for size in (*SMALL[:4], *LARGER, 1):
                wanted = {axis: first if first and _is_first(axis) else size for axis in axes}
                self.sizes = {axis: _within(dim, wanted[axis]) for axis, dim in axes.items()}
                findings = self._findings()
                if findings < fewest:
                    best, fewest = self.sizes, findings
                if findings <= self.allowed or self.tries <= 0:
                    break
            if fewest <= self.allowed or self.tries <= 0:
                break
        self.sizes = best

    def _candidates(self, axis: Axis, dim: Dim) -> Iterator[int]:
        """Sizes in the order in which they are tried, each once; at least one."""
        used = list(dict.fromkeys(self.sizes.values()))
        batch = [self.sizes[other] for other in self.sizes if _is_first(axis) and _is_first(other)]
        static = {int(d.low) for port in self.ports for d in port.fact.shape.dims or () if d.known}
        fresh = [size for size in SMALL if size not in used and size not in static]
        sums = [a + b for a, b in combinations_with_replacement(used, 2)]
        equal = (*used, *sorted(static), *sums, *self._of_weights)
        wanted = (*batch, *fresh[:2], *equal, *fresh, *LARGER, *SMALL, _within(dim, 2), 1)
        yield from dict.fromkeys(size for size in wanted if size and dim.low <= size <= dim.high)

    @cached_property
    def _of_weights(self) -> list[int]:
        """The most common sizes of constants, which inputs often meet."""
        counts: Counter[int] = Counter()
        declared = self.analysis.declared
        for node in self.analysis.root.layers.values():
            if node.layer.is_constant:
                for fact in declared.of(node.layer.id).outputs:
                    counts.update(int(d.low) for d in fact.shape.dims or () if d.known and d.low > 1)
        return [size for size, _ in counts.most_common(MAX_OF_WEIGHTS)]

    def _axes(self) -> dict[Axis, Dim]:
        """The axes without a size, and what is declared of them."""
        found: dict[Axis, Dim] = {}
        for port in self.ports:
            for index, dim in enumerate(port.fact.shape.dims or ()):
                if not dim.known:
                    found.setdefault(_axis(port, index, dim), dim)
        return found

    def _shapes(self) -> dict[int, Shape]:
        return {
            port.position: Shape(
                Dim.of(_within(dim, size)) if (size := self.sizes.get(_axis(port, index, dim))) else dim
                for index, dim in enumerate(port.fact.shape.dims or ())
            )
            for port in self.ports
        }

    def _findings(self) -> Findings:
        """The number of findings of inference with the sizes so far."""
        self.tries -= 1
        shapes: dict[Key, Shape] = {position: Shape.of(*sizes) for position, sizes in self.known.items()}
        shapes.update(self._shapes().items())
        found = Counter(d.severity for d in self.analysis.infer(shapes).diagnostics)
        return found[Severity.ERROR], found[Severity.WARNING]


def _axis(port: ModelPort, index: int, dim: Dim) -> Axis:
    name = "" if dim.symbol is None else dim.spelled
    return name or (port.position, index)


def _is_first(axis: Axis) -> bool:
    return isinstance(axis, tuple) and axis[1] == 0


def _within(dim: Dim, size: int) -> int:
    """The size that a Dim admits and that is nearest to a size."""
    return int(min(max(dim.low, size), dim.high))
