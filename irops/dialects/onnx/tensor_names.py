"""The names of tensors in an ONNX model, which must be unique because they connect the nodes."""

from __future__ import annotations

from collections.abc import Sequence

from irops.graph.wiring import Wiring
from irops.ir.model import Layer, LayerKind
from irops.ir.unique import UniqueNames


def has_node(layer: Layer) -> bool:
    """Whether a layer is a node in ONNX: inputs and results are not, nor are initializers, unlike the nodes
    Constant.
    """
    return layer.type not in ("Parameter", "Const", "Result")


class TensorNames:
    """Names of the outputs of layers. results: of what the graph gives, by layer; renamed: tensors that it
    gives under another name.
    """

    def __init__(self, layers: Sequence[Layer], wiring: Wiring) -> None:
        self.results: dict[int, str] = {}
        self.renamed: list[tuple[str, str]] = []
        self._names: dict[tuple[int, int], str] = {}
        self._used_names = UniqueNames()
        ends = [layer for layer in layers if layer.kind is LayerKind.RESULT]
        sources = {layer.id: wiring.inputs[layer.id][0] for layer in ends}
        for layer in layers:
            if layer.kind is LayerKind.PARAMETER:
                self._claim((layer.id, 0), layer)
        for layer in ends:
            self.results[layer.id] = self._used_names.unique(_wanted(layer, sources[layer.id]))
        for layer in ends:
            self._give(layer, sources[layer.id])
        for layer in layers:
            for place in range(len(layer.outputs)):
                self._claim((layer.id, place), layer)
        self.renamed = [
            (self._names[source[0].id, source[1]], self.results[end])
            for end, source in sources.items()
            if source is not None and self._names[source[0].id, source[1]] != self.results[end]
        ]

    def of(self, layer: Layer) -> list[str]:
        """The names of a layer's outputs."""
        return [self._names[layer.id, place] for place in range(len(layer.outputs))]

    def _give(self, result: Layer, source: tuple[Layer, int] | None) -> None:
        """Let the tensor that a Result takes have the result's name, if it has no other and is a node's."""
        if source is None or not has_node(source[0]) or (source[0].id, source[1]) in self._names:
            return
        name, names = self.results[result.id], source[0].outputs[source[1]].names
        if name in names or not names:
            self._names[source[0].id, source[1]] = name

    def _claim(self, key: tuple[int, int], layer: Layer) -> None:
        if key in self._names:
            return
        names = layer.outputs[key[1]].names
        plain = layer.name or f"{layer.type}_{layer.id}"  # an empty name means an input that is left out
        numbered = plain if len(layer.outputs) == 1 else f"{plain}:{key[1]}"
        self._names[key] = self._used_names.unique(
            next((name for name in names if name and name not in self._used_names), numbered)
        )


def _wanted(result: Layer, source: tuple[Layer, int] | None) -> str:
    """What a result is called: what it says itself, else as its tensor, else as its layer."""
    names = source[0].outputs[source[1]].names if source is not None else ()
    return next(filter(None, (*(result.output_names or ()), *names, result.name)), f"Result_{result.id}")
