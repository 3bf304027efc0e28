"""Split a run on several workers: the items of the batch are divided, computed and gathered."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any, overload

import numpy as np

from irops.analysis.batching.case import SAME, Carried, Items
from irops.analysis.batching.proof import Proof, Value, prove
from irops.analysis.inferred import LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key, Port, Signature
from irops.analysis.structure import LayerNode
from irops.backends.backend import Backend, kernel_of
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError
from irops.diagnostics.rules import rule
from irops.editing.extraction import Boundary, extracted
from irops.editing.splitting.starting import prepare_with, threads
from irops.editing.splitting.worker import (
    Block,
    BlockResult,
    OriginOfPart,
    Packed,
    Task,
    dense,
    in_order,
    joined,
    numerics,
    packed,
    part_of,
    parts_of,
    prepare,
)
from irops.files.limits import Limits
from irops.ir.model import LayerKind, Model
from irops.registry import Registry
from irops.runtime.evaluator import Progress
from irops.runtime.profile import Batching, Record
from irops.runtime.session import Keep, Results, Session
from irops.values.element import Array, tagged
from irops.values.fact import Fact
from irops.values.tensors import fact_of
from irops.work.cluster.cluster_workers import ClusterWorkers
from irops.work.cluster.workers import Workers

# Which layers workers compute, and which this process computes from their results.

MOVING = frozenset({"movement", "shape", "type"})
"""The categories of ops whose results may share memory with their inputs. They cost little, and the order of
their axes in memory is not that of a fresh array, so the cut is made before them.
"""


@dataclass(frozen=True, slots=True)
class Division:
    """cuts: the values that workers return; here: the ids of layers that are computed in this process, and
    inputs: the values that these read, cuts and inputs of the model; uneven: layers that only their rounding
    keeps here.
    """

    cuts: Mapping[Value, Items]
    distributed: frozenset[int]
    here: frozenset[int]
    inputs: frozenset[Value]
    uneven: tuple[LayerNode, ...]


def divided(proof: Proof, wanted: Sequence[Value], is_even: Callable[[LayerNode], bool]) -> Division:
    """Divide the layers that these values depend on. is_even: whether a layer rounds alike in blocks"""
    distributable, uneven = _distributable(proof, wanted, is_even)
    layers = proof.analysis.root.layers
    sources = proof.analysis.root.wiring.inputs
    cuts: dict[Value, Items] = {}
    here: set[int] = set()
    inputs: set[Value] = set()
    ahead: list[tuple[Value, bool]] = [(value, False) for value in wanted]
    while ahead:
        value, is_read = ahead.pop()
        node, items = layers[value[0]], proof.items(value)
        if node.layer.kind is LayerKind.PARAMETER:
            inputs |= {value} if is_read else set()
        elif items is not None and node.layer.id in distributable and not (is_read and _moves(node)):
            cuts[value] = items
            inputs |= {value} if is_read else set()
        elif node.layer.id not in here:
            here.add(node.layer.id)
            ahead.extend(((source[0].id, source[1]), True) for source in sources[node.layer.id] if source)
    return Division(cuts, _upstream(proof, cuts), frozenset(here), frozenset(inputs), uneven)


def _distributable(
    proof: Proof, wanted: Sequence[Value], is_even: Callable[[LayerNode], bool]
) -> tuple[frozenset[int], tuple[LayerNode, ...]]:
    """The layers that depend on no uneven one, and the first uneven ones on each way."""
    needed = _upstream(proof, wanted)
    pure: set[int] = set()
    uneven: list[LayerNode] = []
    for node in proof.analysis.root.order:
        sources = [
            source for source in proof.analysis.root.wiring.inputs[node.layer.id] if source is not None
        ]
        if node.layer.id not in needed or not all(source[0].id in pure for source in sources):
            continue
        carries = any(proof.items((source[0].id, source[1])) is not None for source in sources)
        if not carries or is_even(node):
            pure.add(node.layer.id)
        else:
            uneven.append(node)
    return frozenset(pure), tuple(uneven)


def _moves(node: LayerNode) -> bool:
    return node.op is None or node.op.definition.category in MOVING


def _upstream(proof: Proof, values: Collection[Value]) -> frozenset[int]:
    """The ids of the layers that values depend on."""
    return frozenset(proof.analysis.root.preceding(number for number, _ in values))


# Layers whose rounding may depend on how many items are computed together, compared on random numbers.
#
# Most kernels treat each item alike however many there are. Products of matrices whose rows are items are the
# exception: libraries choose how to add up by the number of rows. What they choose depends on shapes, not on
# values, so that a comparison on random operands of the same shapes decides.

STACKED_RANK = 3
"""From this rank on, operands of a product are stacks of matrices, multiplied one by one."""
RECURRENT = frozenset({"LSTMCell", "GRUCell", "RNNCell", "LSTMSequence", "GRUSequence", "RNNSequence"})
OWN = frozenset({"reference", "numpy", "numba"})
"""The backends whose results have the bits of the reference."""
UNTRIED = frozenset({"Einsum"})
"""Ops that choose how to multiply by more than shapes: the order of axes in memory, for example."""


class Rounding:
    """Whether layers give the same bits in blocks of these sizes. Layers with equal shapes are tried once."""

    def __init__(self, proof: Proof, backends: Sequence[Backend], sizes: Sequence[int]) -> None:
        self._proof, self._backends, self._sizes = proof, backends, sizes
        self._known: dict[Any, bool] = {}

    def is_even(self, node: LayerNode) -> bool:
        """Whether a layer that keeps items apart gives the same bits in blocks as at once."""
        facts = self._proof.inferred.layers[node.layer.id]
        inputs = [fact for fact in facts.inputs if fact is not None]
        is_exact = not any(fact.element_type.floating for fact in facts.outputs)
        if self._is_of_another_library(node):
            return False
        if is_exact or not self._mixes_rows(node, inputs):
            return True
        if node.layer.type in UNTRIED:
            return False
        carried = tuple(self._carried(node))
        key = (node.invocation, tuple(str(fact) for fact in inputs), carried)
        if key not in self._known:
            self._known[key] = self._agrees(node, inputs, carried)
        return self._known[key]

    def _is_of_another_library(self, node: LayerNode) -> bool:
        """Whether a library computes the layer that may treat a batch otherwise than its items."""
        chosen = None if node.op is None else kernel_of(node.op, self._backends)
        return chosen is not None and chosen[0].name not in OWN

    def _mixes_rows(self, node: LayerNode, inputs: Sequence[Fact]) -> bool:
        if node.layer.type != "MatMul":
            return node.layer.type in RECURRENT | UNTRIED
        places = [
            len(fact.shape) - 1 - c.axis
            for fact, c in zip(inputs, self._carried(node))
            if isinstance(c, Items)
        ]
        is_stack = all(place > 1 for place in places)
        return not is_stack or len(inputs[1].shape) < STACKED_RANK

    def _carried(self, node: LayerNode) -> list[Carried]:
        sources = self._proof.analysis.root.wiring.inputs[node.layer.id]
        return [self._proof.items((s[0].id, s[1])) or SAME for s in sources if s is not None]

    def _agrees(self, node: LayerNode, inputs: Sequence[Fact], carried: Sequence[Carried]) -> bool:
        """Compare the layer on random operands, at once and in blocks."""
        outputs = [self._proof.items((node.layer.id, index)) for index in range(len(node.layer.outputs))]
        if node.op is None or node.invocation is None or None in outputs:
            return False
        chosen = kernel_of(node.op, self._backends)
        if chosen is None:
            return False
        random = np.random.default_rng(0)
        arrays = [self._operand(fact, random) for fact in inputs]
        compute = partial(node.invocation.compute, kernel=chosen[1])
        for orders in self._layouts(node, inputs, carried):
            laid = [in_order(array, order) for array, order in zip(arrays, orders)]
            blocks = [self._blocks(array, items) for array, items in zip(laid, carried)]
            whole, parts = compute(laid), [compute(list(block)) for block in zip(*blocks)]
            for index, (result, items) in enumerate(zip(whole, outputs)):
                assert items is not None
                together = joined([packed(part[index]) for part in parts], items)
                if not np.array_equal(_bits(result), _bits(together)):
                    return False
        return True

    def _layouts(
        self, node: LayerNode, inputs: Sequence[Fact], carried: Sequence[Carried]
    ) -> Iterator[tuple[tuple[int, ...], ...]]:
        """The orders in memory of the axes of each operand, of all kinds that a kernel treats differently.

        A stack of matrices, one or more for each item, is multiplied one by one unless it lies in C order; so
        only C order matters there.
        """
        sources = [s for s in self._proof.analysis.root.wiring.inputs[node.layer.id] if s is not None]
        choices = []
        for fact, items, source in zip(inputs, carried, sources):
            rank = len(fact.shape)
            plain = tuple(range(rank))
            orders = [plain]
            is_stack = isinstance(items, Items) and items.axis < rank - 2
            if rank > 1 and not is_stack and not source[0].is_constant:
                orders.append((*plain[:-2], rank - 1, rank - 2))
                if rank > 2:
                    orders.append((rank - 2, *plain[:-2], rank - 1))
            choices.append(orders)
        yield from product(*choices)

    def _operand(self, fact: Fact, random: np.random.Generator) -> Array:
        """Random numbers for the whole batch; for integers, which are the lengths of sequences, ones."""
        count = sum(self._sizes)
        sizes = [int(size) if size.known else _positions(size, count) for size in fact.shape]
        if not fact.element_type.floating:
            return tagged(np.ones(sizes, fact.element_type.dtype), fact.element_type)
        numbers = random.standard_normal(sizes, np.float32).astype(fact.element_type.dtype)
        return tagged(numbers, fact.element_type)

    def _blocks(self, array: Array, carried: Carried) -> list[Array]:
        if not isinstance(carried, Items):
            return [array] * len(self._sizes)
        return [dense(part) for part in parts_of(array, carried, self._sizes)]


def _positions(size: Any, count: int) -> int:
    """The size of an axis of items for a number of items."""
    ((_, each),) = size.symbol.terms
    return int(each) * count


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.uint8)


# Blocks on workers, and the cut values of the whole batch from their results.


class ItemBlocks(Sequence[Block]):
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
    blocks: ItemBlocks,
    workers: Workers,
    analysis: ModelAnalysis,
    *,
    exact: bool,
) -> tuple[dict[Value, Array], list[Diagnostic]]:
    """The cut values of the whole batch, and the warnings of all blocks.

    Raises:  EvaluationError; irops.work.cluster.faults.ClusterError
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


