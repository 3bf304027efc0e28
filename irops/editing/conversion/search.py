"""Finding and taking the steps from the op of a node to one that a target reads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.conversion import rules
from irops.editing.conversion.refusal import OtherFormError, RefusedError
from irops.editing.conversion.steps import STEPS, Form, Outputs, Step
from irops.editing.conversion.subject import Subject
from irops.editing.conversion.targets import Target
from irops.editing.graph.graph import Graph
from irops.editing.graph.node import Node
from irops.ir.model import LayerKind
from irops.spec.opsets import opsets
from irops.values.fact import Fact

assert rules.MODULES  # they declare the steps


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
        with graph.change():
            graph.set(node, "version", definition.version)
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
            except RefusedError:
                continue
    return None


def _reason(reasons: list[RefusedError]) -> RefusedError:
    """One error for all that were tried."""
    if not reasons:
        return RefusedError("irops has no form of it in older ops")
    weighty = [reason for reason in reasons if not isinstance(reason, OtherFormError)] or reasons[:1]
    return RefusedError("; ".join(dict.fromkeys(map(str, weighty[:3]))))


def _paths(start: str, is_goal: Callable[[str], bool], *, within: bool = False) -> Iterator[tuple[Step, ...]]:
    """The sequences of steps from an op to a goal, shortest first. within: by versions of the op alone"""
    ahead: deque[tuple[Step, ...]] = deque([()])
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


def _take(graph: Graph, node: Node, path: tuple[Step, ...], target: Target) -> Replacement:
    """Take steps, and bring the nodes that they add to ops that the target reads."""
    assert node.op is not None
    before, rounds, made = node.op.id, list[str](), list[Node]()
    try:
        with graph.change():
            for step in path:
                made += take_step(graph, node, step)
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


def take_step(graph: Graph, node: Node, step: Step) -> list[Node]:
    """Take one step, within a change of the graph; the nodes that were added.

    Raises:  RefusedError, DiagnosticError where the step does not apply
    """
    subject = Subject.of(graph, node, step.new)
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
        if is_used:
            _require_same(fact, new)
    for source in dict.fromkeys(source.node for source in sources if source is not None):
        if not source.removed and source.kind is LayerKind.CONSTANT:
            graph.drop_unused(source)
    return subject.added


def _become(graph: Graph, node: Node, step: Step, form: Form) -> None:
    inputs = list(form.inputs)
    while inputs and inputs[-1] is None:
        inputs.pop()
    definition = graph.op(step.new).definition
    if len(inputs) > len(definition.inputs) and not (definition.inputs and definition.inputs[-1].variadic):
        assert node.op is not None
        extra = node.op.definition.inputs[len(definition.inputs)].name
        raise RefusedError(f"it has the input {extra}, which {step.new} does not have")
    graph.replace(node, step.new, *inputs, **form.attributes)


def _put(graph: Graph, node: Node, outputs: Outputs, subject: Subject) -> None:
    """Let users of a node use other values, which take its tensor names; the last one takes its name."""
    for old, new in zip(node.outputs, outputs.values):
        graph.take_over(old, new)
        if old.names:
            graph.move_names(old, new)
    name, last = node.name, outputs.values[-1].node
    graph.delete(node)
    if last in subject.added:
        graph.rename(last, name)


def _require_same(before: Fact, after: Fact) -> None:
    """Raises: RefusedError where an output has another type or other sizes than before"""
    if before.element_type is not after.element_type or not before.shape.can_be(after.shape):
        raise RefusedError(f"its output would be {after} in place of {before}")
