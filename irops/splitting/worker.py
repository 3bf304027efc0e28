"""What a worker does: it computes the cut values of a block of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from irops.analysis.batching.proof import Value
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.session import Session
from irops.splitting.layout import Packed, packed
from irops.splitting.numerics import Numerics, numerics
from irops.splitting.part import Origin
from irops.values.element import Array

Block = Mapping[str, Packed]
"""The inputs of some items, and those that are the same for all, by name."""


@dataclass(frozen=True, slots=True)
class Task:
    """What all blocks of a run share.

    batched: the names of the inputs that carry the batch
    """

    origin: Origin
    cuts: tuple[Value, ...]
    batched: frozenset[str]
    backends: Any
    registry: Registry | None
    limits: Limits
    verify: bool


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The cut values of a block in order, or the errors; and what else the run of the block reports."""

    values: tuple[Packed, ...]
    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    numerics: Numerics


def prepare(task: Task) -> Callable[[Block], BlockResult]:
    """Read the part of the model; the function that is returned computes a block."""
    analysis = task.origin.part(task.cuts, task.batched, task.registry, task.limits)
    session = Session(analysis, backends=task.backends, verify=task.verify)

    def compute(block: Block) -> BlockResult:
        try:
            results = session.run({name: array.array() for name, array in block.items()})
        except DiagnosticError as error:
            return BlockResult((), error.diagnostics, (), numerics())
        values = tuple(packed(array) for array in _in_order(results, session))
        return BlockResult(values, (), results.warnings, numerics())

    return compute


def _in_order(results: Mapping[str, Array], session: Session) -> Sequence[Array]:
    return [results[port.name] for port in session.signature.results]