# One run on several workers: prove, divide, distribute, and compute the rest here.

# How much there is to compute, as far as shapes say.

FILTERS = frozenset({"Convolution", "GroupConvolution", "DeformableConvolution"})


def operations(proof: Proof, layers: Collection[int]) -> float:
    """The multiplications of these layers; of ops other than products, one for each element of outputs."""
    return sum(_of_layer(proof.inferred.layers[number]) for number in layers)


def _of_layer(facts: LayerFacts) -> float:
    if not facts.inputs or not facts.outputs:
        return 0
    return sum(_elements(fact) for fact in facts.outputs) * _per_element(facts)


def _per_element(facts: LayerFacts) -> float:
    """How many products are added up for an element of the output."""
    name, first = facts.layer.type, facts.inputs[0]
    if name == "MatMul" and first is not None and first.shape.rank:
        transposed = facts.attributes.get("transpose_a") and len(first.shape) > 1
        return float(first.shape[-2 if transposed else -1].high)
    if name in FILTERS and len(facts.inputs) > 1 and facts.inputs[1] is not None:
        output = facts.outputs[0].shape
        return _elements(facts.inputs[1]) / max(float(output[1].high), 1.0)
    return 1.0


def _elements(fact: Fact) -> float:
    return 0.0 if fact.shape.dims is None else float(fact.shape.size.high)


