"""Generate the inputs of a model: sizes by inference, values by what the layers ask that use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Port
from irops.analysis.structure import GraphNode, LayerNode
from irops.analysis.synthetic_inputs.asks import (
    HINT,
    INDEX,
    MASK,
    Ask,
    TensorUse,
    ask_of,
    candidates,
    is_asked,
    is_structural,
    masked,
)
from irops.analysis.synthetic_inputs.sizes import chosen_sizes
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, errors_of
from irops.diagnostics.printable import printable
from irops.diagnostics.rules import rule
from irops.files.limits import Limits
from irops.files.limits import notes as limit_notes
from irops.values.element import BOOLEAN, DYNAMIC, STRING, Array, ElementType, tagged
from irops.values.fact import Fact, NoTensor
from irops.values.shape import MAX_AXES, Shape

FILLS = ("zeros", "ones", "random")
VERSION = 1
MAX_PLACES = 20_000
"""How many tensors are visited at most when an input is followed."""
MAX_STRUCTURAL = 64
"""Inputs of more elements are not taken for sizes or axes."""
MAX_CANDIDATES = 8
"""How many values are tried for an input that shapes depend on."""
ORDINARY = 9
"""The greatest integer that is drawn where nothing depends on the values of an input."""


@dataclass(frozen=True, slots=True)
class ChosenInput:
    """What was chosen for an input. declared: its type and shape in the model; values: as text; why: what
    asks for such values, "" if nothing does; ones: the axes of unknown size that got size 1; is_assumed:
    whether the model leaves a size open
    """

    name: str
    position: int
    declared: str
    shape: tuple[int, ...]
    values: str
    why: str
    ones: tuple[int, ...]
    is_assumed: bool

    @property
    def line(self) -> str:
        """ids: i64[?,?] is filled as [2,7], values 0..1023 (Gather-8 embed indexes 1024 rows)"""
        sizes = ",".join(map(str, self.shape))
        because = f" ({self.why})" if self.why else ""
        text = f"{printable(self.name)}: {self.declared} is filled as [{sizes}], {self.values}{because}"
        if self.ones:
            text += f"; size 1 along {', '.join(f'axis {axis}' for axis in self.ones)}"
        return text

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "declared": self.declared,
            "shape": list(self.shape),
            "values": self.values,
            "reason": self.why,
            "axes_of_size_1": list(self.ones),
        }


@dataclass(frozen=True, slots=True)
class ChosenInputs:
    """The generated inputs of a model: arrays by position, and what was chosen for each.

    errors: what inference finds wrong for these sizes and values, but not for the model in general
    """

    arrays: Mapping[int, Array] = field(default_factory=dict)
    inputs: tuple[ChosenInput, ...] = ()
    fill: str = "random"
    seed: int = 0
    errors: tuple[Diagnostic, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each input whose size was chosen, of whose values a layer asks, or that has size 1 where
        the model leaves it open, so that what happens along the axis does not show.
        """
        return tuple(one.line for one in self.inputs if one.is_assumed or one.why or one.ones)

    def to_json(self) -> dict[str, Any]:
        return {
            "fill": self.fill,
            "seed": self.seed,
            "inputs": [chosen.to_json() for chosen in self.inputs],
            "errors": [error.message for error in self.errors],
        }


def synthetic_inputs(
    analysis: ModelAnalysis,
    fill: str = "random",
    seed: int = 0,
    shapes: Mapping[int, str] | None = None,
    given: Mapping[int, Array] | None = None,
    limits: Limits | None = None,
) -> ChosenInputs:
    """Values for the inputs of a model that have none.

    fill: one of FILLS; seed: with the name of an input, determines its random values; shapes: sizes as text,
        by position; given: the arrays of the other inputs, by position
    Raises:  DiagnosticError where a type or a number of axes is not known, or a shape is not one of the
        input's (IR611), and where a value takes more bytes than the limit (IR605)
    """
    return _Generation(analysis, fill, seed, shapes or {}, given or {}, limits or analysis.limits).chosen()


