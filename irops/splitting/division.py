"""Which layers workers compute, and which this process computes from their results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from irops.analysis.batching.carried import Items
from irops.analysis.batching.proof import Proof, Value
from irops.analysis.structure import LayerNode
from irops.ir.model import LayerKind

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
    seen: set[int] = set()
    ahead = [value[0] for value in values]
    while ahead:
        number = ahead.pop()
        if number not in seen:
            seen.add(number)
            sources = proof.analysis.root.wiring.inputs[number]
            ahead.extend(source[0].id for source in sources if source is not None)
    return frozenset(seen)
