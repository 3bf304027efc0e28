"""irops.convert: a model in the op versions that another release of OpenVINO reads.

Finding and taking the steps from the op of a node to one that a target reads.

What a conversion did.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import copysign, isnan
from typing import Any

import numpy as np

from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.needs import Need
from irops.analysis.structure import Path
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.printable import shortened
from irops.diagnostics.rules import rule
from irops.editing.conversion.target_forms import fitted, initialize, retype_inputs, widen, with_version
from irops.editing.conversion.targets import NEWEST, Target, target_named
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node, Value
from irops.editing.soundness import refusal, require_valid
from irops.expansion.expanding import (
    Expanding,
    Expansion,
    OtherFormError,
    Outputs,
    RefusedError,
    ReplacingOp,
    expansions_of,
)
from irops.files.limits import Limits
from irops.ir.model import LayerKind, Model
from irops.registry import Registry
from irops.spec.domains import format_value
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.spec.opsets import opsets
from irops.spec.types import OPENVINO
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.tensors import fact_of

ROUNDS = 4
"""How often what is left may be converted: a constant of a new type, then the layer that uses it."""


class ConversionWarning(UserWarning):
    """What is different about a converted model: results that round, or parts of its file that are unread."""


def convert(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    target: str,
    *,
    upgrade: bool | None = None,
    ir_version: int | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Model:
    """The model with the op versions, element types and forms that a release of OpenVINO reads.

    target: a release ("2023.0"), an opset ("opset:8"), or "newest". Only layers that the target does not read
        are changed; names of layers, tensors, inputs and results stay.
    upgrade: whether the other layers get the newest version of their op that the target reads, where it means
        the same; by default only for "newest".
    ir_version: 10 or 11, of the file; by default that of the model.
    Results are equal bit for bit, or a ConversionWarning says what rounds.
    Raises:  DiagnosticError with every layer that has no equal form, and the reason, or with the errors of
             the model; ValueError for an unknown target or version
    """
    analysis = model if isinstance(model, ModelAnalysis) else analyse(model, registry, limits)
    conversion = converted(analysis, target, upgrade=upgrade, ir_version=ir_version)
    for note in conversion.notes:
        warnings.warn(note, ConversionWarning, stacklevel=2)
    return conversion.model


def converted(
    analysis: ModelAnalysis, target: str, *, upgrade: bool | None = None, ir_version: int | None = None
) -> Conversion:
    """As convert, with what was changed."""
    reader = target_named(target)
    model = analysis.model
    if model.dialect != OPENVINO:
        message = (
            f"the model is of dialect {model.dialect}; only models of openvino have releases to convert to"
        )
        raise refusal(model, "inconvertible-layer", message)
    require_valid(analysis, "converted")
    work = _Conversion(analysis, reader)
    work.expand_custom_ops()
    work.convert()
    if upgrade if upgrade is not None else target == NEWEST:
        work.upgrade()
    version_notes: list[str] = []
    result = work.model
    if ir_version is not None:
        result, version_notes = with_version(
            ModelAnalysis(result, analysis.registry, analysis.limits), ir_version
        )
    return Conversion(
        fitted(result, reader),
        reader.label,
        tuple(work.changes),
        (*notes_of(work.changes), *version_notes),
    )


class _Conversion:
    """The conversion of a model, graph by graph."""

    def __init__(self, analysis: ModelAnalysis, target: Target) -> None:
        self.target = target
        self.registry, self.limits = analysis.registry, analysis.limits
        self.analysis = analysis
        self.model = analysis.model
        self.changes: list[Change] = []

    def convert(self) -> None:
        """Change what the target does not read.

        Raises:  DiagnosticError with the layers that are left
        """
        for _ in range(ROUNDS):
            unread = list(self.target.unread(self.analysis))
            if not unread:
                return
            before, reasons = len(self.changes), dict[tuple[Path, int], str]()
            for path, group in self._by_graph(unread).items():
                self._convert_graph(path, group, reasons)
            if len(self.changes) == before:
                raise DiagnosticError(self._refused(unread, reasons))
            self.analysis = ModelAnalysis(self.model, self.registry, self.limits)
        left = list(self.target.unread(self.analysis))
        if left:
            raise DiagnosticError(self._refused(left, {}))

    def upgrade(self) -> None:
        """Give layers the newest version of their op that means the same."""
        self._replace_each(upgrade_node)

    def expand_custom_ops(self) -> None:
        """Say the ops of plug-ins in others, where they have expansions: no release reads them."""
        if any(_is_custom(node.op) for graph in self.analysis.graphs for node in graph.layers.values()):
            self._replace_each(expand_custom_op)
            self.analysis = ModelAnalysis(self.model, self.registry, self.limits)

    def _replace_each(self, replaced: Callable[[Graph, Node, Target], Replacement | None]) -> None:
        """Replace nodes of all graphs. replaced: replaces a node, and says by what"""
        paths = Counter(graph.path for graph in self.analysis.graphs)
        for path in (path for path, count in paths.items() if count == 1):
            graph = self._graph(path)
            before = len(self.changes)
            for node in list(graph):
                name = node.name
                done = replaced(graph, node, self.target)
                if done is not None:
                    self.changes.append(Change(name, path, done.before, done.after, done.rounds))
            if len(self.changes) > before:
                self.model = graph.model()

    def _by_graph(self, unread: list[Need]) -> dict[Path, list[Need]]:
        groups: dict[Path, list[Need]] = defaultdict(list)
        for need in unread:
            groups[need.graph.path].append(need)
        return groups

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
            except RefusedError as refused:
                reasons.setdefault((path, need.layer.id), str(refused))
                continue
            if change is not None:
                self.changes.append(change)
                changed.add(need.layer.id)
        if len(self.changes) > before:
            self.model = graph.model()

    def _changed(self, graph: Graph, node: Node, need: Need, path: Path) -> Change | None:
        """Convert one node; None where that is done, or is to be done at another node."""
        name = node.name
        if need.rule in ("op-newer-than-target", "value-newer-than-target"):
            if node.op is None:
                raise RefusedError("irops does not define its op")
            attribute = node.op.definition.attributes.get(need.attribute or "")
            if need.rule == "value-newer-than-target" and attribute and attribute.type == "float":
                return self._made_finite(graph, node, attribute.name, path)
            replacement = convert_node(graph, node, self.target)
            return Change(name, path, replacement.before, replacement.after, replacement.rounds)
        if need.rule == "input-type-newer-than-target":
            retype_inputs(graph, node, self.target)
            assert node.op is not None
            return Change(name, path, f"{node.op.id} with a newer input type", (node.op.id,))
        if need.rule == "type-newer-than-target" or node.kind is LayerKind.CONSTANT:
            return self._retyped(graph, node, path)
        if node.type == "ReadValue":
            initialize(graph, node)
            return Change(name, path, "ReadValue-6 without initial value", ("ReadValue-6",))
        raise RefusedError(need.what)

    def _made_finite(self, graph: Graph, node: Node, attribute: str, path: Path) -> Change:
        """Give a bound of a Clamp the largest finite number in place of an infinity."""
        assert node.op is not None
        number = float(node.data[attribute])
        if node.op.id != "Clamp-1" or isnan(number):
            raise RefusedError(f"no finite number has the effect of {attribute}={number}")
        kind = node.facts[0].element_type
        largest = copysign(float(np.finfo(np.float64 if kind.name == "f64" else np.float32).max), number)
        graph.set_attributes(node, **{attribute: largest})
        before = f"{node.op.id} with {attribute}={number}"
        what = f"{node.op.id} with {attribute}={format_value(largest)}"
        note = f"{attribute} is the largest finite number now, so that infinite inputs become finite"
        return Change(node.name, path, before, (what,), limit=note if kind.floating else "")

    def _retyped(self, graph: Graph, node: Node, path: Path) -> Change | None:
        if node.kind is not LayerKind.CONSTANT:
            raise RefusedError(f"it has the element type {node.facts[0].element_type}" if node.facts else "")
        narrow = node.facts[0].element_type
        if self.target.reads_type(narrow.name):
            return None
        wide, rounding = widen(graph, node, self.target)
        rounds = (rounding,) if rounding else ()
        return Change(node.name, path, f"constant of {narrow}", (f"constant of {wide}",), rounds)

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
            findings[key] = Diagnostic(
                rule("inconvertible-layer"),
                shortened(message, 600),
                self.analysis.location(need.layer, need.graph.path, need.at, need.attribute),
            )
        return list(findings.values())


@dataclass(frozen=True, slots=True)
class Replacement:
    """What became of a node. before: its op; after: the ops in its place, its own last

    rounds: what the results may differ by
    """

    before: str
    after: tuple[str, ...]
    rounds: tuple[str, ...]


def convert_node(graph: Graph, node: Node, target: Target) -> Replacement:
    """Bring a node to an op that the target reads.

    Raises:  RefusedError where no step leads there; the graph is then as it was
    """
    op = node.op
    assert op is not None
    start, definition = op.id, op.definition
    if node.version != definition.version and target.reads_op(definition.type, definition.version):
        with graph.store.change():
            graph.store.set(node, "version", definition.version)
        return Replacement(f"{definition.type} of another opset", (start,), ())

    def is_read(op_id: str) -> bool:
        op_type, _, number = op_id.rpartition("-")
        return target.reads_op(op_type, f"opset{number}")

    reasons: list[RefusedError] = []
    for path in _paths(start, is_read):
        try:
            return _take(graph, node, path, target)
        except RefusedError as refused:
            reasons.append(refused)
    raise _reason(reasons)


def upgrade_node(graph: Graph, node: Node, target: Target) -> Replacement | None:
    """Bring a node to the newest version of its op that the target reads and that means the same."""
    op = node.op
    if op is None or not expansions_of(op.id):
        return None
    op_type, _, number = op.id.rpartition("-")
    newer = [each for each in opsets().versions[op_type.lower()] if int(each.since[5:]) > int(number)]
    for version in reversed(newer):
        if not target.reads_op(op_type, version.since):
            continue
        for path in _paths(op.id, version.id.__eq__, within=True):
            try:
                return _take(graph, node, path, target)
            except RefusedError:
                continue
    return None


def expand_custom_op(graph: Graph, node: Node, target: Target) -> Replacement | None:
    """Say an op of a plug-in in ops that the target reads; None where it has no such form."""
    if not _is_custom(node.op):
        return None
    try:
        return convert_node(graph, node, target)
    except RefusedError:
        return None


def _is_custom(op: Op | None) -> bool:
    """Whether an op of a plug-in has expansions."""
    return op is not None and is_extension(op.module) and bool(expansions_of(op.id))


def _reason(reasons: list[RefusedError]) -> RefusedError:
    """One error for all that were tried."""
    if not reasons:
        return RefusedError("irops has no form of it in older ops")
    weighty = [reason for reason in reasons if not isinstance(reason, OtherFormError)] or reasons[:1]
    return RefusedError("; ".join(dict.fromkeys(map(str, weighty[:3]))))


def _paths(
    start: str, is_goal: Callable[[str], bool], *, within: bool = False
) -> Iterator[tuple[Expansion, ...]]:
    """The sequences of steps from an op to a goal, shortest first. within: by versions of the op alone"""
    ahead: deque[tuple[Expansion, ...]] = deque([()])
    while ahead:
        path = ahead.popleft()
        at = path[-1].new if path else start
        passed = {start, *(step.new for step in path)}
        for step in expansions_of(at):
            if step.new in passed or (within and (step.is_decomposition or not step.is_of_one_type)):
                continue
            if is_goal(step.new) or not step.is_of_one_type:
                yield (*path, step)
            else:
                ahead.append((*path, step))


def _take(graph: Graph, node: Node, path: tuple[Expansion, ...], target: Target) -> Replacement:
    """Take steps, and bring the nodes that they add to ops that the target reads."""
    assert node.op is not None
    before, rounds, made = node.op.id, list[str](), list[Node]()
    try:
        with graph.store.change():
            for step in path:
                made += take(graph, node, step)
                rounds += [step.rounds] if step.rounds else []
            nodes = [*made, *(() if node.removed else (node,))]
            after = [op for each in nodes for op in _read_ops(graph, each, target, rounds)]
    except DiagnosticError as error:
        raise RefusedError(error.diagnostics[0].message) from None
    return Replacement(before, tuple(after), tuple(dict.fromkeys(rounds)))


def _read_ops(graph: Graph, node: Node, target: Target, rounds: list[str]) -> tuple[str, ...]:
    """The ops that a node of a step becomes. Raises: RefusedError where the target reads none of them"""
    assert node.op is not None
    if target.reads_op(node.type, node.version):
        return (node.op.id,)
    try:
        replacement = convert_node(graph, node, target)
    except RefusedError as refused:
        raise OtherFormError(f"its form in other ops needs {node.op.id}, and {refused}") from None
    rounds += replacement.rounds
    return replacement.after


class NodeBuilder:
    """Adds the ops of an expansion to a graph, before the node that they take the place of."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self._graph, self._node = graph, node
        self.added: list[Node] = []

    def op(self, name: str) -> Op:
        return self._graph.op(name)

    def apply(
        self, op: Op, operands: Sequence[Any], attributes: Mapping[str, Any], part: str
    ) -> Sequence[Value]:
        graph, node = self._graph, self._node
        name = graph.unique(f"{node.name}/{part}")
        made = graph.added(op, name, operands, attributes, graph.store.place(node))
        self.added.append(made)
        return made.outputs

    def constant(self, array: Array, part: str) -> Value:
        return self._graph.constant(array, self._graph.unique(f"{self._node.name}/{part}"))

    def fact(self, value: Any) -> Fact:
        return value.fact if isinstance(value, Value) else fact_of(np.asarray(value), with_value=True)