class _Generation:
    """The inputs of one model, about to get values."""

    def __init__(
        self,
        analysis: ModelAnalysis,
        fill: str,
        seed: int,
        shapes: Mapping[int, str],
        given: Mapping[int, Array],
        limits: Limits,
    ) -> None:
        self.analysis, self.fill, self.seed, self.limits = analysis, fill, seed, limits
        self.given = {position: Fact.of(array) for position, array in given.items()}
        self.ports = [port for port in analysis.signature.inputs if port.position not in given]
        self.stated = {
            port.position: self._stated(port, shapes) for port in self.ports if port.position in shapes
        }
        self.values: dict[int, Array] = {}
        self.reasons: dict[int, str] = {}
        self.errors: tuple[Diagnostic, ...] = ()
        self.shapes: Mapping[int, tuple[int, ...]] = {}

    def chosen(self) -> ChosenInputs:
        for port in self.ports:
            if port.fact.element_type is DYNAMIC or isinstance(port.fact, NoTensor):
                what = f"is {port.fact}" if isinstance(port.fact, NoTensor) else "has no known element type"
                message = f"input {port.name!r} {what} and cannot be filled; give it a value"
                raise self._fault("unfillable-input", port, message)
        stated = {
            p.position: Fact(p.fact.element_type, self.stated[p.position])
            for p in self.ports
            if p.position in self.stated
        }
        sizes = chosen_sizes(self.analysis, {**self.given, **stated})
        self.shapes, self.errors = sizes.shapes, sizes.errors
        for port in self.ports:
            self._require_possible(port)
        if self.fill == "random":
            self._choose_structural()
            self._choose_values()
        chosen = []
        for port in self.ports:
            array = self.values.get(port.position)
            if array is None:
                array = self._made(port, None)
            self.values[port.position] = array
            chosen.append(self._described(port, array, port.position in sizes.are_assumed))
        return ChosenInputs(self.values, tuple(chosen), self.fill, self.seed, self.errors)

    # sizes

    def _stated(self, port: Port, shapes: Mapping[int, str]) -> Shape:
        text, declared = shapes[port.position], port.fact
        try:
            sizes = Shape(Shape.parse(text).to_tuple())
        except ValueError as error:
            message = f"the shape {text!r} for input {port.name!r} must be sizes alone: {error}"
            raise self._fault("unfillable-input", port, message) from None
        if not declared.shape.contains(sizes):
            message = f"the shape [{text.strip('[]')}] does not fit input {port.name!r}, which is {declared}"
            raise self._fault("unfillable-input", port, message)
        return sizes

    def _require_possible(self, port: Port) -> None:
        name, declared = port.name, port.fact
        sizes = self.shapes.get(port.position)
        if sizes is None:
            message = f"input {name!r} has any number of axes; give its shape: --shape {name}:SHAPE"
            raise self._fault("unfillable-input", port, message)
        size = prod(sizes) * max(declared.element_type.dtype.itemsize, 1)
        if size > self.limits.tensor_bytes:
            message = f"input {name!r} is {declared}, {size:,} bytes; {self.limits.message('tensor_bytes')}"
            raise self._fault("memory-limit", port, message)

    def _fault(self, name: str, port: Port, message: str) -> DiagnosticError:
        place = self.analysis.model.location(port.layer)
        return DiagnosticError([Diagnostic(rule(name), message, place, notes=limit_notes(name))])

    # values

    def _inferred(self) -> Inferred:
        """Inference for the sizes, and for the values that are known already."""
        facts: dict[str | int, Fact] = dict(self.given.items())
        for port in self.ports:
            value = self.values.get(port.position)
            kind, shape = port.fact.element_type, Shape(self.shapes[port.position])
            facts[port.position] = Fact(kind, shape) if value is None else Fact.of(value)
        return self.analysis.infer(facts)

    def _choose_structural(self) -> None:
        """Values for inputs that shapes depend on: the first candidates that inference accepts."""
        before = self._fewest(self._inferred())
        general = before[0]
        for port in self.ports:
            sizes, kind = self.shapes[port.position], port.fact.element_type
            if prod(sizes) > MAX_STRUCTURAL or len(sizes) > MAX_AXES or kind in (STRING, BOOLEAN):
                continue
            inferred = self._inferred()
            use = next(
                (u for u, place in _uses(self.analysis, inferred, port) if place.whole and is_structural(u)),
                None,
            )
            if use is None:
                continue
            best: tuple[tuple[int, int], Array] | None = None
            for candidate in candidates(use, sizes)[:MAX_CANDIDATES]:
                self.values[port.position] = array = _typed(np.asarray(candidate), kind)
                score = self._fewest(self._inferred())
                if best is None or score < best[0]:
                    best = score, array
                if score[0] <= general and not score[1]:
                    break
            assert best is not None
            self.values[port.position] = best[1]
            self.reasons[port.position] = f"{use.name} takes it as {use.port}"
        if self.values:
            inferred = self._inferred()
            if self._fewest(inferred)[0] > general:
                self.errors = errors_of(inferred.all_findings())

    def _fewest(self, inferred: Inferred) -> tuple[int, int]:
        """The number of errors, and of tensors without elements."""
        zeros = sum(any(dim == 0 for dim in fact.shape.dims or ()) for fact in inferred.values())
        return len(errors_of(inferred.all_findings())), zeros

    def _choose_values(self) -> None:
        inferred = self._inferred()
        for port in self.ports:
            if port.position not in self.values:
                self.values[port.position] = self._made(port, _wanted(self.analysis, inferred, port))

    def _made(self, port: Port, ask: Ask | None) -> Array:
        """A value of the input; random numbers depend on its name and the seed, not on other inputs."""
        name, kind, sizes = port.name, port.fact.element_type, self.shapes[port.position]
        random = np.random.default_rng([self.seed, *name.encode("utf-8", "surrogatepass")])
        try:
            if ask is None or self.fill != "random":
                return _plain(kind, sizes, self.fill, random)
            self.reasons[port.position] = ask.why
            return _typed(_drawn(ask, kind, sizes, random), kind)
        except (MemoryError, ValueError) as error:
            message = f"input {name!r} is {port.fact}, which cannot be made here: {error}"
            raise self._fault("unfillable-input", port, message) from None

    def _described(self, port: Port, array: Array, is_assumed: bool) -> ChosenInput:
        declared = port.fact.shape.dims
        is_open = [declared is None or not declared[axis].known for axis in range(array.ndim)]
        ones = tuple(axis for axis, size in enumerate(array.shape) if size == 1 and is_open[axis])
        text = _extent(array, port.fact.element_type)
        why = self.reasons.get(port.position, "")
        return ChosenInput(port.name, port.position, str(port.fact), array.shape, text, why, ones, is_assumed)


