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
from irops.spec.opsets import opsets
from irops.values.fact import Fact

assert rules.MODULES  # they declare the steps


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a node. before: its op; after: the ops in its place, its own last; rounds: by which step"""

    before: str
    after: tuple[str, ...]
    rounds: tuple[str, ...]


def convert_node(graph: Graph, node: Node, target: Target) -> Taken:
    """Bring a node to an op that the target reads.

    Raises:  RefusedError where no step leads there; the graph is then as it was
    """
    op = node.op
    assert op is not None
    start, definition = op.id, op.definition
    if node.version != definition.version and target.reads_op(definition.type, definition.version):
        with graph.change():
            graph.set(node, "version", definition.version)
        return Taken(f"{definition.type} of another opset", (start,), ())

    def is_read(id: str) -> bool:
        type, _, number = id.rpartition("-")
        return target.reads_op(type, f"opset{number}")

    reasons: list[RefusedError] = []
    for path in _paths(start, is_read):
        try:
            return _take(graph, node, path)
        except RefusedError as refused:
            reasons.append(refused)
    raise _reason(reasons)


def upgrade_node(graph: Graph, node: Node, target: Target) -> Taken | None:
    """Bring a node to the newest version of its op that the target reads and that means the same."""
    op = node.op
    if op is None or op.id not in STEPS:
        return None
    type, _, number = op.id.rpartition("-")
    newer = [version for version in opsets().versions[type.lower()] if int(version.since[5:]) > int(number)]
    for version in reversed(newer):
        if not target.reads_op(type, version.since):
            continue
        for path in _paths(op.id, lambda id, wanted=version.id: id == wanted, within=True):  # type: ignore[misc]
            try:
                return _take(graph, node, path)
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


def _take(graph: Graph, node: Node, path: tuple[Step, ...]) -> Taken:
    assert node.op is not None
    before, after, rounds = node.op.id, list[str](), list[str]()
    try:
        with graph.change():
            for step in path:
                after += take_step(graph, node, step)
                rounds += [step.rounds] if step.rounds else []
    except DiagnosticError as error:
        raise RefusedError(error.diagnostics[0].message) from None
    last = path[-1].new
    return Taken(before, (*after, last) if not node.removed else tuple(after), tuple(rounds))


def take_step(graph: Graph, node: Node, step: Step) -> list[str]:
    """Take one step, within a change of the graph; the ops of the nodes that were added.

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
        if not source.removed and source.type == "Const":
            graph.drop_unused(source)
    return [added.op.id for added in subject.added if added.op is not None]


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