def expanding(graph: Graph, node: Node) -> tuple[Expanding, NodeBuilder]:
    """A node to be said in other ops of its graph. Raises: RefusedError where an axis is out of range"""
    assert node.invocation is not None
    builder = NodeBuilder(graph, node)

    def uses(index: int) -> bool:
        """A tensor name counts, because the caller may ask for it."""
        return index < len(node.outputs) and bool(node.consumers[index] or node.tensor_names[index])

    subject = Expanding(
        builder,
        node.invocation,
        node.sources,
        texts=node.data,
        uses=uses,
        outputs=node.facts,
        is_named=any(user.kind is LayerKind.RESULT for user in node.users),
    )
    return subject, builder


def take(graph: Graph, node: Node, expansion: Expansion) -> list[Node]:
    """Say a node in other ops, within a change of the graph; the nodes that were added.

    Raises:  RefusedError, DiagnosticError where the expansion does not apply
    """
    subject, builder = expanding(graph, node)
    replacement = expansion.replacement(subject)
    used = [subject.uses(index) for index in range(len(node.outputs))]
    before, sources = list(node.facts), list(node.sources)
    if isinstance(replacement, Outputs):
        _put(graph, node, replacement, builder.added)
        after = [value.fact for value in replacement.values]
    else:
        _become(graph, node, expansion, replacement)
        after = list(node.facts)
    for fact, new, is_used in zip(before, after, used):
        if is_used:
            _require_same(fact, new)
    for source in dict.fromkeys(source.node for source in sources if source is not None):
        if not source.removed and source.kind is LayerKind.CONSTANT:
            graph.drop_unused(source)
    return builder.added


