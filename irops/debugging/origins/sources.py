"""The named sizes of a model: every axis of its inputs has a symbol, also where the file fixes the size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import count
from math import inf

from irops.analysis.model_analysis import ModelAnalysis
from irops.debugging.origins.step import at_line
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import shown
from irops.ir.model import Layer
from irops.values.dim import Dim
from irops.values.fact import Fact
from irops.values.shape import Shape

MAX_LIST = 8
LETTERS = "NMKLPQRSTUVWXYZABCDEFGHIJ"


class Kind(Enum):
    """What a named size is: the size of an input; a number that only data decide; one that follows from an
    unknown rank; a size for which irops has no formula; or one whose formula is not that of inference, but
    fits all sizes that irops tries.
    """

    INPUT = "input"
    DATA = "data"
    RANK = "rank"
    UNEXPRESSED = "unexpressed"
    FITTED = "fitted"


@dataclass(frozen=True, slots=True)
class Source:
    """A named size: axis number axis of an output of a layer.

    declared: of an input, the size in the file, or the one that the caller asks for; of another layer, what
    is inferred of the size; path: the layers and bodies down to the graph of the layer; op: the id of its
    op.
    """

    symbol: str
    kind: Kind
    layer: str
    output: int
    axis: int
    declared: Dim
    op: str
    location: Location
    path: tuple[str, ...] = ()

    def __str__(self) -> str:
        place = f"axis {self.axis} of"
        name = shown(self.layer)
        match self.kind:
            case Kind.INPUT:
                size = self.declared.spelled
                declared = "of any size" if size == "?" else f"declared as {size}"
                return f"{place} input {name}{at_line(self.location, ', ')}, {declared}"
            case Kind.DATA:
                reason = "only the data decide it"
            case Kind.RANK:
                reason = "it follows from a rank that is not known"
            case Kind.UNEXPRESSED:
                reason = "irops has no formula for it"
            case Kind.FITTED:
                reason = "its formula fits sizes up to 65537, as irops has tried"
        return f"{place} output {self.output} of {name} ({self.op}{at_line(self.location, ', ')}); {reason}"


def symbolic_inputs(
    analysis: ModelAnalysis, overrides: Mapping[int, Fact], *, generalised: bool
) -> tuple[dict[str | int, Fact], dict[str, Source]]:
    """Facts for the inputs by position, in which every size has a symbol, and the sources by symbol.

    overrides: Facts that replace what inputs declare, by layer id; generalised: whether static sizes get
    symbols, too. Sizes 0 stay as they are, and so do inputs with a value, and the static length of a short
    list of integers, which may be a shape: with another length, ranks would be unknown.
    """
    facts: dict[str | int, Fact] = {}
    sources: dict[str, Source] = {}
    wanted = [overrides.get(port.layer.id, port.fact) for port in analysis.signature.inputs]
    names = _names(
        str(dim.symbol) for fact in wanted for dim in fact.shape.dims or () if dim.symbol is not None
    )
    for port, fact in zip(analysis.signature.inputs, wanted):
        if fact.shape.dims is None or fact.may_have_value:
            facts[port.position] = fact
            continue
        is_fixed = not generalised or _is_list(fact)
        sizes = [
            size
            if size == 0 or (size.known and is_fixed)
            else _generalised(size, names if size.symbol is None else iter([str(size.symbol)]))
            for size in fact.shape.dims
        ]
        facts[port.position] = Fact(fact.element_type, Shape(sizes))
        for axis, (size, declared) in enumerate(zip(sizes, fact.shape.dims)):
            if size.symbol is not None:
                source = _source(analysis, port.layer, axis, str(size.symbol), declared)
                sources.setdefault(source.symbol, source)
    return facts, sources


def _is_list(fact: Fact) -> bool:
    """Whether a tensor is a short list of integers: a shape, axes, or the like."""
    return fact.element_type.integral and fact.shape.rank == 1 and fact.shape.size <= MAX_LIST


def _generalised(size: Dim, names: Iterator[str]) -> Dim:
    """A size of 1 or greater with a symbol. That of an axis with more than one element is 2 or greater, since
    an axis of size 1 may broadcast.
    """
    if size.known:
        return Dim(2 if size > 1 else 1, inf).named(next(names))
    return Dim(max(size.low, 1), max(size.high, 1)).named(next(names))


def _source(analysis: ModelAnalysis, layer: Layer, axis: int, symbol: str, declared: Dim) -> Source:
    op = analysis.root.layers[layer.id].op
    place = analysis.location(layer)
    return Source(
        symbol, Kind.INPUT, layer.name, 0, axis, declared, layer.type if op is None else op.id, place
    )


def _names(reserved: Iterator[str]) -> Iterator[str]:
    """N, M, K …, N2, M2 …, without those that the caller uses."""
    used = set(reserved)
    for number in count(1):
        for letter in LETTERS:
            name = letter if number == 1 else f"{letter}{number}"
            if name not in used:
                yield name
