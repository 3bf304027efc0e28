"""Blocks on workers, and the cut values of the whole batch from their results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import overload

from irops.analysis.batching.proof import Value
from irops.analysis.batching.carried import Items
from irops.cluster.workers import Workers
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError, Location
from irops.diagnostics.rules import rule
from irops.runtime.record import Record
from irops.splitting.layout import Packed, joined, packed
from irops.splitting.numerics import numerics
from irops.splitting.worker import Block, BlockResult, Task, prepare
from irops.values.element import Array


class Blocks(Sequence[Block]):
    """The inputs of each block, made when they are sent.

    arrays: by name; batched: the names of those that carry the batch; sizes: of the blocks
    """

    def __init__(self, arrays: Mapping[str, Array], batched: Collection[str], sizes: Sequence[int]) -> None:
        self._arrays, self._batched, self._sizes = arrays, batched, sizes

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first item of each block."""
        return tuple(sum(self._sizes[:number]) for number in range(len(self._sizes)))

    def __len__(self) -> int:
        return len(self._sizes)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Block]: ...
    def __getitem__(self, index: int | slice) -> Block | Sequence[Block]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        part = slice(self.starts[index], self.starts[index] + self._sizes[index])
        return {
            name: packed(array[part] if name in self._batched else array)
            for name, array in self._arrays.items()
        }


def gathered(
    task: Task, cuts: Mapping[Value, Items], blocks: Blocks, workers: Workers, record: Record, *, exact: bool
) -> dict[Value, Array]:
    """The cut values of the whole batch. Raises: EvaluationError; irops.cluster.faults.ClusterError"""
    results: list[BlockResult | None] = [None] * len(blocks)
    for number, result in workers.run(prepare, (task,), blocks):
        results[number] = _sound(result, blocks.starts[number], task, exact=exact)
    parts: list[tuple[Packed, ...]] = []
    for result in results:
        assert result is not None
        parts.append(result.values)
        for warning in result.warnings:
            record.warn(warning)
    return {
        value: joined([part[k] for part in parts], items) for k, (value, items) in enumerate(cuts.items())
    }


def _sound(result: object, start: int, task: Task, *, exact: bool) -> BlockResult:
    """The result of a block, if there is one that counts. Raises: EvaluationError"""
    place = Location(task.name)
    note = f"in the block of the batch that begins with item {start}"
    if not isinstance(result, BlockResult):
        raise EvaluationError([Diagnostic(rule("lost-block"), f"{note}: {result}", place)])
    if result.errors:
        raise EvaluationError([replace(error, notes=(*error.notes, note)) for error in result.errors])
    if exact and result.numerics != numerics():
        message = f"a worker computes as {result.numerics}, must compute as this process: {numerics()}"
        raise EvaluationError([Diagnostic(rule("unequal-workers"), message, place)])
    return result