# following an input


@dataclass(frozen=True, slots=True)
class _ScaledInput:
    """A tensor of elements x of an input, as scale * x + offset. whole: all of them, in their order."""

    graph: GraphNode
    inferred: Inferred
    layer: int
    output: int
    scale: float = 1
    offset: float = 0
    whole: bool = True


MOVING: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(
        ("Cast", "Convert", "ConvertLike", "Reshape", "Squeeze", "Unsqueeze", "Identity", "ReadValue"), (0,)
    ),
    **dict.fromkeys(
        ("Transpose", "Broadcast", "Slice", "StridedSlice", "Split", "VariadicSplit", "Tile"), (0,)
    ),
    **dict.fromkeys(
        ("Reverse", "Gather", "GatherElements", "GatherND", "Pad", "Roll", "ReverseSequence"), (0,)
    ),
    **dict.fromkeys(("Floor", "Ceiling", "Round", "Clamp", "ReduceMax", "ReduceMin", "TopK"), (0,)),
    **dict.fromkeys(("ScatterUpdate", "ScatterElementsUpdate", "ScatterNDUpdate"), (0, 2)),
    **dict.fromkeys(("Maximum", "Minimum"), (0, 1)),
    "Select": (1, 2),
    "Concat": tuple(range(64)),
}
"""The ops that pass elements of an input on, and the numbers of these inputs."""
KEEPING = {"Cast", "Convert", "ConvertLike", "Reshape", "Squeeze", "Unsqueeze", "Identity", "ReadValue"}
"""The ops that pass all elements on in their order."""
AFFINE = {"Add", "Subtract", "Multiply", "Divide", "Negative"}
COMPARISONS = {"Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"}


def _uses(
    analysis: ModelAnalysis, inferred: Inferred, port: Port
) -> Iterator[tuple[TensorUse, _ScaledInput]]:
    """The layers that use elements of an input, those of bodies included."""
    ahead = [_ScaledInput(analysis.root, inferred, port.layer.id, 0)]
    visited = {(analysis.root.path, port.layer.id, 0)}
    while ahead and len(visited) < MAX_PLACES:
        place = ahead.pop(0)
        for layer, index in place.graph.wiring.consumers.get((place.layer, place.output), ()):
            node = place.graph.layers[layer.id]
            facts = place.inferred.layers.get(layer.id)
            if node.op is None or facts is None or index >= len(facts.inputs):
                continue
            yield TensorUse(node.op, facts, index), place
            for passed in _passed_on(place, node, facts, index):
                key = (passed.graph.path, passed.layer, passed.output)
                if key not in visited:
                    visited.add(key)
                    ahead.append(passed)


