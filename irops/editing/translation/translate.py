"""irops.translate: a model of one dialect as a model of another."""

from __future__ import annotations

import os
from collections.abc import Iterator

from irops.analysis.checks.run import check
from irops.analysis.describing import facts_line
from irops.analysis.infer import analyse
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.dialects.onnx.opsets import ONNX, onnx_opsets
from irops.editing.translation.frame import beside, parameter_data
from irops.editing.translation.node import Node
from irops.editing.translation.onnx_rules import said_in_onnx
from irops.editing.translation.openvino_rules import said_in_openvino
from irops.editing.translation.refusal import SPELLED, RefusedError, impossible
from irops.editing.translation.target import Target, Wire
from irops.invocation import OpFault
from irops.ir.model import Layer, LayerKind, Model, Port
from irops.registry import Registry
from irops.values.element import DYNAMIC
from irops.values.fact import Fact

OPSET = 18
"""The opset of ONNX that models are translated to, if nobody says."""


def translate(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    to: str,
    *,
    opset: int | None = None,
    registry: Registry | None = None,
) -> Model:
    """The model in another dialect, "openvino" or "onnx"; itself, where it is of that dialect.

    opset: of ONNX, which newer types and ops may need; 18, if nobody says
    Raises:  DiagnosticError, with all layers that cannot be said there, and why; or with what is wrong with
        the model
    """
    if to not in SPELLED:
        raise ValueError(f"there is no dialect {to!r}, must be one of {', '.join(SPELLED)}")
    if opset is not None and not 1 <= opset <= onnx_opsets().last:
        raise ValueError(
            f"there is no opset {opset} of ONNX that irops knows, must be 1 to {onnx_opsets().last}"
        )
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry)
    model = analysis.model
    if model.dialect == to:
        own = model.opsets.get(ONNX)
        if to == ONNX and opset not in (None, own):
            raise _refusal(
                model,
                "untranslatable-op",
                f"the model is of opset {own} of ONNX; irops does not bring it to {opset}",
            )
        return model
    if model.dialect not in SPELLED:
        raise _refusal(
            model,
            "untranslatable-op",
            f"the model is of the dialect {model.dialect}, which has an export of its own",
        )
    _require_sound(analysis)
    if any(element.tag == "pre-process" for element in model.legacy):
        raise _refusal(
            model,
            "untranslatable-op",
            "the model has a <pre-process>, whose mean values irops does not subtract",
        )
    return _Translation(analysis, to, opset or OPSET).model


def _require_sound(analysis: ModelAnalysis) -> None:
    model, errors = analysis.model, check(analysis).errors
    if errors:
        count = f"{len(errors)} errors" if len(errors) > 1 else "an error"
        raise _refusal(
            model,
            "invalid-source-model",
            f"the model has {count}, and must have none to be translated",
            *errors,
        )


def _refusal(model: Model, name: str, message: str, *more: Diagnostic) -> DiagnosticError:
    return DiagnosticError(
        [
            Diagnostic(
                rule(name), message, Location(model.source.path if model.source is not None else None)
            ),
            *more,
        ]
    )