# Which inputs carry the batch, and how many items they have.


def batch_of(
    signature: Signature, arrays: Mapping[int, Array], batched: Key | Iterable[Key] | None
) -> tuple[frozenset[int], int]:
    """The ids of the inputs whose first axis is that of the batch, and the number of items.

    arrays: of all inputs, by id; batched: their names or positions. By default they are those whose first
    axis has the size that most inputs have there, apart from 1; of several such sizes, the largest.
    Raises:  DiagnosticError for an unknown input; EvaluationError for inputs of different batches
    """
    if batched is not None:
        keys = (batched,) if isinstance(batched, (str, int)) else tuple(batched)
        ports = [signature.input(key) for key in keys]
        sizes = {_first(arrays[port.layer.id]) for port in ports}
        if len(sizes) != 1 or None in sizes:
            raise _mismatch(signature, ports, arrays)
        return frozenset(port.layer.id for port in ports), sizes.pop() or 0
    counts = Counter(size for size in map(_first, arrays.values()) if size is not None and size > 1)
    if not counts:
        return frozenset(), 1
    items = max(counts, key=lambda size: (counts[size], size))
    return frozenset(number for number, array in arrays.items() if _first(array) == items), items


def _first(array: Array) -> int | None:
    return array.shape[0] if array.ndim else None


def _mismatch(signature: Signature, ports: Collection[Port], arrays: Mapping[int, Array]) -> EvaluationError:
    shapes = ", ".join(f"{port.name!r} has {_first(arrays[port.layer.id])}" for port in ports)
    message = f"the inputs of a batch must have equally many items along their first axis; {shapes or 'none'}"
    return EvaluationError([Diagnostic(rule("incompatible-input"), message, signature.model.location())])


def block_sizes(items: int, each: int) -> tuple[int, ...]:
    """Items divided into blocks of a size. None has one item alone: sums of one row round differently."""
    each = max(min(each, items), 2)
    count = items // each
    rest = items - count * each
    sizes = [each] * count
    if rest == 1:
        sizes[-1] += 1
    elif rest:
        sizes.append(rest)
    return tuple(sizes)


# What this process computes itself, from values that workers return.


