"""irops.translate: convert a model between dialects."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from irops.analysis.declaring import declared_dims, facts_line
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.invocation import OpFault
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import meant_or_all
from irops.dialects.onnx.opsets import ONNX, onnx_opsets
from irops.dialects.registry import Registry, default_registry
from irops.editing.soundness import refusal, require_valid
from irops.editing.translation.counterparts import LAST, counterpart, to_onnx
from irops.editing.translation.node import (
    DIALECT_NAMES,
    NotTranslatableError,
    TargetGraph,
    TranslatedLayer,
    Wire,
    impossible,
    unknown,
)
from irops.graph.topology import Source
from irops.ir.model import Element, Layer, LayerKind, Model, Port
from irops.spec.attributes import default_of, format_value, parse
from irops.spec.definition import Definition
from irops.spec.sharing import own_attributes
from irops.values.element import DYNAMIC, STRING
from irops.values.fact import Fact
from irops.values.shape import Shape

OPSET = 18
"""The default ONNX opset of converted models."""


def translate(
    model: AnyModel, to: str, *, opset: int | None = None, registry: Registry | None = None
) -> Model:
    """Convert a model to another dialect, "openvino" or "onnx"; a model of that dialect is returned
    unchanged.

    opset: the ONNX opset, by default 18; newer types and ops may need a later one
    Raises:  DiagnosticError with all layers that are not representable and the reasons, or with the errors of
             the model
    """
    analysis = analyse(model, registry)
    return translated(analysis, to, opset).model


def translated(analysis: ModelAnalysis, to: str, opset: int | None = None) -> ModelAnalysis:
    """The analysis of the model in another dialect, for a writer to use; see translate."""
    if to not in DIALECT_NAMES:
        raise ValueError(f"unknown dialect {to!r}; {meant_or_all(to, DIALECT_NAMES)}")
    if opset is not None and not 1 <= opset <= onnx_opsets().last:
        raise ValueError(f"unsupported ONNX opset {opset}; expected 1 to {onnx_opsets().last}")
    model = analysis.model
    if model.dialect == to:
        own = model.opsets.get(ONNX)
        if to == ONNX and opset not in (None, own):
            why = f"ONNX opset {own}; irops does not convert it to opset {opset}"
            raise refusal(model, "untranslatable-op", f"the model has {why}")
        return analysis
    if model.dialect not in DIALECT_NAMES:
        why = f"the dialect {model.dialect}; use its export function instead"
        raise refusal(model, "untranslatable-op", f"the model has {why}")
    require_valid(analysis, "translated")
    if any(element.tag == "pre-process" for element in model.legacy):
        why = "a <pre-process> section, which irops does not convert"
        raise refusal(model, "untranslatable-op", f"the model has {why}")
    return _Translation(analysis, to, opset or OPSET).analysis


class _Translation:
    """Converts the layers of a model one by one."""

    def __init__(self, analysis: ModelAnalysis, to: str, opset: int) -> None:
        model = analysis.model
        self.source, self.to, self.nodes = model, to, analysis.root.layers
        self.facts, self.wiring = analysis.infer(), analysis.root.wiring
        self.target = TargetGraph(to, opset, model.weights, (layer.name for layer in model.layers))
        extra, rt_info, self.named = side_data(model, to)
        result = analysis.registry.op(f"{ONNX}:Result-1" if to == ONNX else "Result-1").definition
        self.result_types = result.inputs[0].allowed
        self.wires: dict[tuple[int, int], Wire] = {}
        self.origins: dict[int, Layer] = {}
        self.diagnostics: list[Diagnostic] = []
        results = [layer for layer in model.layers if layer.kind is LayerKind.RESULT]
        others = (layer for layer in self.wiring.order if layer.kind is not LayerKind.RESULT)
        for layer in (*others, *results):
            self._layer(self.facts.of(layer.id))
        if self.diagnostics:
            raise DiagnosticError(self.diagnostics)
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
        self.analysis = ModelAnalysis(self.model, analysis.registry, analysis.limits)
        self._declare(self.analysis.infer())

    def _layer(self, layer_facts: LayerFacts) -> None:
        layer, start = layer_facts.layer, len(self.target.graph.layers)
        try:
            self._check_types(layer_facts)
            self._convert(layer_facts)
        except NotTranslatableError as refused:
            self.diagnostics.append(self._refusal(layer, refused.rule, str(refused), facts_line(layer_facts)))
            ports = [Port(k) for k in range(max(1, len(layer.outputs)))]
            nothing = Layer(-1, layer.name, layer.type, layer.version, outputs=ports)
            self.wires.update({(layer.id, k): Wire(nothing, k) for k in range(len(ports))})
        self.origins.update((added.id, layer) for added in self.target.graph.layers[start:])

    def _check_types(self, layer_facts: LayerFacts) -> None:
        """Refuse element types that the target dialect lacks, at the first layer that produces them."""
        before = {fact.element_type for fact in layer_facts.inputs if fact is not None}
        for fact in layer_facts.outputs:
            kind = fact.element_type
            if kind is not DYNAMIC and kind.name not in self.result_types and kind not in before:
                raise NotTranslatableError(
                    "untranslatable-type",
                    f"its output has the element type {kind}, which {DIALECT_NAMES[self.to]} does not have",
                )

    def _convert(self, layer_facts: LayerFacts) -> None:
        layer, target = layer_facts.layer, self.target
        inputs = [self._wire(source) for source in self.wiring.inputs[layer.id]]
        version = "" if self.to == ONNX else "-1"
        if layer.kind is LayerKind.RESULT:
            added = target.add(layer.name, f"Result{version}", inputs, outputs=0)
            added.output_names = layer.output_names
        elif layer.kind is LayerKind.PARAMETER:
            data = parameter_data(layer, layer_facts.outputs[0], self.to, self.named)
            wire = Wire(target.add(layer.name, f"Parameter{version}", data=data))
            self._bind_output(layer, wire, own=True)
        elif layer.is_constant:
            data = {name: layer.data[name] for name in ("element_type", "shape", "offset", "size")}
            self._bind_output(layer, Wire(target.add(layer.name, f"Const{version}", data=data)), own=True)
        else:
            self._op(layer_facts, inputs)

    def _wire(self, source: Source | None) -> Wire | None:
        """The output that feeds an input. A Result passes on what feeds it, where an edge starts at it."""
        while source is not None and source[0].kind is LayerKind.RESULT:
            source = next(iter(self.wiring.inputs[source[0].id]), None)
        return None if source is None else self.wires[source[0].id, source[1]]

    def _op(self, layer_facts: LayerFacts, inputs: list[Wire | None]) -> None:
        layer = layer_facts.layer
        if layer_facts.op is None or layer_facts.invocation is None:
            raise impossible(f"irops does not define {layer.type} of {layer.version}")
        dialect, library = layer_facts.op.definition.dialect, layer_facts.op.definition.library
        if library:
            raise impossible(f"its op belongs to the extension library {library}")
        if dialect != self.source.dialect:
            message = f"its op belongs to the dialect {dialect}, but the model to {self.source.dialect}"
            raise impossible(message)
        try:
            node = TranslatedLayer(layer_facts, layer_facts.invocation, inputs, self.target)
        except OpFault as fault:  # does not occur in valid models
            raise impossible(fault.message) from None
        wire = (to_onnx if self.to == ONNX else to_openvino)(node)
        self._bind_output(layer, wire, own=wire in node.added)

    def _bind_output(self, layer: Layer, wire: Wire, *, own: bool) -> None:
        """Use a wire as the output of a layer. It gets the names of that output, in addition to its own names
        if it belongs to another layer.
        """
        names = layer.outputs[0].names if layer.outputs else ()
        wire.port.names = tuple(dict.fromkeys((*(() if own else wire.port.names), *names)))
        self.wires[layer.id, 0] = wire

    def _declare(self, facts: Inferred) -> None:
        """Write the inferred types and shapes into the ports.

        Raises:  DiagnosticError if inference reports errors
        """
        self.diagnostics.extend((*self._ill_typed(facts), *self._of_unknown_rank(facts)))
        if self.diagnostics:
            raise DiagnosticError(self.diagnostics)
        for layer_facts in facts.layers.values():
            for port, fact in zip(
                (*layer_facts.layer.inputs, *layer_facts.layer.outputs),
                (*layer_facts.inputs, *layer_facts.outputs),
            ):
                if fact is not None:
                    _declare(port, fact)

    def _ill_typed(self, facts: Inferred) -> Iterator[Diagnostic]:
        for error in facts.errors:
            layer = self.origins.get(-1 if error.location.layer_id is None else error.location.layer_id)
            if layer is None:
                yield error
                continue
            refusal = self._refusal(layer, "ill-typed-translation", error.message, error.facts)
            yield replace(refusal, constraint=error.constraint)

    def _of_unknown_rank(self, facts: Inferred) -> Iterator[Diagnostic]:
        for layer_facts in facts.layers.values() if self.to == ONNX else ():
            fact = next(iter(layer_facts.inputs), None)
            if layer_facts.layer.kind is LayerKind.RESULT and fact is not None and fact.shape.rank is None:
                layer = self.origins[layer_facts.layer.id]
                yield self._refusal(layer, "unknown-value-for-translation", NO_RANK)

    def _refusal(self, layer: Layer, name: str, reason: str, facts: str | None = None) -> Diagnostic:
        message = f"{layer} is not representable in {DIALECT_NAMES[self.to]}: {reason}"
        missing = self.nodes[layer.id].missing
        notes = () if missing is None else missing.notes
        return Diagnostic(rule(name), message, self.source.location(layer), facts=facts, notes=notes)


def _declare(port: Port, fact: Fact) -> None:
    port.precision = fact.element_type.precision if fact.element_type is not DYNAMIC else None
    port.dims = declared_dims(fact)


# Convert the Parameters of a model, and its data outside of the graph (rt_info, metadata).

SHAPES, METADATA = "onnx_shapes", "onnx_metadata"
"""The groups in rt_info of an OpenVINO model that keep ONNX data: names of sizes, and metadata_props."""
NO_RANK = "its rank is unknown, but ONNX requires the rank of every input and output of a model"


def parameter_data(layer: Layer, fact: Fact, dialect: str, named_shapes: Mapping[str, str]) -> dict[str, str]:
    """The attributes of a Parameter. named_shapes: for ONNX, shapes with names of sizes, by layer name.

    Raises:  RefusedError
    """
    if fact.element_type is DYNAMIC:
        raise unknown("its element type is unknown, but inputs must have one")
    if dialect != ONNX:
        shape = str(fact.shape)[1:-1]
    elif fact.shape.dims is None:
        raise unknown(NO_RANK)
    elif _is_same_shape(named_shapes.get(layer.name), fact.shape):
        shape = named_shapes[layer.name]
    else:
        shape = _onnx_shape(fact.shape)
    return {"shape": shape, "element_type": fact.element_type.name}


def _onnx_shape(shape: Shape) -> str:
    """A shape as ONNX text: sizes have names, but intervals become unknown."""
    return ",".join(str(size) if size.known else "?" for size in shape)


def _is_same_shape(text: str | None, shape: Shape) -> bool:
    """Whether a text describes the same shape, ignoring intervals and names."""
    if text is None or shape.dims is None:
        return False
    try:
        stored_shape = Shape.parse(text, symbols=True)
    except ValueError:
        return False
    return stored_shape.dims is not None and _onnx_shape(stored_shape) == _onnx_shape(shape)


def side_data(model: Model, dialect: str) -> tuple[dict[str, str], Element | None, dict[str, str]]:
    """The metadata and rt_info of a converted model, and the shapes with named sizes of its Parameters."""
    if dialect == ONNX:
        return _entries(model.rt_info, METADATA), None, _entries(model.rt_info, SHAPES)
    shapes = {}
    for layer in model.layers:
        shape = layer.data.get("shape", "") if layer.kind is LayerKind.PARAMETER else ""
        if any(part.strip().isidentifier() for part in shape.split(",")):
            shapes[layer.name] = shape
    groups = [_group(tag, entries) for tag, entries in ((SHAPES, shapes), (METADATA, model.extra)) if entries]
    return {}, Element("rt_info", children=groups) if groups else None, {}


def _group(tag: str, entries: Mapping[str, str]) -> Element:
    infos = [Element("info", {"name": name, "value": text}) for name, text in entries.items()]
    return Element(tag, children=infos)


def _entries(rt_info: Element | None, tag: str) -> dict[str, str]:
    """The entries of a group of rt_info."""
    groups = [group for group in (rt_info.children if rt_info is not None else ()) if group.tag == tag]
    found = [entry.attributes for group in groups for entry in group.children]
    return {entry["name"]: entry["value"] for entry in found if {"name", "value"} <= entry.keys()}


# Convert ONNX layers to OpenVINO: by their definitions, and by rules where these do not suffice.


def to_openvino(node: TranslatedLayer) -> Wire:
    """Convert a layer; return the wire that replaces its only output.

    Raises:  RefusedError
    """
    rule = RULES.get(node.op.definition.type)
    if rule is not None:
        return rule(node)
    if node.op.definition.same_as is None:
        raise impossible(f"irops has no rule that translates {node.op.id} to OpenVINO")
    return _in_openvino(node, {})


def _in_openvino(
    node: TranslatedLayer, extra_attributes: dict[str, str], default_inputs: dict[str, Wire] | None = None
) -> Wire:
    """Convert a layer to the OpenVINO op whose functions its definition shares.

    extra_attributes: attributes of that op that do not follow from the definition; default_inputs: values of
    inputs that are omitted in ONNX and required in OpenVINO
    """
    definition = node.op.definition
    assert definition.same_as is not None
    base = default_registry().op(definition.same_as).definition
    wires: list[Wire | None] = []
    for index, port in enumerate(base.inputs):
        name, attribute = counterpart(definition, base, index, port)
        if attribute is not None and (node.attributes[attribute] is not None or not port.optional):
            value = node.attributes[attribute]
            wires.append(node.constant(port.name, np.array(() if value is None else value, np.int64)))
        elif port.variadic and name is not None:
            wires.extend(node.variadic_wires(name))
        else:
            wires.append(
                (node.wire(name) if name is not None else None) or (default_inputs or {}).get(port.name)
            )
    return node.add(base.id, *wires, **attributes_in_openvino(node, base), **extra_attributes)


def attributes_in_openvino(node: TranslatedLayer, base: Definition) -> dict[str, str]:
    """All attributes with explicit values, because the defaults of the dialects differ."""
    attribute_map, fixed = own_attributes(node.op.definition), dict(node.op.definition.given)
    data: dict[str, str] = {}
    for name, attribute in base.attributes.items():
        if name in attribute_map:
            data[name] = format_value(node.attributes[attribute_map[name].name])
        elif name in fixed and ("." not in name or parse(attribute, fixed[name]) != default_of(attribute)):
            data[name] = fixed[name]
    return data


def _cast(node: TranslatedLayer) -> Wire:
    kind, source = node.attributes["to"], node.fact("input").element_type
    if STRING in (kind, source):
        raise impossible("OpenVINO's Convert does not support strings")
    if kind.name == "f8e8m0":
        raise impossible("ONNX's Cast and OpenVINO's Convert round to f8e8m0 differently")
    if kind.name == "f4e2m1" and not source.integral:
        raise impossible("ONNX's Cast converts NaN to -0 in f4e2m1, but OpenVINO's Convert to 6")
    if kind.floating and kind.bits == 8 and node.attributes.get("saturate", True):
        raise impossible(
            f"saturate is set, but OpenVINO's Convert turns numbers too large for {kind} into infinity or NaN"
        )
    return node.add("Convert-1", node.required("input"), destination_type=kind.name)


def _shape(node: TranslatedLayer) -> Wire:
    start, end = node.attributes.get("start", 0), node.attributes.get("end")
    if start == 0 and end is None:
        return node.add("ShapeOf-3", node.required("data"), output_type="i64")
    whole = node.add("ShapeOf-3", node.required("data"), part="whole", output_type="i64")
    bounds = {"start": [start], "stop": [LAST if end is None else end], "step": [1], "axes": [0]}
    return node.add("Slice-8", whole, *(node.constant(name, numbers) for name, numbers in bounds.items()))


def _reshape(node: TranslatedLayer) -> Wire:
    return _in_openvino(node, {"special_zero": format_value(not node.attributes.get("allowzero", False))})


def _slice(node: TranslatedLayer) -> Wire:
    """Add steps, which OpenVINO's op requires."""
    if "starts" in node.attributes:
        count: int | None = len(node.attributes["starts"])
    else:
        size = node.fact("starts").shape[0]
        count = int(size) if size.known else None
    if "steps" in {port.name for port in node.op.definition.inputs} and node.wire("steps") is not None:
        return _in_openvino(node, {})
    if count is None:
        raise unknown("steps are omitted, but the number of steps that OpenVINO's Slice needs is unknown")
    kind = np.int64 if "starts" in node.attributes else node.fact("starts").element_type.dtype
    return _in_openvino(node, {}, {"step": node.constant("step", np.ones(count, kind))})


def _unsqueeze(node: TranslatedLayer) -> Wire:
    """Without axes, which OpenVINO's op refuses, no layer is needed."""
    none = node.attributes["axes"] == () if "axes" in node.attributes else node.fact("axes").shape.size == 0
    return node.required("data") if none else _in_openvino(node, {})


RULES: dict[str, Callable[[TranslatedLayer], Wire]] = {
    "Identity": lambda node: node.required("input"),  # needs no layer
    "Cast": _cast,
    "Shape": _shape,
    "Reshape": _reshape,
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
}
"""By type of the ONNX op."""
