"""irops.convert: a model in the op versions that another release of OpenVINO reads."""

import warnings
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from irops.analysis.checks.layers import inputs_and_outputs_keep_their_types
from irops.analysis.invocation import input_spec
from irops.analysis.model_analysis import AnyModel, ModelAnalysis, analyse
from irops.analysis.needs import MIN_BYTES, Need
from irops.analysis.structure import Path
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.printable import shortened
from irops.diagnostics.rules import rule
from irops.dialects.registry import Registry
from irops.editing.conversion import rules, targets
from irops.editing.conversion.constants import widen
from irops.editing.conversion.steps import STEPS, ConversionStep, ConvertedNode, NodeForm, Outputs
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node
from irops.editing.soundness import refusal, require_valid
from irops.files.limits import Limits
from irops.ir.build import READ
from irops.ir.model import Layer, LayerKind, Model
from irops.ir.write import document
from irops.spec.definition import OPENVINO
from irops.spec.releases import opsets
from irops.values.element import DYNAMIC, as_i64, zeros

ROUNDS = 4
"""How often what is left may be converted: a constant of a new type, then the layer that uses it."""


class ConversionWarning(UserWarning):
    """A difference of a converted model: results that round, or parts of its file that are unread."""


def convert(
    model: AnyModel,
    target: str | None = None,
    *,
    upgrade: bool | None = None,
    ir_version: int | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Model:
    """The model with the op versions, element types and forms that a release of OpenVINO reads.

    target: a release ("2023.0"), an opset ("opset:8"), or "newest". Only layers that the target does not read
        are changed; names of layers, tensors, inputs and results stay. None, beside upgrade or ir_version:
        no layer is changed for a target.
    upgrade: whether the other layers get the newest version of their op that the target reads, where it means
        the same; by default only for "newest".
    ir_version: 10 or 11, of the file; by default that of the model.
    Results are equal bit for bit, or a ConversionWarning says what rounds.
    Raises:  DiagnosticError with every layer that has no equal form, and the reason, or with the errors of
             the model; ValueError for an unknown target or version
    """
    analysis = analyse(model, registry, limits)
    conversion = converted(analysis, target, upgrade=upgrade, ir_version=ir_version)
    for note in conversion.notes:
        warnings.warn(note, ConversionWarning, stacklevel=3)  # the caller of irops.convert
    return conversion.model


def converted(
    analysis: ModelAnalysis, target: str | None, *, upgrade: bool | None = None, ir_version: int | None = None
) -> targets.Conversion:
    """As convert, with what was changed."""
    if target is None and upgrade is None and ir_version is None:
        raise ValueError("there is nothing to convert to: give a target, upgrade or ir_version")
    reader = targets.target_named(targets.NEWEST if target is None else target)
    model = analysis.model
    if model.dialect != OPENVINO:
        message = (
            f"the model is of dialect {model.dialect}; only models of openvino have releases to convert to"
        )
        raise refusal(model, "inconvertible-layer", message)
    require_valid(analysis, "converted", ("missing-weights",))  # what needs a value of them says so
    work = _Conversion(analysis, reader)
    if target is not None:
        work.convert()
    if upgrade if upgrade is not None else target == targets.NEWEST:
        work.upgrade()
    version_notes: list[str] = []
    result = work.model
    if ir_version is not None:
        result, version_notes = with_version(
            ModelAnalysis(result, analysis.registry, analysis.limits), ir_version
        )
    return targets.Conversion(
        fitted(result, reader),
        reader.label if target or upgrade else f"IR version {result.version}",
        tuple(work.changes),
        (*targets.notes_of(work.changes), *version_notes),
    )


class _Conversion:
    """The conversion of a model, graph by graph."""

    def __init__(self, analysis: ModelAnalysis, target: targets.Target) -> None:
        self.target = target
        self.registry, self.limits = analysis.registry, analysis.limits
        self.analysis = analysis
        self.model = analysis.model
        self.changes: list[targets.Change] = []

    def convert(self) -> None:
        """Change what the target does not read.

        Raises:  DiagnosticError with the layers that are left
        """
        for _ in range(ROUNDS):
            unread = list(self.target.unread(self.analysis))
            if not unread:
                return
            before, reasons = len(self.changes), dict[tuple[Path, int], str]()
            groups: dict[Path, list[Need]] = defaultdict(list)
            for need in unread:
                groups[need.graph.path].append(need)
            for path, group in groups.items():
                self._convert_graph(path, group, reasons)
            if len(self.changes) == before:
                raise DiagnosticError(self._refused(unread, reasons))
            self.analysis = ModelAnalysis(self.model, self.registry, self.limits)
        left = list(self.target.unread(self.analysis))
        if left:
            raise DiagnosticError(self._refused(left, {}))

    def upgrade(self) -> None:
        paths = Counter(graph.path for graph in self.analysis.graphs)
        for path in (path for path, count in paths.items() if count == 1):
            graph = self._graph(path)
            before = len(self.changes)
            for node in list(graph):
                done = upgrade_node(graph, node, self.target)
                if done is not None:
                    self.changes.append(done)
            if len(self.changes) > before:
                self.model = graph.model()

    def _graph(self, path: Path) -> Graph:
        return Graph(self.model, path=path, registry=self.registry, limits=self.limits)

    def _convert_graph(self, path: Path, unread: list[Need], reasons: dict[tuple[Path, int], str]) -> None:
        if sum(graph.path == path for graph in self.analysis.graphs) > 1:
            why = f"several layers have the name {shortened(path[-2])!r}, whose bodies are not distinguished"
            reasons.update({(path, need.layer.id): why for need in unread if need.layer is not None})
            return
        graph = self._graph(path)
        nodes = {node.layer.id: node for node in graph if node.layer is not None}
        before = len(self.changes)
        changed: set[int] = set()
        for need in unread:
            assert need.layer is not None
            node = nodes[need.layer.id]
            if node.removed or need.layer.id in changed:
                continue  # what is left of a layer that was changed is found in the next round
            try:
                change = self._changed(graph, node, need, path)
            except targets.NotConvertibleError as refused:
                reasons.setdefault((path, need.layer.id), str(refused))
                continue
            if change is not None:
                self.changes.append(change)
                changed.add(need.layer.id)
        if len(self.changes) > before:
            self.model = graph.model()

    def _changed(self, graph: Graph, node: Node, need: Need, path: Path) -> targets.Change | None:
        """Convert one node; None where that is done, or is to be done at another node."""
        if need.rule in ("op-newer-than-target", "value-newer-than-target"):
            if node.op is None:
                raise targets.NotConvertibleError("irops does not define its op")
            return convert_node(graph, node, self.target)
        if need.rule == "input-type-newer-than-target":
            retype_inputs(graph, node, self.target)
            assert node.op is not None
            return targets.Change(node.name, path, f"{node.op.id} with a newer input type", (node.op.id,))
        if need.rule == "type-newer-than-target" or node.kind is LayerKind.CONSTANT:
            return self._retyped(graph, node, path)
        if node.type == "ReadValue":
            initialize(graph, node)
            return targets.Change(node.name, path, "ReadValue-6 without initial value", ("ReadValue-6",))
        raise targets.NotConvertibleError(need.what)

    def _retyped(self, graph: Graph, node: Node, path: Path) -> targets.Change | None:
        if node.kind is not LayerKind.CONSTANT:
            raise targets.NotConvertibleError(
                f"it has the element type {node.facts[0].element_type}" if node.facts else ""
            )
        narrow = node.facts[0].element_type
        if self.target.reads_type(narrow.name):
            return None
        wide, rounding = widen(graph, node, self.target)
        rounds = (rounding,) if rounding else ()
        return targets.Change(node.name, path, f"constant of {narrow}", (f"constant of {wide}",), rounds)

    def _refused(self, unread: list[Need], reasons: dict[tuple[Path, int], str]) -> list[Diagnostic]:
        """One finding for each layer that is left."""
        findings: dict[tuple[Path, int], Diagnostic] = {}
        for need in unread:
            assert need.layer is not None
            key = (need.graph.path, need.layer.id)
            if key in findings:
                continue
            why = reasons.get(key, "")
            reason = f": {why}" if why and why != need.what else ""
            message = f"{need.layer} {need.what}, which {self.target.label} does not read{reason}"
            place = self.analysis.location(need.layer, need.graph.path, need.at, need.attribute)
            findings[key] = Diagnostic(rule("inconvertible-layer"), shortened(message, 600), place)
        return list(findings.values())


# The form of a file: its IR version, and the length that a release expects.

MAX_LAYERS = 16
"""Files with more layers are longer than any release expects."""


def with_version(analysis: ModelAnalysis, version: int) -> tuple[Model, list[str]]:
    """The model for a file of another IR version, and what OpenVINO reads differently from it.

    Raises:  DiagnosticError where OpenVINO would change the type of an input or result; ValueError for an
             unknown version
    """
    if version not in READ:
        raise ValueError(f"the IR version is {version}, must be {' or '.join(map(str, READ))}")
    model = analysis.model
    if version == model.version:
        return model, []
    changed = replace(model, version=version)
    if version == min(READ):
        faults = list(_changed_types(changed, analysis))
        if faults:
            raise DiagnosticError(faults)
        return changed, list(_unread_in_10(model))
    notes = [
        f"{each.message}; as written from an IR {version} file" for each in _changed_types(model, analysis)
    ]
    return changed, notes


def _changed_types(model: Model, analysis: ModelAnalysis) -> Iterator[Diagnostic]:
    """The inputs and results whose types OpenVINO changes in a file of the model's version."""
    of_version = ModelAnalysis(model, analysis.registry, analysis.limits)
    for finding in inputs_and_outputs_keep_their_types(of_version, of_version.infer()):
        yield Diagnostic(rule("inconvertible-layer"), finding.message, finding.location, notes=finding.notes)


def _unread_in_10(model: Model) -> Iterator[str]:
    layers = [layer for _, layer in model.walk()]
    if any(layer.output_names for layer in model.layers):
        yield "OpenVINO reads no output_names from IR 10 files; results have the names of their tensors"
    if any(_has_rt_info(layer) for layer in layers):
        yield "OpenVINO reads no rt_info of layers and ports from IR 10 files, such as layouts"


def _has_rt_info(layer: Layer) -> bool:
    infos = (layer.rt_info, *(port.rt_info for port in (*layer.inputs, *layer.outputs)))
    return any(info is not None and info.children for info in infos)


def fitted(model: Model, target: targets.Target) -> Model:
    """The model; with a comment that makes its file as long as the target expects, if it is shorter."""
    if target.reads_short_files or sum(1 for _ in model.walk()) > MAX_LAYERS:
        return model
    missing = MIN_BYTES - sum(len(piece.encode()) for piece in document(model, lambda layer: layer.data))
    if missing <= 0:
        return model
    comment = f" {'.' * missing} "
    return replace(model, comments=(*model.comments, comment), source=None)


# Inputs that a target reads only in some forms: their element types, and initial values of variables.


def retype_inputs(graph: Graph, node: Node, target: targets.Target) -> None:
    """Give axes and lengths, which are constants of a type that the target does not read there, as i64.

    Raises:  RefusedError where such an input is not constant, or holds data
    """
    op = node.op
    assert op is not None
    with graph.changes():
        for index, source in enumerate(node.sources):
            if source is None:
                continue
            port, kind = input_spec(op, index), source.element_type
            if target.reads_input(op.id, (port.type, port.name), kind.name):
                continue
            if index == 0 or source.value is None:
                message = f"{op.id} has {kind} for its input {port.name}, which is not a constant of axes"
                raise targets.NotConvertibleError(message)
            numbers = np.asarray(as_i64(source.value))
            made = graph.constant(numbers, graph.unique(f"{node.name}/{port.name}"))
            graph.move(made.node, graph.place(node))
            graph.connect(node, index, made)
            graph.drop_unused(source.node)
        graph.follow([node])


def initialize(graph: Graph, node: Node) -> None:
    """Give a variable the initial value 0, which it has without one. Raises: RefusedError"""
    assert node.invocation is not None
    attributes = node.invocation.attributes
    kind, shape = attributes["variable_type"], attributes["variable_shape"]
    if kind is DYNAMIC or shape.dims is None:
        raise targets.NotConvertibleError("it has no initial value, and the variable no element type or rank")
    value = zeros(tuple(int(dim.low) for dim in shape), kind)
    try:
        graph.replace(node, "ReadValue-6", value, **attributes)
    except DiagnosticError as error:
        raise targets.NotConvertibleError(error.diagnostics[0].message) from None


# Finding and taking the steps from the op of a node to one that a target reads.

assert rules  # it declares the steps


def convert_node(graph: Graph, node: Node, target: targets.Target) -> targets.Change:
    """Bring a node to an op that the target reads.

    Raises:  RefusedError where no step leads there; the graph is then as it was
    """
    op = node.op
    assert op is not None
    start, definition = op.id, op.definition
    if node.version != definition.version and target.reads_op(definition.type, definition.version):
        with graph.changes():
            graph.set(node, "version", definition.version)
        return targets.Change(node.name, graph.origin.path, f"{definition.type} of another opset", (start,))

    def is_read(op_id: str) -> bool:
        op_type, _, number = op_id.rpartition("-")
        return target.reads_op(op_type, f"opset{number}")

    reasons: list[targets.NotConvertibleError] = []
    for path in _paths(start, is_read):
        try:
            return _take(graph, node, path, target)
        except targets.NotConvertibleError as refused:
            reasons.append(refused)
    raise _reason(reasons)


def upgrade_node(graph: Graph, node: Node, target: targets.Target) -> targets.Change | None:
    """Bring a node to the newest version of its op that the target reads and that means the same."""
    op = node.op
    if op is None or op.id not in STEPS:
        return None
    op_type, _, number = op.id.rpartition("-")
    newer = [each for each in opsets().versions[op_type.lower()] if int(each.since[5:]) > int(number)]
    for version in reversed(newer):
        if not target.reads_op(op_type, version.since):
            continue
        for path in _paths(op.id, version.id.__eq__, within=True):
            try:
                return _take(graph, node, path, target)
            except targets.NotConvertibleError:
                continue
    return None


def _reason(reasons: list[targets.NotConvertibleError]) -> targets.NotConvertibleError:
    """One error for all that were tried."""
    if not reasons:
        return targets.NotConvertibleError("irops has no form of it in older ops")
    weighty = [reason for reason in reasons if not isinstance(reason, targets.OtherFormError)] or reasons[:1]
    return targets.NotConvertibleError("; ".join(dict.fromkeys(map(str, weighty[:3]))))


def _paths(
    start: str, is_goal: Callable[[str], bool], *, within: bool = False
) -> Iterator[tuple[ConversionStep, ...]]:
    """The sequences of steps from an op to a goal, shortest first. within: by versions of the op alone"""
    ahead: deque[tuple[ConversionStep, ...]] = deque([()])
    while ahead:
        path = ahead.popleft()
        at = path[-1].new if path else start
        passed = {start, *(step.new for step in path)}
        for step in STEPS.get(at, ()):
            if step.new in passed or (within and (step.is_decomposition or not step.is_of_one_type)):
                continue
            if is_goal(step.new) or not step.is_of_one_type:
                yield (*path, step)
            else:
                ahead.append((*path, step))


def _take(
    graph: Graph, node: Node, path: tuple[ConversionStep, ...], target: targets.Target
) -> targets.Change:
    """Take steps, and bring the nodes that they add to ops that the target reads."""
    assert node.op is not None
    name, before, rounds, made = node.name, node.op.id, list[str](), list[Node]()
    try:
        with graph.changes():
            for step in path:
                made += take_step(graph, node, step)
                rounds += [step.rounds] if step.rounds else []
            nodes = [*made, *(() if node.removed else (node,))]
            after = [op for each in nodes for op in _read_ops(graph, each, target, rounds)]
    except DiagnosticError as error:
        raise targets.NotConvertibleError(error.diagnostics[0].message) from None
    return targets.Change(name, graph.origin.path, before, tuple(after), tuple(dict.fromkeys(rounds)))


def _read_ops(graph: Graph, node: Node, target: targets.Target, rounds: list[str]) -> tuple[str, ...]:
    """The ops that a node of a step becomes. Raises: RefusedError where the target reads none of them"""
    assert node.op is not None
    if target.reads_op(node.type, node.version):
        return (node.op.id,)
    try:
        change = convert_node(graph, node, target)
    except targets.NotConvertibleError as refused:
        raise targets.OtherFormError(f"its form in other ops needs {node.op.id}, and {refused}") from None
    rounds += change.rounds
    return change.after


def take_step(graph: Graph, node: Node, step: ConversionStep) -> list[Node]:
    """Take one step, within a change of the graph; the nodes that were added.

    Raises:  RefusedError, DiagnosticError where the step does not apply
    """
    subject = ConvertedNode.of(graph, node, step.new)
    replacement = step.rule(subject)
    used = [subject.uses(index) for index in range(len(node.outputs))]
    before, sources = list(node.facts), list(node.sources)
    if isinstance(replacement, Outputs):
        _put(graph, node, replacement, subject)
        after = [value.fact for value in replacement.values]
    else:
        _become(graph, node, step, replacement)
        after = list(node.facts)
    for fact, new, is_used in zip(before, after, used):
        if is_used and (fact.element_type is not new.element_type or not fact.shape.can_be(new.shape)):
            raise targets.NotConvertibleError(f"its output would be {new} in place of {fact}")
    for source in dict.fromkeys(source.node for source in sources if source is not None):
        if not source.removed and source.kind is LayerKind.CONSTANT:
            graph.drop_unused(source)
    return subject.added


def _become(graph: Graph, node: Node, step: ConversionStep, form: NodeForm) -> None:
    inputs = list(form.inputs)
    while inputs and inputs[-1] is None:
        inputs.pop()
    definition = graph.op(step.new).definition
    if len(inputs) > len(definition.inputs) and not (definition.inputs and definition.inputs[-1].variadic):
        assert node.op is not None
        extra = node.op.definition.inputs[len(definition.inputs)].name
        raise targets.NotConvertibleError(f"it has the input {extra}, which {step.new} does not have")
    graph.replace(node, step.new, *inputs, **form.attributes)


def _put(graph: Graph, node: Node, outputs: Outputs, subject: ConvertedNode) -> None:
    """Let users of a node use other values, which take its tensor names; the last one takes its name."""
    for old, new in zip(node.outputs, outputs.values):
        graph.take_over(old, new)
        if old.names:
            graph.move_names(old, new)
    name, last = node.name, outputs.values[-1].node
    graph.delete(node)
    if last in subject.added:
        graph.rename(last, name)
