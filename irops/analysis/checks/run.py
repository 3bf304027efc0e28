"""All checks over one model; those of its state variables among them."""

import os
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias

from irops.analysis.checks import layers, releases
from irops.analysis.checks.declared import ports_declare_what_is_inferred
from irops.analysis.checks.layers import inputs_and_outputs_keep_their_types, layouts_fit_inputs_and_outputs
from irops.analysis.inference import Inference
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.analysis.structure import BodyNode, GraphNode, LayerNode, ModelStructure, Path
from irops.diagnostics.diagnostic import Diagnostic, Location, ReadError, Rule, Severity, in_document_order
from irops.diagnostics.printable import abridged
from irops.diagnostics.report import Report
from irops.diagnostics.rules import custom_rules, rule
from irops.dialects.reading import load
from irops.dialects.registry import Registry
from irops.environment import no_collection
from irops.files.limits import Clock, Limits, notes, recursion_limit_for
from irops.files.urls import Place
from irops.graph.topology import feeding_layers
from irops.ir.model import SHOWN, Layer
from irops.ir.weights import constant_faults
from irops.spec.extension import error_text, load_installed_rules
from irops.spec.op import Op
from irops.spec.releases import releases as release_table
from irops.values.element import DYNAMIC
from irops.values.fact import Fact

MAX_SEARCHES = 100
"""For how many layers all those before them are searched, which takes time for each."""
STATEFUL = ("readvalue", "assign")


