"""Blocks on workers, and the cut values of the whole batch from their results."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import overload

from irops.analysis.batching.carried import Items
from irops.analysis.batching.proof import Value
from irops.analysis.model_analysis import ModelAnalysis
from irops.cluster.workers import Workers
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError
from irops.diagnostics.rules import rule
from irops.splitting.layout import Packed, joined, packed
from irops.splitting.numerics import numerics
from irops.splitting.starting import prepare_with, threads
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
    task: Task,
    cuts: Mapping[Value, Items],
    blocks: Blocks,
    workers: Workers,
    analysis: ModelAnalysis,
    *,
    exact: bool,
) -> tuple[dict[Value, Array], list[Diagnostic]]:
    """The cut values of the whole batch, and the warnings of all blocks.

    Raises:  EvaluationError; irops.cluster.faults.ClusterError
    """
    warnings: list[Diagnostic] = []
    arguments = threads(), pickle.dumps((prepare, (task,)), pickle.HIGHEST_PROTOCOL)
    arrived: dict[int, object] = {}
    parts: list[tuple[Packed, ...]] = []
    for number, outcome in workers.run(prepare_with, arguments, blocks):
        arrived[number] = outcome
        while len(parts) in arrived:  # in order, so that the first fault is reported whichever comes first
            result = _sound(arrived.pop(len(parts)), blocks.starts[len(parts)], analysis, exact=exact)
            parts.append(result.values)
            warnings += [_in_model(warning, analysis) for warning in result.warnings]
    values = {
        value: joined([part[k] for part in parts], items) for k, (value, items) in enumerate(cuts.items())
    }

    return values, warnings


def _in_model(finding: Diagnostic, analysis: ModelAnalysis) -> Diagnostic:
    """A finding at its place in the model: in a copy of a part, layers are elsewhere."""
    place = finding.location
    if place.layer_name is None or place.path:
        return finding
    node = next((n for n in analysis.root.layers.values() if n.layer.name == place.layer_name), None)
    return finding if node is None else replace(finding, location=analysis.location(node.layer))


def _sound(result: object, start: int, analysis: ModelAnalysis, *, exact: bool) -> BlockResult:
    """The result of a block, if there is one that counts. Raises: EvaluationError"""
    place = analysis.location()
    note = f"in the block of the batch that begins with item {start}"
    if not isinstance(result, BlockResult):
        raise EvaluationError([Diagnostic(rule("lost-block"), f"{note}: {result}", place)])
    if result.errors:
        errors = (_in_model(error, analysis) for error in result.errors)
        raise EvaluationError([replace(error, notes=(*error.notes, note)) for error in errors])
    if exact and result.numerics != numerics():
        message = f"a worker computes as {result.numerics}, must compute as this process: {numerics()}"
        raise EvaluationError([Diagnostic(rule("unequal-workers"), message, place)])
    return result