def _become(graph: Graph, node: Node, expansion: Expansion, form: ReplacingOp) -> None:
    assert node.op is not None
    new = graph.op(expansion.new)
    graph.replace(node, new.id, *form.operands(node.op, new), **form.attributes_for(new))


def _put(graph: Graph, node: Node, outputs: Outputs, added: list[Node]) -> None:
    """Let users of a node use other values, which take its tensor names; the last one takes its name."""
    for old, new in zip(node.outputs, outputs.values):
        graph.propagation.take_over(old, new)
        if old.names:
            graph.propagation.move_names(old, new)
    name, last = node.name, outputs.values[-1].node
    graph.store.delete(node)
    if last in added:
        graph.rename(last, name)


def _require_same(before: Fact, after: Fact) -> None:
    """Raises: RefusedError where an output has another type or other sizes than before"""
    if before.element_type is not after.element_type or not before.shape.can_be(after.shape):
        raise RefusedError(f"its output would be {after} in place of {before}")


@dataclass(frozen=True, slots=True)
class Change:
    """A layer that was converted.

    path: the layers and bodies down to its graph; before: its op; after: the ops in its place; rounds: what
    its results may differ by, empty where they are equal bit for bit; limit: which inputs give other results
    """

    layer: str
    path: tuple[str, ...]
    before: str
    after: tuple[str, ...]
    rounds: tuple[str, ...] = ()
    limit: str = ""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted model. label: of the target; notes: what is different about its results, or its file"""

    model: Model
    label: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    def summary(self) -> Iterator[str]:
        """A line for each kind of change: 3 SoftMax-8 -> SoftMax-1."""
        counts = Counter((change.before, change.after) for change in self.changes)
        for (before, after), count in counts.items():
            ops = ", ".join(dict.fromkeys(after)) or "removed"
            yield f"{count} {before} -> {ops}"


def notes_of(changes: list[Change]) -> list[str]:
    """What may differ in results, a sentence for each step that rounds, with the layers that it concerns."""
    layers: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        for text in change.rounds:
            key = f"{change.before}: {text}", "; results may differ in the last digits"
            layers.setdefault(key, []).append(change.layer)
        if change.limit:
            layers.setdefault((f"{change.before}: {change.limit}", ""), []).append(change.layer)
    return [f"{text} ({_listed(names)}){effect}" for (text, effect), names in layers.items()]


def _listed(names: list[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f'"{shortened(names[0])}"{more}'
