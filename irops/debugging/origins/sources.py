"""The named sizes of a model: every axis of its inputs has a symbol, also where the file fixes the size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import count
from math import inf

from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import shown
from irops.ir.model import Layer
from irops.values.dim import Dim
from irops.values.fact import Fact
from irops.values.shape import Shape

# The steps of an explanation, and the sentences that describe them.

MIN_RUN = 3
"""From this many layers that pass a fact on unchanged, one sentence stands for all between."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A fact that decides another: a facet of an input of the layer.

    input: the name of the input in the definition; subject: axis 1, element 2; answer: what it is; producer:
    the layer that the input comes from; constant: whether that is a constant, where the chain ends.
    """

    input: str
    subject: str
    answer: str
    producer: str
    location: Location
    constant: bool = False

    def described(self, *, named: bool) -> str:
        """The reason in a sentence. named: whether the producer is named, since more than one is followed"""
        subject = f"{self.subject} of {self.input}"
        if self.constant:
            return f"{subject} ({self.answer}, constant{at_line(self.location, ' at ')})"
        return f"{subject} ({self.answer}, {shown(self.producer)})" if named else f"{subject} ({self.answer})"


@dataclass(frozen=True, slots=True)
class Step:
    """One layer of an explanation: what a fact of an output is, and what decides it.

    path: the layers and bodies down to the graph of the layer; subject: axis 1, the shape; answer: what it
    is; reasons: facts of inputs; attributes: by name, as texts; note: why there are no reasons, or what the
    reasons leave out; passed_on: the fact is that of an input.
    """

    layer: str
    op: str
    location: Location
    path: tuple[str, ...]
    output: int
    subject: str
    answer: str
    reasons: tuple[Reason, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    note: str = ""

    @property
    def passed(self) -> Reason | None:
        """The reason that the fact is equal to, if the layer passes it on from an input; otherwise None."""
        if self.note or any(reason.answer != self.answer for reason in self.reasons if not reason.constant):
            return None
        return next((reason for reason in self.reasons if reason.answer == self.answer), None)

    @property
    def name(self) -> str:
        """The layer with its op and its line: relu_9 (Relu-1, line 80)."""
        inside = "".join(f"{shown(name)}/" for name in self.path)
        return f"{inside}{shown(self.layer)} ({self.op}{at_line(self.location, ', ')})"

    @property
    def fact(self) -> str:
        output = f" of output {self.output}" if self.output else ""
        return f"{self.subject}{output} is {self.answer}"

    def __str__(self) -> str:
        origin = self.passed
        if origin is not None and not origin.constant:
            return f"{self.name}: {self.fact}, as {origin.subject} of {origin.input}"
        followed = [reason for reason in self.reasons if not reason.constant]
        because = [reason.described(named=len(followed) > 1) for reason in self.reasons]
        because += [f"{name}={shown(value)}" for name, value in self.attributes]
        details = [f"from {', '.join(because)}" if because else "", self.note]
        return "; ".join(part for part in (f"{self.name}: {self.fact}", *details) if part)


def at_line(location: Location, before: str) -> str:
    """The line of a place in a file; nothing where there is none."""
    return "" if location.line is None else f"{before}line {location.line}"


def sentences(steps: tuple[Step, ...]) -> Iterator[str]:
    """The steps as sentences; a run of layers that pass a fact on is one sentence."""
    run: list[Step] = []
    for step in steps:
        before = run[-1].passed if run else None
        follows = before is not None and (before.producer, before.answer) == (step.layer, step.answer)
        if step.passed is not None and follows:
            run.append(step)
            continue
        yield from _run(run)
        run = [step] if step.passed is not None and not step.passed.constant else []
        if not run:
            yield str(step)
    yield from _run(run)


def _run(run: list[Step]) -> Iterator[str]:
    if len(run) < MIN_RUN:
        yield from map(str, run)
        return
    first, last = run[0], run[-1]
    origin = last.passed
    assert origin is not None
    yield (
        f"{first.name}: {first.fact}, passed on by {len(run)} layers from {origin.subject} of {origin.input}"
        f" of {last.name}"
    )


MAX_LIST = 8
LETTERS = "NMKLPQRSTUVWXYZABCDEFGHIJ"


class Kind(Enum):
    """What a named size is: the size of an input; a number that only data decide; a size for which irops has
    no formula; one whose formula is not that of inference, but fits all sizes that irops tries; or a size
    that depends on an op without a definition.
    """

    INPUT = "input"
    DATA = "data"
    UNEXPRESSED = "unexpressed"
    FITTED = "fitted"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Source:
    """A named size: axis number axis of an output of a layer.

    declared: of an input, the size in the file, or the one that the caller asks for; of another layer, what
    is inferred of the size; path: the layers and bodies down to the graph of the layer; op: the id of its
    op; reason: of a size that depends on an op without a definition, which op that is.
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
    reason: str = ""

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
            case Kind.UNEXPRESSED:
                reason = "irops has no formula for it"
            case Kind.FITTED:
                reason = "its formula fits sizes up to 65537, as irops has tried"
            case Kind.UNDEFINED:
                reason = self.reason
        return f"{place} output {self.output} of {name} ({self.op}{at_line(self.location, ', ')}); {reason}"


def symbolic_inputs(
    analysis: ModelAnalysis, overrides: Mapping[int, Fact], *, generalised: bool
) -> tuple[dict[str | int, Fact], dict[str, Source]]:
    """Facts for the inputs by position, in which every size has a symbol, and the sources by symbol.

    overrides: Facts that replace what inputs declare, by layer id; generalised: whether static sizes get
    symbols, too. Sizes 0 and 1 stay as they are: another size in place of 1 would not broadcast, and all that
    meets it would depend on which of both is 1. So do inputs with a value, and the static length of a short
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
        sizes = []
        for size in fact.shape.dims:
            name = next(names) if size.symbol is None and not (size.known and is_fixed) else str(size.symbol)
            is_kept = size in (0, 1) or (size.known and is_fixed)
            sizes.append(size if is_kept else _generalised(size, name))
        facts[port.position] = Fact(fact.element_type, Shape(sizes))
        for axis, (size, declared) in enumerate(zip(sizes, fact.shape.dims)):
            if size.symbol is not None:
                source = _source(analysis, port.layer, axis, str(size.symbol), declared)
                sources.setdefault(source.symbol, source)
    return facts, sources


def _is_list(fact: Fact) -> bool:
    """Whether a tensor is a short list of integers: a shape, axes, or the like."""
    return fact.element_type.integral and fact.shape.rank == 1 and fact.shape.size <= MAX_LIST


def _generalised(size: Dim, name: str) -> Dim:
    """A size of 1 or greater with a symbol. That of an axis with more than one element is 2 or greater, since
    an axis of size 1 may broadcast.
    """
    if size.known:
        return Dim(2, inf).named(name)
    return Dim(max(size.low, 1), max(size.high, 1)).named(name)


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
