"""Synthetic values for the inputs of a model: zeros, ones or random numbers, of fitting sizes, in limits."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations_with_replacement
from math import prod

import numpy as np

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.invocation import Invocation
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key, ModelPort
from irops.analysis.structure import GraphNode
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from irops.diagnostics.rules import rule
from irops.files.limits import Limits, notes as limit_notes
from irops.ir.model import Layer, Model
from irops.spec.op import Op
from irops.values.dim import Dim
from irops.values.element import BOOLEAN, DYNAMIC, STRING, Array, ElementType, tagged
from irops.values.fact import Fact
from irops.values.shape import Shape

FILLS = ("zeros", "ones", "random")


@dataclass(frozen=True, slots=True)
class Span:
    """The whole numbers from low to high that the input of a layer may have, such as indices of an axis."""

    low: int
    high: int
    layer: Layer


@dataclass(frozen=True, slots=True)
class SyntheticInput:
    """A value for an input.

    assumed: whether the size of an axis was not known and none was given; span: the whole numbers that were
    drawn from, where the layers that use the input bound them
    """

    port: ModelPort
    array: Array
    assumed: bool
    span: Span | None = None

    @property
    def ones(self) -> list[int]:
        """The axes whose size was assumed to be 1, along which less shows."""
        return axes_of_one(self.port, self.array) if self.assumed else []


def axes_of_one(port: ModelPort, array: Array) -> list[int]:
    """The axes of an input that may have other sizes, and have 1."""
    dims = port.fact.shape.dims or (None,) * array.ndim
    return [k for k, (dim, size) in enumerate(zip(dims, array.shape)) if size == 1 and dim != 1]


def synthetic_inputs(
    analysis: ModelAnalysis,
    fill: str,
    seed: int = 0,
    given: Mapping[int, Array] | None = None,
    shapes: Mapping[int, str] | None = None,
    limits: Limits | None = None,
) -> list[SyntheticInput]:
    """Values for all inputs that have none. given: arrays, shapes: sizes as text, both by position

    fill: one of FILLS; random gives floats from -1 to 1 (f8e8m0: 1 or 2), and integers and packed codes 0 or
        1, or what all the layers that use them admit as indices and lengths; i32, i64 and boolean ones are
        1 up to a place of the last axis and 0 behind it, as masks are

    Sizes that are not given are those of assumed_shapes: distinct and above 1, where inference allows that.
    Raises:  DiagnosticError where the type or a size is not known, or the shape is not one of the input's
        (IR611), and where the value takes more bytes than the limit (IR605)
    """
    given, shapes, limits = given or {}, shapes or {}, limits or analysis.limits
    model = analysis.model
    missing = [port for port in analysis.signature.inputs if port.position not in given]
    fillings = [_Filling(model, port, limits, shapes.get(port.position)) for port in missing]
    known = {position: array.shape for position, array in given.items()}
    known |= {filling.port.position: filling.sizes() for filling in fillings if not filling.assumed}
    if any(filling.assumed for filling in fillings):
        for position, shape in assumed_shapes(analysis, known).items():
            next(filling for filling in fillings if filling.port.position == position).shape = str(shape)
    known |= {filling.port.position: filling.sizes() for filling in fillings}
    spans = _spans(analysis, known) if fill == "random" else {}
    return [filling.synthetic(fill, seed, spans.get(filling.port.layer.id)) for filling in fillings]


class _Filling:
    """One input, about to get a value. shape: sizes as text, None where they are the declared ones"""

    def __init__(self, model: Model, port: ModelPort, limits: Limits, shape: str | None) -> None:
        self.model, self.port, self.limits, self.shape = model, port, limits, shape
        self.assumed = shape is None and not port.fact.shape.static

    def synthetic(self, fill: str, seed: int, span: Span | None) -> SyntheticInput:
        """The value. seed: determines random values, with the name of the input and no other input"""
        random = np.random.default_rng([seed, *self.port.name.encode("utf-8", "surrogatepass")])
        try:
            array = _values(self.port.fact.element_type, self.sizes(), fill, random, span)
        except (MemoryError, ValueError) as error:
            message = f"input {self.port.name!r} is {self.port.fact}, which cannot be made here: {error}"
            raise self._impossible(message) from None
        return SyntheticInput(self.port, array, self.assumed, span)

    def sizes(self) -> tuple[int, ...]:
        """The shape. Raises: DiagnosticError where it is not known, or the value would be too large"""
        name, declared = self.port.name, self.port.fact
        kind = declared.element_type
        if kind is DYNAMIC:
            message = f"input {name!r} has no known element type and cannot be filled; give it a value"
            raise self._impossible(message)
        if self.shape is None and declared.shape.dims is None:
            message = f"input {name!r} has any number of axes; give a shape (run --shape {name}:SHAPE)"
            raise self._impossible(message)
        sizes = declared.shape.to_tuple() if self.shape is None else self._given(declared, self.shape)
        size = prod(sizes) * max(kind.dtype.itemsize, 1)
        if size > self.limits.tensor_bytes:
            message = f"input {name!r} is {declared}, {size:,} bytes; {self.limits.message('tensor_bytes')}"
            raise self._fault("memory-limit", message)
        return sizes

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

    def _impossible(self, message: str) -> DiagnosticError:
        return self._fault("unfillable-input", message)

    def _fault(self, name: str, message: str) -> DiagnosticError:
        place = self.model.location(self.port.layer)
        return DiagnosticError([Diagnostic(rule(name), message, place, notes=limit_notes(name))])


def _values(
    kind: ElementType, sizes: tuple[int, ...], fill: str, random: np.random.Generator, span: Span | None
) -> Array:
    if kind is STRING:
        return _strings(sizes, fill, random)
    if fill != "random":
        numbers = np.full(sizes, 1 if fill == "ones" else 0)
    elif span is not None:
        numbers = random.integers(span.low, span.high + 1, sizes)
    elif kind.name == "f8e8m0":
        numbers = random.integers(1, 3, sizes)  # its numbers are powers of 2: 0 would become NaN
    elif kind.floating:
        numbers = random.uniform(-1, 1, sizes)
    elif sizes and kind.name in MASKING:
        numbers = np.arange(sizes[-1]) < random.integers(1, max(sizes[-1], 2), (*sizes[:-1], 1))
    else:
        numbers = random.integers(0, 2, sizes)
    return tagged(np.asarray(numbers).astype(bool if kind is BOOLEAN else kind.dtype), kind)


MASKING = ("boolean", "i32", "i64")
"""Element types of masks. Of a row that is masked as a whole, or from its start, attention makes NaN."""


def _strings(sizes: tuple[int, ...], fill: str, random: np.random.Generator) -> Array:
    out = np.empty(sizes, dtype=object)
    out[...] = {"zeros": "", "ones": "1"}.get(fill, "")
    if fill == "random":
        out.ravel()[:] = [chr(ord("a") + n) for n in random.integers(0, 26, out.size)]
    return out


# The integers that inputs may have, by the layers that use them as indices or lengths.

PASSING = {"Broadcast", "Cast", "Concat", "Convert", "Expand", "Flatten", "Gather", "Identity", "Reshape"}
PASSING |= {"Slice", "Split", "Squeeze", "StridedSlice", "Tile", "Transpose", "Unsqueeze", "VariadicSplit"}
"""Ops whose outputs have elements of their first input (Concat: of all inputs) and no others."""
ASKING = {"ShapeOf", "Shape", "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "Result"}
"""Ops that take any integer."""
INDICES: dict[str, str | int] = {
    "Gather": "axis",
    "GatherElements": "axis",
    "ScatterUpdate": "axis",
    "ScatterElementsUpdate": "axis",
    "EmbeddingBagOffsets": 0,
    "EmbeddingBagOffsetsSum": 0,
    "EmbeddingBagPacked": 0,
    "EmbeddingBagPackedSum": 0,
    "EmbeddingSegmentsSum": 0,
}
"""The axis of the first input that the second one has indices of: an axis, or the name of what gives it."""
LENGTHS: dict[str, tuple[int, str | int]] = {
    "ReverseSequence": (1, "seq_axis"),
    "LSTMSequence": (3, 1),
    "GRUSequence": (2, 1),
    "RNNSequence": (2, 1),
    "CTCGreedyDecoderSeqLen": (1, 1),
}
"""The input that has lengths, from 1 to the size of an axis of the first input; and that axis."""


def _spans(analysis: ModelAnalysis, sizes: Mapping[int, tuple[int, ...]]) -> dict[int, Span]:
    """The spans of inputs, by layer. sizes: the shapes of all inputs, by position"""
    shapes: dict[Key, Shape] = {position: Shape.of(*shape) for position, shape in sizes.items()}
    inferred = analysis.infer(shapes)
    found = {}
    for port in analysis.signature.inputs:
        kind = port.fact.element_type
        span = _span(analysis.root, inferred, port.layer.id) if kind.integral else None
        if span is not None and span.low <= (high := min(span.high, int(kind.extent[1]))):
            found[port.layer.id] = replace(span, high=high)
    return found


def _span(graph: GraphNode, inferred: Inferred, parameter: int) -> Span | None:
    """The span that all users of an input admit; None where one of them may compute with its numbers."""
    bounds: list[Span] = []
    ahead = [(parameter, 0)]
    while ahead:
        for user, index in graph.wiring.consumers.get(ahead.pop(), ()):
            facts = inferred.layers[user.id]
            bound = _bound(facts, index)
            if bound is not None:
                bounds.append(bound)
            elif user.type in PASSING and (not index or user.type == "Concat"):
                if any(fact.element_type is BOOLEAN for fact in facts.outputs):
                    return None
                ahead.extend((user.id, k) for k in range(len(facts.outputs)))
            elif user.type not in ASKING:
                return None
    if not bounds:
        return None
    narrowest = min(bounds, key=lambda bound: bound.high)
    return replace(narrowest, low=max(bound.low for bound in bounds))


def _bound(facts: LayerFacts, index: int) -> Span | None:
    """The span of an input of a layer that has indices or lengths there."""
    kind = facts.layer.type
    place, name = LENGTHS.get(kind) or (1, INDICES.get(kind))
    if index != place or name is None or facts.op is None or facts.invocation is None or facts.failed:
        return None
    axis = name if isinstance(name, int) else _axis_named(name, facts.op, facts.invocation, facts.inputs)
    data = facts.inputs[0]
    dims = None if data is None else data.shape.dims
    if dims is None or axis is None or not -len(dims) <= axis < len(dims) or not dims[axis].known:
        return None
    size = int(dims[axis].low)
    return Span(1, size, facts.layer) if kind in LENGTHS else Span(0, size - 1, facts.layer)


def _axis_named(name: str, op: Op, invocation: Invocation, inputs: Sequence[Fact | None]) -> int | None:
    """The axis that an attribute or an input gives."""
    for port, fact in zip(op.definition.inputs, inputs):
        if port.name == name:
            value = None if fact is None else fact.value
            if value is None or value.dtype.kind not in "iu" or value.size != 1:
                return None
            return int(value.item())
    return invocation.keywords("kernel", inputs).get(name)


# Sizes for the axes of inputs whose size is not known, with which a model can be computed.

Axis = tuple[int, int] | str
"""An axis of an input, by the positions of both; or the name that the model gives to all axes of one size."""
Findings = tuple[int, int]
"""How many errors and warnings inference has."""
BATCH = 2  # not 1, which hides faults: broadcasting fits it to any size
SMALL = (2, 3, 5, 7, 4, 6, 9, 8, 10, 11, 12, 13)
"""The sizes that axes get first, each for one axis."""
LARGER = (16, 32, 64, 128, 224, 256, 512, 768, 1024, 4096)
"""The sizes that are tried next, for strides and windows; and for all axes alike."""
MAX_OF_WEIGHTS = 12
"""How many sizes of constants are tried, the most common ones."""
MAX_LAYERS = 300_000
"""How many layers are inferred in all tries together, each in about 40 microseconds."""
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
        axes: dict[Axis, Dim] = {}  # without a size, and what is declared of them
        for port in self.ports:
            for index, dim in enumerate(port.fact.shape.dims or ()):
                if not dim.known:
                    axes.setdefault(_axis(port, index, dim), dim)
        for axis, dim in axes.items():
            self._choose(axis, dim)
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
        self.tries = max(self.tries, MIN_TRIES)  # the search for each axis may have used all
        for first in (0, BATCH, 1):  # 0: the first axes as all others
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
        # new sizes before those in use: axes that may differ should
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
