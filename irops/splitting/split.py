"""One run on several workers: prove, divide, distribute, and compute the rest here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from irops.analysis.batching.proof import Proof, Value, prove
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key
from irops.cluster.cluster_workers import ClusterWorkers
from irops.cluster.workers import Workers
from irops.diagnostics.diagnostic import EvaluationError
from irops.ir.model import LayerKind
from irops.runtime.batching import Batching
from irops.runtime.record import Record
from irops.runtime.session import Keep, Results, Session
from irops.splitting.batch_inputs import batch_of, block_sizes
from irops.splitting.division import Division, divided
from irops.splitting.gathering import Blocks, gathered
from irops.splitting.layout import dense
from irops.splitting.part import Origin, part_of
from irops.splitting.rest import rest_of
from irops.splitting.rounding import Rounding
from irops.splitting.work import operations
from irops.splitting.worker import Task
from irops.values.element import Array
from irops.values.tensors import fact_of

BLOCKS_PER_WORKER = 4
"""How many blocks each worker gets by default, so that none waits long for the last one."""
MIN_SPLIT = 4
"""Batches of fewer items are not split."""
ROUNDED_TO = (1, 4, 16, 64)
"""Block sizes that are tried are multiples of these: products of more rows are more often rounded alike."""


class Splitting:
    """A model, and how its batches are split. model, backends, ...: see irops.run"""

    def __init__(
        self,
        model: Any,
        backends: Any,
        registry: Any,
        limits: Any,
        verify: bool,
        exact: bool,
        items_per_block: int | None,
    ) -> None:
        if items_per_block is not None and items_per_block < 2:
            raise ValueError(f"items_per_block is {items_per_block}, must be 2 or greater")
        self._model, self._backends, self._registry, self._verify = model, backends, registry, verify
        self._exact, self._items_per_block = exact, items_per_block
        self._session = Session(model, backends=backends, registry=registry, limits=limits, verify=verify)
        self._session.evaluator.run_once()

    @property
    def _analysis(self) -> ModelAnalysis:
        return self._session.analysis

    def run(
        self,
        inputs: Mapping[Key, Any] | Iterable[Any],
        keep: Keep,
        batched: Key | Iterable[Key] | None,
        client: Any,
    ) -> Results:
        """The results, computed by the workers of a client and by this process."""
        signature = self._analysis.signature
        arrays = {number: dense(array) for number, array in signature.arrays(inputs).items()}
        ids, items = batch_of(signature, arrays, batched)
        kept = self._session.kept(keep)
        wanted = self._wanted(kept)
        facts = {number: fact_of(array) for number, array in arrays.items()}
        proof = prove(self._analysis, facts, dict.fromkeys(ids, 0), items, {value[0] for value in wanted})
        if proof.refusals:
            raise EvaluationError(proof.refusals)
        workers: Workers = (
            client if hasattr(client, "run") and hasattr(client, "count") else ClusterWorkers(client)
        )
        sizes, division = self._division(proof, wanted, items, workers.count)
        record = Record(self._analysis.limits.findings)
        values: dict[Value, Array] = {(number, 0): array for number, array in arrays.items()}
        if division.cuts:
            values |= self._distributed(division, arrays, ids, sizes, workers, record)
        options = {"backends": self._backends, "verify": self._verify}
        values |= rest_of(self._analysis, division, wanted, values, options, record)
        record.batching = _summary(proof, division, sizes)
        return self._session.named(self._of_layers(values), kept, record)

    def _wanted(self, kept: Iterable[int]) -> tuple[Value, ...]:
        """The values that the run returns: what Results read, and the outputs of layers to keep."""
        root = self._analysis.root
        results = [root.wiring.inputs[layer.id][0] for layer in root.results]
        values = [(source[0].id, source[1]) for source in results if source is not None]
        layers = [root.layers[number].layer for number in kept]
        operations = [layer for layer in layers if layer.kind is not LayerKind.RESULT]
        return tuple(
            dict.fromkeys([*values, *((o.id, k) for o in operations for k in range(len(o.outputs)))])
        )

    def _division(
        self, proof: Proof, wanted: Sequence[Value], items: int, count: int
    ) -> tuple[tuple[int, ...], Division]:
        """The sizes of the blocks, and what is computed where: of some sizes, those that distribute most."""
        least = self._items_per_block or max(-(-items // (BLOCKS_PER_WORKER * count)), 2)
        tried: dict[tuple[int, ...], Division] = {}
        for unit in ROUNDED_TO if self._exact and self._items_per_block is None else ROUNDED_TO[:1]:
            sizes = block_sizes(items, -(-least // unit) * unit) if items >= MIN_SPLIT else (items,)
            if sizes not in tried and (len(sizes) > 1 or not tried):
                tried[sizes] = self._divided(proof, wanted, sizes)
                if not tried[sizes].uneven:
                    break
        best = max(tried, key=lambda sizes: operations(proof, tried[sizes].distributed))
        return best, tried[best]

    def _divided(self, proof: Proof, wanted: Sequence[Value], sizes: tuple[int, ...]) -> Division:
        if len(sizes) < 2:
            return replace(divided(proof, wanted, lambda _: False), uneven=())
        rounding = Rounding(proof, self._session.evaluator.backends, sizes)
        return divided(proof, wanted, rounding.is_even if self._exact else lambda _: True)

    def _distributed(
        self,
        division: Division,
        arrays: Mapping[int, Array],
        ids: Collection[int],
        sizes: Sequence[int],
        workers: Workers,
        record: Record,
    ) -> dict[Value, Array]:
        """The cut values, from the workers."""
        part = part_of(self._analysis, tuple(division.cuts))
        names = {layer.id: layer.name for layer in part.layers if layer.id in arrays}
        batched = frozenset(name for number, name in names.items() if number in ids)
        origin = Origin.of(self._model, self._analysis, part)
        task = Task(
            origin,
            tuple(division.cuts),
            batched,
            self._backends,
            self._registry,
            self._analysis.limits,
            self._verify,
        )
        blocks = Blocks({name: arrays[number] for number, name in names.items()}, batched, sizes)
        values, warnings = gathered(task, division.cuts, blocks, workers, self._analysis, exact=self._exact)
        for warning in warnings:
            record.warn(warning)
        return values

    def _of_layers(self, values: dict[Value, Array]) -> dict[Value, Array]:
        """The values with those of the Results."""
        root = self._analysis.root
        for layer in root.results:
            source = root.wiring.inputs[layer.id][0]
            if source is not None:
                values[layer.id, 0] = values[source[0].id, source[1]]
        return values


def _summary(proof: Proof, division: Division, sizes: tuple[int, ...]) -> Batching:
    layers = proof.analysis.root.layers
    computing = {n for n, node in layers.items() if node.layer.kind is LayerKind.OPERATION}
    distributed, here = division.distributed & computing, division.here & computing
    on_workers = operations(proof, distributed)
    total = on_workers + operations(proof, here)
    return Batching(
        sizes if division.cuts else (sum(sizes),),
        len(distributed),
        tuple(layers[number].layer.name for number in sorted(here)),
        on_workers / total if total else 0.0,
        tuple(node.layer.name for node in division.uneven),
    )
