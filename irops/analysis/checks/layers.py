"""Layers serve a purpose and can be told apart."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.checks.context import Context, Scope
from irops.diagnostics.diagnostic import Diagnostic
from irops.graph.order import feeding_layers
from irops.graph.wiring import Wiring
from irops.ir.model import Layer, LayerKind


def the_model_has_results(context: Context) -> Iterator[Diagnostic]:
    if () not in context.partially_read and not _sinks(context.scopes[0]):
        count = len(context.model.layers)
        what = f"the model has {count} layer{'s' * (count != 1)} and no Result"
        yield context.finding(
            "no-results",
            f"{what}; it needs one for each tensor that it returns",
            0,
            context.scopes[0],
            notes=("OpenVINO reads and compiles it as a model without outputs",),
        )


def every_layer_reaches_a_result(context: Context) -> Iterator[Diagnostic]:
    """Tells one layer of each dead end, the last, and how many others lead only there."""
    for scope in context.whole:
        sinks = _sinks(scope)
        if (
            not sinks or scope.wiring.faults or scope.wiring.unconnected
        ):  # with edges amiss, what leads where is not known
            continue
        for layer, behind in _dead_ends(scope.wiring, feeding_layers(scope.wiring, sinks)):
            more = (
                f", nor on the {behind} before it that lead nowhere else"
                if behind > 1
                else ", nor on the one before it that leads nowhere else"
                if behind
                else ""
            )
            whole = "the model" if scope.outer is None else "the body"
            message = (
                f"nothing that {whole} returns depends on {layer}{more}; no way leads from it to a Result or"
                " Assign"
            )
            yield context.finding(
                "dead-layer",
                message,
                layer.at,
                scope,
                layer,
                notes=("OpenVINO does not look at such a layer",),
            )


def layer_names_are_unique(context: Context) -> Iterator[Diagnostic]:
    for scope in context.scopes:
        first: dict[str, Layer] = {}
        for layer in scope.graph.layers:
            other = first.setdefault(layer.name, layer)
            if other is not layer and layer.name and other.id != layer.id:
                message = f"{layer} has the name of {other}; by the name only one of them can be found"
                yield context.finding(
                    "duplicate-layer-name",
                    message,
                    layer.at,
                    scope,
                    layer,
                    notes=("OpenVINO keeps both names",),
                )


def tensor_names_are_unique(context: Context) -> Iterator[Diagnostic]:
    for scope in context.scopes:
        first: dict[str, tuple[Layer, int]] = {}
        for layer in scope.graph.layers:
            for index, port in enumerate(layer.outputs):
                for name in port.names:
                    other, output = first.setdefault(name, (layer, index))
                    if (other.id, output) != (layer.id, index):
                        message = (
                            f'output {index} of {layer} has the tensor name "{name}", as has output {output}'
                            f" of {other}"
                        )
                        yield context.finding(
                            "duplicate-tensor-name",
                            f"{message}; a tensor name must mean one tensor",
                            port.at,
                            scope,
                            layer,
                            notes=("OpenVINO keeps both names",),
                        )


def _sinks(scope: Scope) -> list[Layer]:
    sinks = (LayerKind.RESULT, LayerKind.SINK)
    return [layer for layer in scope.wiring.layers.values() if layer.intended_kind in sinks]


def _dead_ends(wiring: Wiring, living: set[int]) -> Iterator[tuple[Layer, int]]:
    """Layers that feed nothing and are no sink, and how many layers lead only to dead ends through each."""
    told: set[int] = set()
    feeding = {layer_id for layer_id, _ in wiring.consumers}
    for layer in wiring.layers.values():
        if layer.id in living or layer.id in feeding or layer.kind is LayerKind.PARAMETER:
            continue
        behind, ahead = -1, [layer.id]
        while ahead:
            layer_id = ahead.pop()
            if layer_id in living or layer_id in told or wiring.layers[layer_id].kind is LayerKind.PARAMETER:
                continue
            told.add(layer_id)
            behind += 1
            ahead.extend(source[0].id for source in wiring.inputs[layer_id] if source is not None)
        yield layer, behind
