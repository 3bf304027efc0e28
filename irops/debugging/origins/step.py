"""The steps of an explanation, and the sentences that describe them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import shown

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