def _passed_on(place: _ScaledInput, node: LayerNode, facts: LayerFacts, index: int) -> Iterator[_ScaledInput]:
    """The tensors that hold the elements that a layer gets."""
    kind = node.layer.type
    for name, body in node.bodies.items():
        inner = facts.bodies.get(name)
        if inner is None or body.maps is None:
            continue
        for entry in body.maps.inputs:
            if entry.port == index:
                parameter = body.graph.parameters[entry.parameter]
                whole = place.whole and entry.cut is None
                yield _ScaledInput(body.graph, inner, parameter.id, 0, place.scale, place.offset, whole)
    scale, offset = place.scale, place.offset
    if kind in AFFINE:
        step = _affine(kind, facts, index)
        if step is None:
            return
        scale, offset = step[0] * scale, step[0] * offset + step[1]
    elif index not in MOVING.get(kind, ()):
        return
    whole = place.whole and (kind in KEEPING or kind in AFFINE)
    for output in range(1 if kind == "TopK" else len(facts.outputs)):
        yield _ScaledInput(place.graph, place.inferred, node.layer.id, output, scale, offset, whole)


def _affine(kind: str, facts: LayerFacts, index: int) -> tuple[float, float] | None:
    """What arithmetic with one constant number does: the factor and the summand."""
    if kind == "Negative":
        return -1, 0
    other = facts.inputs[1 - index] if index < 2 and len(facts.inputs) == 2 else None
    value = None if other is None else other.value
    if value is None or not value.size or value.dtype == object:
        return None
    number = float(value.ravel()[0])
    if not np.all(value == value.ravel()[0]) or not np.isfinite(number):
        return None
    match kind:
        case "Add":
            return 1, number
        case "Subtract":
            return (1, -number) if index == 0 else (-1, number)
        case "Multiply" if number:
            return number, 0
        case "Divide" if index == 0 and number:
            return 1 / number, 0
    return None


def _wanted(analysis: ModelAnalysis, inferred: Inferred, port: Port) -> Ask | None:
    """What the layers that use an input ask of its values together; None where nothing asks for anything."""
    asks: list[Ask] = []
    for use, place in _uses(analysis, inferred, port):
        ask = ask_of(use) or _mask_of(use)
        if ask is not None and (ask.make is None or ask.make is masked or place.whole):
            asks.append(_before(ask, place))
        elif ask is not None:
            asks.append(_before(Ask(ask.low, ask.high, ask.why, ask.weight), place))
    if asks:
        return _together(asks)
    kind = port.fact.element_type
    if kind.integral and kind is not BOOLEAN and not _reaches_asks(analysis, inferred, port):
        low = -ORDINARY if kind.kind == "signed" else 0
        return Ask(low, ORDINARY, "", HINT)
    return None


def _mask_of(use: TensorUse) -> Ask | None:
    """Zeros and ones for what is converted to boolean, compared with 0 or 1, counted, or taken from 1."""
    why = f"a mask of {use.name}"
    match use.type:
        case "Convert" if use.layer.outputs and use.layer.outputs[0].element_type is BOOLEAN:
            return Ask(0, 1, why, MASK, masked)
        case "CumSum" if use.index == 0:
            return Ask(0, 1, why, MASK, masked)
        case "Subtract" if use.index == 1 and _number(use, 0) == 1:
            return Ask(0, 1, why, MASK, masked)
        case kind if kind in COMPARISONS and _number(use, 1 - use.index) in (0, 0.5, 1):
            return Ask(0, 1, why, MASK, masked)
    return None


def _number(use: TensorUse, index: int) -> float | None:
    """The value of an input of one element."""
    fact = use.layer.inputs[index]
    value = None if fact is None else fact.value
    return (
        float(value.ravel()[0]) if value is not None and value.size == 1 and value.dtype != object else None
    )


