"""The layers that depend on nothing but constants, such as the parts of compressed weights."""

from __future__ import annotations

from collections.abc import Callable

from irops.graph.topology import Wiring
from irops.ir.model import Layer, LayerKind
from irops.spec.op import Op


def constant_layers(wiring: Wiring, op_of: Callable[[Layer], Op | None]) -> set[int]:
    """The ids of constants, and of the layers whose inputs are all constant.

    op_of: the op of a layer, or None; layers without an op, with state or with bodies do not count
    """
    constant: set[int] = set()
    for layer in wiring.order:
        if layer.is_constant or _follows(layer, op_of(layer), wiring, constant):
            constant.add(layer.id)
    return constant


def _follows(layer: Layer, op: Op | None, wiring: Wiring, constant: set[int]) -> bool:
    sources = wiring.inputs[layer.id]
    if op is None or op.definition.stateful or op.definition.bodies or not sources:
        return False
    return layer.kind is not LayerKind.RESULT and all(s is None or s[0].id in constant for s in sources)