def rest_of(
    analysis: ModelAnalysis,
    division: Division,
    wanted: Sequence[Value],
    values: Mapping[Value, Array],
    options: Mapping[str, Any],
    record: Record,
) -> dict[Value, Array]:
    """Those of the wanted values that are computed here.

    values: the inputs of the model and the cut values; options: of the session; record: takes the warnings
    Raises:  EvaluationError
    """
    ends = [value for value in wanted if value[0] in division.here]
    if not ends:
        return {}
    part = extracted(analysis, Boundary(inputs=sorted(division.inputs), outputs=ends))
    session = Session(
        ModelAnalysis(replace(part.model, source=analysis.model.source), analysis.registry, analysis.limits),
        **options,
    )
    session.evaluator.run_once()
    names = {analysis.root.layers[value[0]].layer.name: value for value in division.inputs} | part.cuts
    results = session.run({port.name: values[names[port.name]] for port in session.signature.inputs})
    for warning in results.warnings:
        record.warn(warning)
    return {end: results[port.position] for end, port in zip(ends, session.signature.results, strict=True)}


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
        given = signature.by_key(inputs)
        arrays = {number: dense(array) for number, array in signature.arrays(given).items()}
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
        return self._session.named(self._of_layers(values), kept, record).as_given(given)

    def _wanted(self, kept: Iterable[int]) -> tuple[Value, ...]:
        """The values that the run returns: what Results read, and the outputs of layers to keep."""
        root = self._analysis.root
        results = [root.wiring.first(layer.id) for layer in root.results]
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
        smallest = self._items_per_block or max(-(-items // (BLOCKS_PER_WORKER * count)), 2)
        tried: dict[tuple[int, ...], Division] = {}
        for unit in ROUNDED_TO if self._exact and self._items_per_block is None else ROUNDED_TO[:1]:
            sizes = block_sizes(items, -(-smallest // unit) * unit) if items >= MIN_SPLIT else (items,)
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
        origin = OriginOfPart.of(self._model, self._analysis, part)
        task = Task(
            origin,
            tuple(division.cuts),
            batched,
            self._backends,
            self._registry,
            self._analysis.limits,
            self._verify,
        )
        blocks = ItemBlocks({name: arrays[number] for number, name in names.items()}, batched, sizes)
        values, warnings = gathered(task, division.cuts, blocks, workers, self._analysis, exact=self._exact)
        for warning in warnings:
            record.warn(warning)
        return values

    def _of_layers(self, values: dict[Value, Array]) -> dict[Value, Array]:
        """The values with those of the Results."""
        root = self._analysis.root
        for layer in root.results:
            source = root.wiring.first(layer.id)
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


# irops.run: a model's results from its inputs, on this machine or on several.


def run(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[Key, Any] | Iterable[Any] = (),
    *,
    backends: str | Iterable[str | Backend] | None = None,
    keep: Keep = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
    verify: bool = False,
    progress: Progress | None = None,
    profile: bool = False,
    client: Any = None,
    batched: Key | Iterable[Key] | None = None,
    exact: bool = True,
    items_per_block: int | None = None,
) -> Results:
    """A model's results: arrays by Result name, or tensor name for a Result_35; all names and positions find
    them.

    inputs: arrays by tensor name, layer name or position, or the one array of the only input. Arrays of other
    libraries that offer DLPack are taken, and the results are of the library of the first. backends: what
    computes, by name or as objects, the first that can (by default the fastest that is installed, then the
    reference); keep: further layers by
    name or id, or "all"; verify: compare every result of other backends with the reference; progress:
    called with
    (layers done, layers in all, layer); profile: measure time and bytes of each layer: results.profile has
    .ops and .layers, and .write(path) writes a trace for Perfetto.

    client: a dask.distributed.Client. Its workers compute blocks of the batch, the items along the first axis
        of the inputs; where model is a path or a URL, they read it themselves. The results are those of a run
        without client, bit for bit; results.batching says what was distributed.
    batched: the inputs that have the batch (by default those whose first axis has the most common size)
    exact: False allows differences of rounding, so that more is distributed
    items_per_block: how many items a worker gets at a time
    Raises:  ReadError; EvaluationError, with .diagnostics: inputs that do not fit, a broken requirement,
        a limit, a layer at which items of the batch meet (IR651)
    """
    if client is None:
        session = Session(
            model, backends=backends, registry=registry, limits=limits, verify=verify, progress=progress
        )
        session.evaluator.run_once()
        return session.run(inputs, keep=keep, profile=profile)
    if progress is not None or profile:
        raise ValueError(
            "progress and profile are those of a run in this process; they cannot be given with client"
        )
    splitting = Splitting(model, backends, registry, limits, verify, exact, items_per_block)
    return splitting.run(inputs, keep, batched, client)