def _before(ask: Ask, place: _ScaledInput) -> Ask:
    """What an Ask of a tensor is for the input whose elements it holds."""
    if (place.scale, place.offset) == (1, 0):
        return ask
    ends = sorted((end - place.offset) / place.scale for end in (ask.low, ask.high))
    if ask.make is masked:
        return Ask(0, 1, ask.why, ask.weight, masked)
    return Ask(ends[0], ends[1], ask.why, ask.weight)


def _together(asks: Sequence[Ask]) -> Ask:
    """The most important Ask, with the ranges of all as important ones that leave something."""
    first = max(asks, key=lambda ask: (ask.weight, ask.make is not None))
    low, high, why = first.low, first.high, first.why
    for ask in asks:
        if ask.weight >= first.weight and max(low, ask.low) <= min(high, ask.high):
            if (ask.low, ask.high) != (low, high) and ask is not first:
                why = ask.why if ask.high < high or ask.low > low else why
            low, high = max(low, ask.low), min(high, ask.high)
    is_narrower = (low, high) != (first.low, first.high)
    return Ask(low, high, why, first.weight, None if is_narrower else first.make)


def _reaches_asks(analysis: ModelAnalysis, inferred: Inferred, port: Port) -> bool:
    """Whether any layer behind an input takes values as indices, sizes, lengths or conditions."""
    graph = analysis.root
    ahead, visited = [(port.layer.id, 0)], {port.layer.id}
    while ahead:
        for layer, index in graph.wiring.consumers.get(ahead.pop(), ()):
            node, facts = graph.layers[layer.id], inferred.layers.get(layer.id)
            if node.op is None or facts is None or node.bodies or is_asked(TensorUse(node.op, facts, index)):
                return True
            if layer.id not in visited:
                visited.add(layer.id)
                ahead.extend((layer.id, output) for output in range(len(layer.outputs)))
    return False


# drawing


def _drawn(ask: Ask, kind: ElementType, sizes: tuple[int, ...], random: np.random.Generator) -> Any:
    if ask.make is not None:
        return ask.make(random, sizes)
    low, high = ask.low, ask.high
    if ask.weight == INDEX or not kind.floating:
        first, last = int(np.ceil(low)), int(np.floor(high))
        return random.integers(first, max(first, last) + 1, sizes)
    return random.uniform(low, high, sizes)


def _plain(kind: ElementType, sizes: tuple[int, ...], fill: str, random: np.random.Generator) -> Array:
    """Values where nothing is asked: floats from -1 to 1, integers and packed codes 0 or 1."""
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
    return _typed(np.asarray(numbers), kind)


def _typed(numbers: Array, kind: ElementType) -> Array:
    """Numbers in an element type; integers out of its range are clipped."""
    if kind is BOOLEAN:
        return tagged(np.asarray(numbers != 0), kind)
    if kind.integral:
        low, high = kind.extent
        numbers = np.clip(np.asarray(numbers), low, high)
        numbers = np.trunc(numbers) if numbers.dtype.kind == "f" else numbers
    return tagged(np.asarray(numbers).astype(kind.dtype), kind)


def _strings(sizes: tuple[int, ...], fill: str, random: np.random.Generator) -> Array:
    out = np.empty(sizes, dtype=object)
    out[...] = {"zeros": "", "ones": "1"}.get(fill, "")
    if fill == "random":
        out.ravel()[:] = [chr(ord("a") + n) for n in random.integers(0, 26, out.size)]
    return out


def _extent(array: Array, kind: ElementType) -> str:
    """The values of an input as text: their range, or the values themselves where there are few."""
    if not array.size:
        return "no values"
    if kind is STRING:
        return "strings"
    if kind is BOOLEAN:
        return "true and false" if array.any() and not array.all() else str(bool(array.flat[0])).lower()
    numbers = (
        array.astype(np.float64)
        if kind.floating
        else array.astype(np.int64 if kind.name != "u64" else np.uint64)
    )
    if array.size > 1 and np.all(numbers == numbers.flat[0]):
        return f"all {numbers.flat[0]:g}"
    if array.size <= 4 and not kind.floating:
        return f"value{'s' if array.size > 1 else ''} {' '.join(map(str, numbers.ravel().tolist()))}"
    low, high = numbers.min(), numbers.max()
    return f"values {low:.3g}..{high:.3g}" if kind.floating else f"values {low}..{high}"