def first_assignments_follow_a_read(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Assign-3 takes type and shape of the variable from a ReadValue-3 that its input depends on."""
    by_any = {layer.data.get("variable_id") for _, layer in layers_of_type(structure, "readvalue")}
    by_first = {node.layer.data.get("variable_id") for _, node in _nodes(structure, "ReadValue-3")}
    for scope, node in islice(_nodes(structure, "Assign-3"), MAX_SEARCHES):
        name = node.layer.data.get("variable_id")
        if name not in by_any:  # reported as not read at all
            continue
        if name not in by_first:
            why = "is not read by a ReadValue of opset3; a ReadValue of a later version is not enough"
        elif name not in _read_before(scope, node):
            why = "must be read by a ReadValue of opset3 that the input of the Assign depends on"
        else:
            continue
        message = f'{node.layer} of {node.layer.version} assigns the variable "{name}", which {why}'
        notes = ("OpenVINO refuses the file: it does not find the variable",)
        yield structure.finding("unread-variable", message, node.layer.at, scope, node.layer, notes=notes)


def _nodes(structure: ModelStructure, op: str) -> Iterator[tuple[GraphNode, LayerNode]]:
    """The layers of an op version, with their graphs."""
    for scope in structure.fully_read:
        for layer in scope.current(scope.groups.where(lambda layer: _is_of(structure, layer, op))):
            yield scope, scope.layers[layer.id]


def _is_of(structure: ModelStructure, layer: Layer, op: str) -> bool:
    """Whether a layer is of an op version."""
    resolved = structure.registry.resolve(layer.type, layer.version)
    return isinstance(resolved, Op) and resolved.id == op


def _read_before(scope: GraphNode, node: LayerNode) -> set[str | None]:
    """The variables that are read by ReadValue-3 before a layer."""
    before = feeding_layers(scope.wiring, [node.layer])
    others = (scope.layers[number] for number in before if number in scope.layers)
    reads = (other for other in others if other.op is not None and other.op.id == "ReadValue-3")
    return {other.layer.data.get("variable_id") for other in reads}


def variables_are_read_and_assigned_once(structure: ModelStructure) -> Iterator[Diagnostic]:
    """Only outside of bodies, whose variables OpenVINO's CPU plug-in handles otherwise."""
    scope, *bodies = structure.graphs
    in_bodies = (layer for body in bodies for layer in body.groups.first_layers)
    if scope not in structure.fully_read or any(layer.type.lower() in STATEFUL for layer in in_bodies):
        return
    layers = scope.groups.where(lambda layer: layer.type.lower() in STATEFUL)
    counts = Counter((layer.data.get("variable_id"), layer.type.lower()) for layer in layers)
    for layer in layers:
        name, kind = layer.data.get("variable_id"), layer.type.lower()
        if name is None:
            continue
        if kind == "readvalue" and not counts[name, "assign"]:
            message = f'{layer} reads the variable "{name}", which no layer assigns'
        elif counts[name, kind] > 1:
            message = f'{layer} is one of {counts[name, kind]} layers of its type for the variable "{name}"'
        else:
            continue
        counts[name, kind] = counts[name, "assign"] = 1  # once for each variable
        notes = ("OpenVINO compiles the model, but its CPU plug-in fails when it runs it",)
        yield structure.finding("unpaired-variable", message, layer.at, scope, layer, notes=notes)


def variables_have_one_type_and_shape(structure: ModelStructure) -> Iterator[Diagnostic]:
    first: dict[str, Layer] = {}
    for scope, layer in layers_of_type(structure, "readvalue"):
        declared = _declaration(layer)
        if declared is None:
            continue
        other = first.setdefault(layer.data["variable_id"], layer)
        before = _declaration(other)
        if before is not None and before != declared:
            message = (
                f'{layer} declares the variable "{layer.data["variable_id"]}" as {"".join(declared)}, must be'
                f" {''.join(before)}, as {other} declares it"
            )
            why = ("OpenVINO checks one layer against the declaration of the other",)
            yield structure.finding("conflicting-variable-types", message, layer.at, scope, layer, notes=why)


def assigned_variables_are_read(structure: ModelStructure) -> Iterator[Diagnostic]:
    read = {layer.data.get("variable_id") for _, layer in layers_of_type(structure, "readvalue")}
    for scope, layer in layers_of_type(structure, "assign"):
        name = layer.data.get("variable_id")
        if name is not None and name not in read and not structure.partially_read:
            assigned = f'{layer} assigns the variable "{abridged(name, SHOWN)}", which no layer reads'
            message = f"{assigned}; there must be a ReadValue with the same variable_id"
            why = ('OpenVINO refuses the file with "map::at"',)
            yield structure.finding("unread-variable", message, layer.at, scope, layer, notes=why)


def variables_are_read_before_they_are_assigned(structure: ModelStructure) -> Iterator[Diagnostic]:
    """OpenVINO computes an Assign after every ReadValue of its variable, which must not depend on it."""
    reads = _variables(structure, "readvalue")
    assigns = _variables(structure, "assign")
    for scope in structure.fully_read if reads and assigns else ():
        if not any(path == scope.path and number in scope.wiring.feeding for path, number in assigns):
            continue
        behind: dict[int, frozenset[str]] = {}
        for node in scope.order:
            layer, place = node.layer, (scope.path, node.layer.id)
            sources = (source[0].id for source in scope.wiring.inputs[layer.id] if source is not None)
            assigned = frozenset().union(*(behind.get(number, frozenset()) for number in sources))
            if reads.get(place) in assigned:
                name = reads[place]
                message = f'{layer} reads the variable "{name}" and depends on an Assign of it, must not'
                note = ("OpenVINO refuses the file: it finds a cycle",)
                yield structure.finding("cyclic-variable", message, layer.at, scope, layer, notes=note)
            if place in assigns:
                assigned |= {assigns[place]}
            if assigned:
                behind[layer.id] = assigned


def _variables(structure: ModelStructure, type_: str) -> dict[tuple[Path, int], str]:
    """The variables that layers of a type name, by graph and id."""
    layers = layers_of_type(structure, type_)
    named = ((scope, layer) for scope, layer in layers if "variable_id" in layer.data)
    return {(scope.path, layer.id): layer.data["variable_id"] for scope, layer in named}


def layers_of_type(structure: ModelStructure, type_: str) -> Iterator[tuple[GraphNode, Layer]]:
    """The layers of a type, in lower case, with their graphs, bodies included."""
    for scope in structure.graphs:
        for layer in scope.groups.of_type(type_):
            yield scope, layer


def _declaration(layer: Layer) -> tuple[str, str] | None:
    """The declared element type and shape of the variable, normalized; None if the layer declares none."""
    if not {"variable_id", "variable_type", "variable_shape"} <= layer.data.keys():
        return None
    shape = "".join(layer.data["variable_shape"].split()).strip("[]").replace("-1", "?")
    return layer.data["variable_type"].strip().lower(), f"[{shape}]"


# Checks that bodies can be inferred from what their Parameters declare, as OpenVINO does first.

NOTES = (
    "OpenVINO infers a body from what its Parameters declare before it connects it, and refuses the file",
)


def bodies_fit_their_parameters(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Only bodies whose Parameters declare something else than they receive are inferred once more."""
    for here in inferred.walk():
        graph = structure.by_path[here.path]
        for known in here.with_bodies:
            for name, body in known.bodies.items():
                node = graph.layers[known.layer.id].bodies[name]
                if not body.has_errors and _contradicts(node, body):
                    yield from _as_declared(structure, node)


def _contradicts(node: BodyNode, body: Inferred) -> bool:
    received = (body.layers[layer.id].outputs for layer in node.graph.parameters)
    return any(not _contains(declared, facts[0]) for declared, facts in zip(node.declared, received) if facts)


def _contains(declared: Fact, received: Fact) -> bool:
    kinds = (DYNAMIC, received.element_type)
    return declared.element_type in kinds and declared.shape.contains(received.shape)


def _as_declared(structure: ModelStructure, node: BodyNode) -> Iterator[Diagnostic]:
    """The first error of a body with what its Parameters declare."""
    declared = {layer.id: fact for layer, fact in zip(node.graph.parameters, node.declared)}
    findings = Inference(structure).graph(node.graph, declared).all_findings()
    for finding in [f for f in findings if f.severity is Severity.ERROR][:1]:
        message = f"with what the Parameters of the body declare, {finding.message}"
        changed = rule("contradicting-parameters")
        yield replace(finding, rule=changed, message=message, constraint=None, notes=NOTES, level=None)


Check: TypeAlias = Callable[[ModelStructure], Iterator[Diagnostic]]
InferredCheck: TypeAlias = Callable[[ModelStructure, Inferred], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    layers.the_model_has_results,
    layers.every_layer_reaches_a_result,
    layers.layer_names_are_unique,
    layers.tensor_names_are_unique,
    variables_have_one_type_and_shape,
    assigned_variables_are_read,
    variables_are_read_before_they_are_assigned,
    first_assignments_follow_a_read,
    variables_are_read_and_assigned_once,
    releases.nothing_uses_a_sink,
    layers.types_are_spelled_as_specified,
    layers.ops_need_no_extension_library,
    layers.bodies_are_those_of_the_op,
)
"""The findings that need no inference, beside the structural ones of the analysis."""
INFERRED_CHECKS: tuple[InferredCheck, ...] = (
    ports_declare_what_is_inferred,
    inputs_and_outputs_keep_their_types,
    layouts_fit_inputs_and_outputs,
    releases.inputs_can_be_compiled,
    releases.ranks_can_be_compiled,
    releases.element_types_can_be_compiled,
    bodies_fit_their_parameters,
    layers.layers_declare_the_outputs_that_there_are,
)
"""The checks that compare the file with the inferred Facts."""


def check(
    model: AnyModel,
    weights: str | os.PathLike[str] | None = None,
    *,
    text: bytes | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    rules: Iterable[Rule] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
    target: str | None = None,
) -> Report:
    """Everything that is wrong with a model, or with a file, in document order.

    text: is checked in place of the file's content (an editor's, say); select, ignore: codes, beginnings of
    codes (IR2), or names of rules; all of them if none is selected; rules: custom rules, beside those of
    installed packages; target: a release of OpenVINO ("2023.3"), of which is reported what it does not read.
    Raises:  ValueError where select or ignore matches no rule, or target is no known release;
        DefinitionError for invalid custom rules
    """
    load_installed_rules()
    custom = tuple(rules)
    release = None if target is None else release_table().named(target)
    limits = limits or Limits()
    with no_collection(), recursion_limit_for(limits.depth):
        if isinstance(model, str | os.PathLike):
            # in a function of its own, so that the model is freed before the collector could traverse it
            report = _of_file(os.fspath(model), weights, text, custom, registry, limits, release)
        else:
            report = _report(analyse(model, registry, limits), (), custom, target=release)
    return report.narrowed(select, ignore, custom)


def _of_file(
    path: str,
    weights: str | os.PathLike[str] | None,
    text: bytes | None,
    custom: tuple[Rule, ...],
    registry: Registry | None,
    limits: Limits,
    target: str | None,
) -> Report:
    try:
        loaded, read_findings = load(path, weights, text=text, limits=limits)
    except ReadError as error:
        return Report.of(error.diagnostics, str(Place.of(path)))
    analysis = ModelAnalysis(loaded, registry, limits, read_findings)
    return _report(analysis, read_findings, custom, str(Place.of(path)), target)


def check_as_read(
    analysis: ModelAnalysis, read_findings: Iterable[Diagnostic], target: str | None = None
) -> Report:
    """The report on a file whose text was loaded and analysed already.

    read_findings: what reading found, see reading.load; target: as in check
    """
    load_installed_rules()
    release = None if target is None else release_table().named(target)
    return _report(analysis, read_findings, (), target=release)


def _report(
    analysis: ModelAnalysis,
    read_findings: Iterable[Diagnostic],
    custom: tuple[Rule, ...],
    path: str | None = None,
    target: str | None = None,
) -> Report:
    source = analysis.model.source
    if path is None and source is not None:
        path = source.path
    with no_collection(), recursion_limit_for(analysis.limits.depth):
        findings = [*read_findings, *_within_time(analysis, custom, target)]
    return Report.of(within(analysis.limits, without_cascading(findings)), path)


def _within_time(
    analysis: ModelAnalysis, custom: tuple[Rule, ...], target: str | None
) -> Iterator[Diagnostic]:
    """All findings, until the time is up."""
    clock = Clock(analysis.limits.seconds)
    for finding in findings_of(analysis, custom, target):
        yield finding
        if clock.expired:
            message = f"the time was up before all was checked; {analysis.limits.message('seconds')}"
            name = "checking-time-limit"
            yield analysis.finding(name, message, 0, analysis.root, notes=notes(name))
            return


def findings_of(
    analysis: ModelAnalysis, custom: tuple[Rule, ...] = (), target: str | None = None
) -> Iterator[Diagnostic]:
    """The findings on a model beyond its text: structure, weights, shapes and values."""
    yield from analysis.structural_findings
    for each in CHECKS:
        yield from each(analysis)
    if target is not None:
        yield from releases.the_target_reads_the_model(analysis, target)
    weights = tuple(constant_faults(analysis.model))
    yield from weights
    inferred = analysis.infer()
    reported = {(finding.code, finding.location) for finding in weights}
    # a constant that inference could not read is reported once, by the check of the weights
    yield from (d for d in inferred.all_findings() if (d.code, d.location) not in reported)
    for check_inferred in INFERRED_CHECKS:
        yield from check_inferred(analysis, inferred)
    yield from custom_findings(analysis, inferred, custom)


# Suppresses cascading findings: those that another finding on the same layer explains.

CASCADES = {
    "IR101": ("IR301", "IR302", "IR303"),  # a layer without a type or version: no op can be found
    "IR102": ("IR301", "IR302", "IR303"),
    "IR111": ("IR321", "IR322"),  # ports that share an id
    "IR504": ("IR312",),  # attributes of a Const, which both the weights and the definition check
    "IR505": ("IR314", "IR315"),
    "IR506": ("IR314", "IR315"),
    "IR508": ("IR314", "IR315", "IR408"),
    "IR509": ("IR311", "IR312"),
    "IR906": ("IR208", "IR210"),  # a tensor that two nodes produce
    **dict.fromkeys(
        ("IR907", "IR908", "IR909", "IR910", "IR911"), ("IR504", "IR312", "IR314")
    ),  # a constant without a value
}
"""The rules whose findings are suppressed by a finding of another rule on the same layer."""


def without_cascading(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    findings = list(findings)
    suppressed: dict[tuple[tuple[str, ...], int | None], set[str]] = defaultdict(set)
    for diagnostic in findings:
        suppressed[diagnostic.location.path, diagnostic.location.layer_id].update(
            CASCADES.get(diagnostic.code, ())
        )
    return [d for d in findings if d.code not in suppressed[d.location.path, d.location.layer_id]]


# Runs the checks of custom rules, after those of irops; spec/extension.py loads them.


def custom_findings(
    analysis: ModelAnalysis, inferred: Inferred, more: Iterable[Rule] = ()
) -> Iterator[Diagnostic]:
    """The findings of custom rules. more: rules beside those that were added."""
    chosen = [custom for custom in dict.fromkeys((*custom_rules(), *more)) if custom.check is not None]
    if not chosen:
        return
    paths = {id(layer): path for path, layer in analysis.model.walk()}
    for custom in chosen:
        assert custom.check is not None
        try:
            for layer, message in custom.check(analysis.model, inferred):
                yield Diagnostic(custom, str(message), _place(analysis, layer, paths))
        except Exception as error:
            message = f"the check of {custom.code} failed: {error_text(error)}"
            yield Diagnostic(rule("failed-rule"), message, _code_place(custom, error))


def _place(analysis: ModelAnalysis, layer: Any, paths: dict[int, tuple[str, ...]]) -> Location:
    if layer is None:
        return analysis.model.location()
    if not isinstance(layer, Layer):
        raise TypeError(f"it gave {layer!r} in place of a layer of the model, or None")
    return analysis.model.location(layer, paths.get(id(layer), ()))


def _code_place(failed: Rule, error: Exception) -> Location:
    """The line of the check that failed, or called what failed."""
    code = getattr(failed.check, "__code__", None)
    file = None if code is None else code.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return Location(file, lines[-1] if lines else getattr(code, "co_firstlineno", None))


# Limits the number of findings.

MORE = "too-many-findings"


def within(limits: Limits, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The first findings up to the limit, errors before warnings, and one with the number of the others."""
    diagnostics = list(diagnostics)
    findings = [d for d in diagnostics if d.name != MORE]
    before = [d for d in diagnostics if d.name == MORE]  # those that the reader omitted already
    if len(findings) <= limits.findings:
        return [*findings, *before]
    order = in_document_order(findings)
    kept = sorted(order, key=lambda d: d.severity is not Severity.ERROR)[: int(limits.findings)]
    last = max((d.location for d in kept), key=lambda where: where.line or 0)
    message = f"{len(order) - len(kept)} more findings are not reported; {limits.message('findings')}"
    if not before:
        where = Location(last.file, last.line, last.column)
        before = [Diagnostic(rule(MORE), message, where, notes=notes(MORE))]
    return [*kept, *before]
