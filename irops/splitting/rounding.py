"""Layers whose rounding may depend on how many items are computed together, compared on random numbers.

Most kernels treat each item alike however many there are. Products of matrices whose rows are items are the
exception: libraries choose how to add up by the number of rows. What they choose depends on shapes, not on
values, so that a comparison on random operands of the same shapes decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from irops.analysis.batching.carried import SAME, Carried, Items
from irops.analysis.batching.proof import Proof
from irops.analysis.structure import LayerNode
from irops.backends.backend import Backend, kernel_of
from irops.splitting.layout import dense, in_order, joined, packed, parts_of
from irops.values.element import Array, tagged
from irops.values.fact import Fact

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