class _Translation:
    """The layers of a model, one after the other, in the target."""

    def __init__(self, analysis: ModelAnalysis, to: str, opset: int) -> None:
        model = analysis.model
        self.source, self.to = model, to
        self.facts, self.wiring = analysis.infer(), analysis.root.wiring
        self.target = Target(to, opset, model.weights, (layer.name for layer in model.layers))
        extra, rt_info, self.named = beside(model, to)
        self.held = (
            analysis.registry.op(f"{ONNX}:Result-1" if to == ONNX else "Result-1")
            .definition.inputs[0]
            .allowed
        )
        self.wires: dict[tuple[int, int], Wire] = {}
        self.origins: dict[int, Layer] = {}
        self.found: list[Diagnostic] = []
        results = [layer for layer in model.layers if layer.kind is LayerKind.RESULT]
        for layer in [*(one for one in self.wiring.order if one.kind is not LayerKind.RESULT), *results]:
            self._layer(self.facts.of(layer.id))
        if self.found:
            raise DiagnosticError(self.found)
        self.target.drop(
            [self.wires[key].layer for key in self.wiring.consumers if self.wiring.layers[key[0]].is_constant]
        )
        self.model = Model(
            model.name,
            11,
            self.target.graph,
            rt_info,
            extra=extra,
            weights=self.target.weights,
            dialect=to,
            opsets={ONNX: opset} if to == ONNX else {},
        )
        self._declare(ModelAnalysis(self.model, analysis.registry, analysis.limits).infer())

    def _layer(self, known: LayerFacts) -> None:
        layer, start = known.layer, len(self.target.graph.layers)
        try:
            self._hold_types(known)
            self._said(known)
        except RefusedError as refused:
            self._refuse(known, refused.rule, f"{layer} cannot be said in {SPELLED[self.to]}: {refused}")
            nothing = Layer(
                -1,
                layer.name,
                layer.type,
                layer.version,
                outputs=[Port(k) for k in range(max(1, len(layer.outputs)))],
            )
            self.wires.update({(layer.id, k): Wire(nothing, k) for k in range(len(nothing.outputs))})
        self.origins.update((made.id, layer) for made in self.target.graph.layers[start:])

    def _hold_types(self, known: LayerFacts) -> None:
        """Refuse element types that the other dialect has not, where they come up first."""
        before = {fact.element_type for fact in known.inputs if fact is not None}
        for fact in known.outputs:
            kind = fact.element_type
            if kind is not DYNAMIC and kind.name not in self.held and kind not in before:
                raise RefusedError(
                    "untranslatable-type",
                    f"it gives elements of type {kind}, which {SPELLED[self.to]} does not have",
                )

    def _said(self, known: LayerFacts) -> None:
        layer, target = known.layer, self.target
        inputs = [
            None if source is None else self.wires[source[0].id, source[1]]
            for source in self.wiring.inputs[layer.id]
        ]
        if layer.kind is LayerKind.RESULT:
            target.add(
                layer.name, "Result" if self.to == ONNX else "Result-1", inputs, outputs=0
            ).output_names = layer.output_names
        elif layer.kind is LayerKind.PARAMETER:
            data = parameter_data(layer, known.outputs[0], self.to, self.named)
            self._stand_for(
                layer,
                Wire(target.add(layer.name, "Parameter" if self.to == ONNX else "Parameter-1", data=data)),
                own=True,
            )
        elif layer.is_constant:
            data = {name: layer.data[name] for name in ("element_type", "shape", "offset", "size")}
            self._stand_for(
                layer,
                Wire(target.add(layer.name, "Const" if self.to == ONNX else "Const-1", data=data)),
                own=True,
            )
        else:
            self._op(known, inputs)

    def _op(self, known: LayerFacts, inputs: list[Wire | None]) -> None:
        layer = known.layer
        if known.op is None or known.invocation is None:
            raise impossible(f"irops has no definition of {layer.type} of {layer.version}")
        dialect = known.op.definition.dialect
        if dialect != self.source.dialect:
            raise impossible(f"its op is of the dialect {dialect}, and the model of {self.source.dialect}")
        try:
            node = Node(known, known.invocation, inputs, self.target)
        except OpFault as fault:  # nothing that a sound model has
            raise impossible(fault.message) from None
        wire = (said_in_onnx if self.to == ONNX else said_in_openvino)(node)
        self._stand_for(layer, wire, own=wire in node.made)

    def _stand_for(self, layer: Layer, wire: Wire, *, own: bool) -> None:
        """Let a wire be a layer's output, and have its names, beside those that it has unless it is the
        layer's own.
        """
        names = layer.outputs[0].names if layer.outputs else ()
        wire.port.names = tuple(dict.fromkeys((*(() if own else wire.port.names), *names)))
        self.wires[layer.id, 0] = wire

    def _declare(self, facts: Inferred) -> None:
        """Write into ports what is inferred of them.

        Raises:  DiagnosticError where inference refuses something
        """
        self.found.extend(self._ill_typed(facts))
        if self.found:
            raise DiagnosticError(self.found)
        for known in facts.layers.values():
            for port, fact in zip(
                (*known.layer.inputs, *known.layer.outputs), (*known.inputs, *known.outputs)
            ):
                if fact is not None:
                    _declare(port, fact)

    def _ill_typed(self, facts: Inferred) -> Iterator[Diagnostic]:
        for error in facts.errors:
            layer = self.origins.get(-1 if error.location.layer_id is None else error.location.layer_id)
            if layer is None:
                yield error
                continue
            message = f"{layer} cannot be said in {SPELLED[self.to]}: {error.message}"
            yield Diagnostic(
                rule("ill-typed-translation"), message, self._place(layer), error.constraint, error.facts
            )

    def _refuse(self, known: LayerFacts, name: str, message: str) -> None:
        self.found.append(Diagnostic(rule(name), message, self._place(known.layer), facts=facts_line(known)))

    def _place(self, layer: Layer) -> Location:
        return self.source.location(layer)


def _declare(port: Port, fact: Fact) -> None:
    port.precision = fact.element_type.precision if fact.element_type is not DYNAMIC else None
    port.dims = (
        tuple(int(size) if size.known else -1 for size in fact.shape) if fact.shape.dims is not None else ()
    )
