"""Checks that compare what a file declares with what is inferred: ports, bodies, inputs and outputs of the
model; and checks of what OpenVINO's CPU plug-in does not compile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from irops.analysis.inference import Inference
from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.needs import created_layers
from irops.analysis.structure import BodyNode, GraphNode, ModelStructure, Path
from irops.diagnostics.diagnostic import Diagnostic, Fix, Location, errors_of, fix
from irops.diagnostics.printable import plural, shortened
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.ir.edits import with_attribute, with_dims
from irops.ir.layouts import parse_layout
from irops.ir.model import Layer, LayerKind, Port
from irops.ops.invocation import input_spec
from irops.spec.op import Op
from irops.spec.releases import CpuPlugin, Refused, cpu_plugin
from irops.values.dim import Dim
from irops.values.element import DYNAMIC, element_type_of_precision
from irops.values.fact import Fact
from irops.values.shape import Shape

# Inputs and outputs of models: types that OpenVINO changes in IR 10, and layouts of IR 11.


def interface(structure: ModelStructure, inferred: Inferred) -> list[LayerFacts]:
    """The Parameters and Results of the model, in the order in which they were inferred."""
    ends = {layer.id for layer in (*structure.root.parameters, *structure.root.results)}
    return [known for number, known in inferred.layers.items() if number in ends]


def inputs_and_outputs_keep_their_types(
    structure: ModelStructure, inferred: Inferred
) -> Iterator[Diagnostic]:
    """Only for IR 10; OpenVINO keeps the types of IR 11."""
    if structure.model.version != 10:
        return
    for known in interface(structure, inferred):
        layer = known.layer
        if layer.kind is LayerKind.RESULT and known.inputs and known.inputs[0] is not None:
            what, kind = "output", known.inputs[0].element_type
            read = "i32" if kind.name in ("i32", "i64", "u32", "u64") else "f32"
        elif layer.kind is LayerKind.PARAMETER and known.outputs:
            what, kind = "input", known.outputs[0].element_type
            read = "f32" if kind.name == "f16" else kind.name
        else:
            continue
        if kind is not DYNAMIC and kind.name != read:
            yield structure.finding(
                "implicit-type-conversion",
                f'{what} "{layer.shown_name}" is {kind}, but OpenVINO reads it as {read} from an IR 10 file',
                layer.at,
                structure.graphs[0],
                layer,
                notes=(f"OpenVINO adds a Convert to the {what}; IR 11 files are read as written",),
            )


def layouts_fit_inputs_and_outputs(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Only for IR 11; OpenVINO reads no layouts of IR 10, and uses only those of inputs and results."""
    if structure.model.version == 10:
        return
    for known in interface(structure, inferred):
        layer = known.layer
        ports: Sequence[Port] = layer.outputs
        facts: Sequence[Fact | None] = known.outputs
        if layer.kind is LayerKind.RESULT:
            ports, facts = layer.inputs, known.inputs
        elif layer.kind is not LayerKind.PARAMETER:
            continue
        for port, fact in zip(ports, facts):
            text = _layout(port)
            rank = None if fact is None else fact.shape.rank
            try:
                layout = parse_layout(text)
            except ValueError:
                continue  # reported by the reader
            if layout is not None and rank is not None and not layout.fits(rank):
                yield structure.finding(
                    "malformed-rt-info",
                    f"{layer} has the layout {shortened(text)} and rank {rank}",
                    layer.at,
                    structure.graphs[0],
                    layer,
                    notes=("OpenVINO refuses to compile the model",),
                )


def _layout(port: Port) -> str:
    children = [] if port.rt_info is None else port.rt_info.children
    layouts = (child.attributes for child in children if child.attributes.get("name") == "layout")
    return next(layouts, {}).get("layout", "")


# The declarations of ports and of the Parameters of bodies agree with inference.

# Whether a wrong declaration of a port is merely out of date, so that a fix may correct it.
#
# A declaration that contradicts what is inferred may also be right, and the op, its attributes or its
# edges wrong. To correct it would then remove the only sign of the fault. So a rank is corrected only
# where the file states it elsewhere, and a size or a type only to one that runtimes compute with.


class Stale:
    """The declarations of the ports of one layer."""

    def __init__(self, structure: ModelStructure, layer: Layer, path: Path) -> None:
        self._structure, self._layer, self._path = structure, layer, path

    def dims(self, port: Port, fact: Fact, side: str, index: int) -> bool:
        """Whether the dimensions of a port are out of date. side: input or output."""
        sizes = fact.shape.dims
        if sizes is None or any(size.high == 0 for size in sizes):
            return False
        if len(sizes) == len(port.dims) or self._states_itself(side):
            return True
        producer = self._producer(side, index)
        return producer is not None and len(producer.dims) == len(sizes)

    def type(self, fact: Fact) -> bool:
        """Whether the precision of a port is out of date."""
        kind = fact.element_type
        return kind.bits >= 8 and kind.kind in ("boolean", "signed", "unsigned", "float")

    def _states_itself(self, side: str) -> bool:
        """Whether an attribute of the layer states the shape, as that of a Parameter does."""
        return side == "output" and not self._layer.inputs and "shape" in self._layer.data

    def _producer(self, side: str, index: int) -> Port | None:
        """The output port that feeds an input."""
        sources = self._structure.by_path[self._path].wiring.inputs[self._layer.id]
        source = sources[index] if side == "input" and index < len(sources) else None
        return None if source is None else source[0].outputs[source[1]]


_Declared = tuple[tuple[int, ...], str | None, str, int]
"""The dimensions and the precision of a port; the element type and the shape (its id) that are inferred."""
IGNORED = "OpenVINO ignores the declarations of ports, and uses what it infers"


def ports_declare_what_is_inferred(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Types and dimensions of every port of every layer, bodies included, where both are known."""
    yield from _all(structure, inferred, set())


def _all(
    structure: ModelStructure, inferred: Inferred, agreeing: set[_Declared], *, is_doubtful: bool = False
) -> Iterator[Diagnostic]:
    """agreeing: the declarations that were compared and agree; most ports of a model are like others

    is_doubtful: whether the shapes of this graph follow from a fault outside of it that is reported
    """
    with_inputs = structure.dialect.declares_inputs  # other dialects declare a tensor once, as an output
    doubtful = set(inferred.layers) if is_doubtful else _of_reported_faults(structure, inferred)
    for known in inferred.layers.values():
        layer, path = known.layer, inferred.path
        follows = layer.id in doubtful
        for body in known.bodies.values() if known.bodies else ():
            yield from _all(structure, body, agreeing, is_doubtful=follows)
        if with_inputs and not _agree(layer.inputs, known.inputs, agreeing):
            sources = structure.by_path[path].wiring.inputs[layer.id] if follows else ()
            behind = {k for k, source in enumerate(sources) if source and source[0].id in doubtful}
            yield from _each(structure, layer, path, "input", layer.inputs, known.inputs, behind)
        if not known.failed and not _agree(layer.outputs, known.outputs, agreeing):
            behind = set(range(len(layer.outputs))) if follows else set()
            yield from _each(structure, layer, path, "output", layer.outputs, known.outputs, behind)


def _of_reported_faults(structure: ModelStructure, inferred: Inferred) -> set[int]:
    """The layers whose shapes follow from a violated constraint that is reported, although shapes are known.

    There, what the file declares may be right, and to report it as well would be the same fault twice.
    """
    reported = {finding.location.layer_id for finding in errors_of(inferred.findings)}
    begins: list[int] = []
    for known in inferred.layers.values():
        of_body = any(_of_reported_faults(structure, body) for body in known.bodies.values())
        if (of_body or known.layer.id in reported) and any(
            port.dims and _contradiction(port, fact.shape) is not None
            for port, fact in zip(known.layer.outputs, known.outputs)
        ):
            begins.append(known.layer.id)
    return structure.by_path[inferred.path].following(begins) if begins else set()


def _agree(ports: Sequence[Port], facts: Sequence[Fact | None], agreeing: set[_Declared]) -> bool:
    """Whether all ports of one side of a layer declare what is inferred."""
    for port, fact in zip(ports, facts):
        if fact is None:
            continue
        declared = (port.dims, port.precision, fact.element_type.name, id(fact.shape))
        if declared in agreeing:
            continue
        if port.dims and _contradiction(port, fact.shape) is not None:
            return False
        if _other_type(port, fact) is not None:
            return False
        agreeing.add(declared)
    return True


def _each(
    structure: ModelStructure,
    layer: Layer,
    path: tuple[str, ...],
    what: str,
    ports: Sequence[Port],
    facts: Sequence[Fact | None],
    doubtful: Collection[int],
) -> Iterator[Diagnostic]:
    """doubtful: the ports whose shapes follow from a fault that is reported"""
    stale = Stale(structure, layer, path)
    for index, (port, fact) in enumerate(zip(ports, facts)):
        if fact is None:
            continue
        at = _contradiction(port, fact.shape) if port.dims and index not in doubtful else None
        if at is not None:
            declared = f"[{','.join('?' if d == -1 else str(d) for d in port.dims)}]"
            yield Diagnostic(
                rule("contradicting-port-shape"),
                f"{what} {index} of {layer} declares {declared}, must be {fact.shape}",
                _port_location(structure, layer, path, port, at),
                notes=_ignored(structure) or tuple(filter(None, (structure.dialect.hint_of_shapes,))),
                level=Severity.WARNING if structure.dialect.hint_of_shapes else None,
                fix=_right_dims(structure, port, fact.shape) if stale.dims(port, fact, what, index) else None,
            )
        if (precision := _other_type(port, fact)) is not None:
            yield Diagnostic(
                rule("contradicting-port-precision"),
                f"{what} {index} of {layer} declares {precision}, must be {fact.element_type.precision}",
                _port_location(structure, layer, path, port, "precision"),
                notes=_ignored(structure),
                fix=_right_precision(structure, port, fact) if stale.type(fact) else None,
            )


def _ignored(structure: ModelStructure) -> tuple[str, ...]:
    return (IGNORED,) if structure.dialect.runtime_notes else ()


def _contradiction(port: Port, shape: Shape) -> int | None:
    """The index of the first dimension of a port that contradicts shape; 0 if the rank does."""
    if shape.dims is None:
        return None
    if len(shape.dims) != len(port.dims):
        return 0
    for axis, (declared, dim) in enumerate(zip(port.dims, shape.dims)):
        if not _may_be(declared, dim):
            return axis
    return None


def _may_be(declared: int, dim: Dim) -> bool:
    return declared == -1 or dim.low <= declared <= dim.high


def _other_type(port: Port, fact: Fact) -> str | None:
    """The precision of a port, if its element type differs from that of the fact."""
    if port.precision is None or fact.element_type is DYNAMIC:
        return None
    if port.precision == fact.element_type.precision:
        return None
    try:
        declared = element_type_of_precision(port.precision)
    except ValueError:
        return None  # the reader reports it
    return None if declared in (DYNAMIC, fact.element_type) else port.precision


def _right_dims(structure: ModelStructure, port: Port, shape: Shape) -> Fix | None:
    source = structure.editable
    if source is None or shape.dims is None or port.at < 0:
        return None
    kept = port.dims if len(port.dims) == len(shape.dims) else (None,) * len(shape.dims)
    dims = [_declarable(before, dim) for before, dim in zip(kept, shape.dims)]
    return fix(
        f"declare the dimensions {','.join(map(str, dims)) or 'of a scalar, none'}",
        with_dims(source, port.at, dims),
    )


def _declarable(declared: int | None, dim: Dim) -> int:
    """The dimension to declare: declared if it is possible, the inferred size if it is static, or -1."""
    if declared is not None and _may_be(declared, dim):
        return declared
    return int(dim.low) if dim.low == dim.high else -1


def _right_precision(structure: ModelStructure, port: Port, fact: Fact) -> Fix | None:
    source, precision = structure.editable, fact.element_type.precision
    if source is None:
        return None
    return fix(
        f"declare the precision {precision}", [with_attribute(source, port.at, "precision", precision)]
    )


def _port_location(
    structure: ModelStructure, layer: Layer, path: tuple[str, ...], port: Port, where: int | str
) -> Location:
    """The place of a port: of one of its dimensions by number, or of an attribute by name."""
    source = structure.model.source
    if isinstance(where, str):
        return structure.location(layer, path, port.at, where)
    dim = None if source is None or port.at < 0 else source.child_offset(port.at, "dim", where)
    return structure.location(layer, path, port.at if dim is None else dim)


def layers_declare_the_outputs_that_there_are(
    structure: ModelStructure, inferred: Inferred
) -> Iterator[Diagnostic]:
    ahead = [inferred]
    while ahead:
        inferred = ahead.pop()
        scope = structure.by_path[inferred.path]
        ahead.extend(inferred.bodies)
        for known in inferred.layers.values():
            layer = known.layer
            given, declared = len(known.outputs), len(layer.outputs)
            if given == declared:
                continue
            # a Result gives its value to the caller, and an Assign to its variable; they may declare no port
            result = layer.intended_kind in (LayerKind.RESULT, LayerKind.SINK) and declared <= given
            if result or known.failed or known.op is None:
                continue
            needed = sum(not port.optional for port in known.op.definition.outputs)
            if needed <= declared < given:  # optional ones are last
                continue
            message = (
                f"{layer} declares {plural(declared, 'output')}, must declare {given}, as {known.op.id} has"
            )
            note = (
                "OpenVINO treats the declared ports as the first ones"
                if declared < given
                else 'OpenVINO refuses the file: "node index is out of range"'
            )
            yield structure.finding("wrong-number-of-outputs", message, layer.at, scope, layer, notes=(note,))


# Bodies can be inferred from what their Parameters declare, as OpenVINO does first.

NOTES = (
    "OpenVINO infers a body from what its Parameters declare before it connects it, and refuses the file",
)


def bodies_fit_their_parameters(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Only bodies whose Parameters declare something else than they receive are inferred once more."""
    ahead = [inferred]
    while ahead:
        here = ahead.pop()
        graph = structure.by_path[here.path]
        ahead.extend(here.bodies)
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
    for finding in errors_of(findings)[:1]:
        message = f"with what the Parameters of the body declare, {finding.message}"
        changed = rule("contradicting-parameters")
        yield replace(finding, rule=changed, message=message, constraint=None, notes=NOTES, level=None)


# What OpenVINO's CPU plug-in does not compile: element types, inputs, outputs of unknown rank.

_Places = dict[tuple[object, tuple[str | None, ...], bool], list[tuple[Refused, int]]]


@dataclass(slots=True)
class _Layers:
    """The layers of one op with one element type that is not compiled: the first one, and how many."""

    scope: GraphNode
    layer: Layer
    input_name: str
    count: int = 0


def element_types_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """One finding for each op, input and element type, at the first layer: only warnings, because another
    device may compile the model.
    """
    if not structure.dialect.runtime_notes:
        return
    groups: dict[tuple[str, str, str], _Layers] = {}
    for scope, known, entry, index in _refused_inputs(structure, inferred):
        fact = known.inputs[index]
        assert fact is not None
        assert known.op is not None
        key = (entry.op, entry.of, fact.element_type.name)
        name = input_spec(known.op, index).name
        groups.setdefault(key, _Layers(scope, known.layer, name)).count += 1
    release = cpu_plugin().release
    for (op, _, name), layers in groups.items():
        others = f" ({plural(layers.count, 'layer')})" if layers.count > 1 else ""
        message = (
            f"{layers.layer} takes {name} as {layers.input_name}; the CPU plug-in of OpenVINO {release} does"
            f" not support {op} of {name}{others}"
        )
        notes = (
            "OpenVINO reads the file, but its CPU plug-in refuses to compile it, or to run it if shapes are"
            " dynamic",
            "another device may support it; otherwise convert the input to a type that the plug-in supports",
        )
        yield structure.finding(
            "uncompiled-element-type", message, layers.layer.at, layers.scope, layers.layer, notes=notes
        )


def _refused_inputs(
    structure: ModelStructure, inferred: Inferred
) -> Iterator[tuple[GraphNode, LayerFacts, Refused, int]]:
    """Each layer with an entry of the table that applies, and the first input that it applies to."""
    table, ahead = cpu_plugin(), [inferred]
    places: _Places = {}
    while ahead:
        here = ahead.pop()
        scope = structure.by_path[here.path]
        ahead.extend(here.bodies)
        refused = [
            (known, entry, index)
            for known in _candidates(here, table)
            for entry, index in _places(known, table, places)
        ]
        if not refused:
            continue
        created, variable = created_layers(scope), _depending_on_inputs(scope)
        for known, entry, index in refused:
            otherwise = "constant" if known.layer.id in variable else "variable"
            if known.layer.id in created and entry.when != otherwise:
                yield scope, known, entry, index


def _candidates(inferred: Inferred, table: CpuPlugin) -> list[LayerFacts]:
    """The layers with an input of a type that the table names for their op."""
    candidates = []
    types = table.types
    for known in inferred.layers.values():
        if known.op is None or known.failed:
            continue
        refused = types.get(known.op.id, frozenset())
        for fact in known.inputs if refused else ():
            if fact is not None and fact.element_type.name in refused:
                candidates.append(known)
                break
    return candidates


def _places(known: LayerFacts, table: CpuPlugin, places: _Places) -> list[tuple[Refused, int]]:
    """The entries that are about a layer, each with the first input that it is about, without regard to
    whether the layer depends on inputs of the model.

    places: those of layers before, by what they depend on
    """
    types = tuple([None if fact is None else fact.element_type.name for fact in known.inputs])
    is_static = all(fact is None or fact.shape.static for fact in known.inputs)
    key = (known.invocation, types, is_static)
    entries = places.get(key)
    if entries is None:
        assert known.op is not None
        each = ((entry, _place(known, entry)) for entry in table.refused(known.op.id))
        entries = places[key] = [(entry, index) for entry, index in each if index is not None]
    return entries


def _place(known: LayerFacts, entry: Refused) -> int | None:
    """The first input that an entry is about; None if it is not about the layer."""
    op = known.op
    assert op is not None
    place = next((k for k in _inputs_of(known, op, entry.of) if _type(known, k) in entry.types), None)
    if entry.when == "static" and not all(fact is None or fact.shape.static for fact in known.inputs):
        return None
    if entry.beside and _beside(known, op, entry.beside) not in entry.others:
        return None
    return place


def _beside(known: LayerFacts, op: Op, name: str) -> str:
    """The element type that an attribute names, or that the first input of a type variable has."""
    if name in op.definition.attributes:
        return str(known.attributes.get(name, "")).lower()
    return next((_type(known, index) for index in _inputs_of(known, op, name)), "")


def _inputs_of(known: LayerFacts, op: Op, name: str) -> Iterator[int]:
    """The inputs of a type variable, or of a name."""
    for index, fact in enumerate(known.inputs):
        if fact is not None and index < max(len(op.definition.inputs), op.is_variadic * (index + 1)):
            port = input_spec(op, index)
            if name in (port.type, port.name):
                yield index


def _type(known: LayerFacts, index: int) -> str:
    fact = known.inputs[index]
    return "" if fact is None else fact.element_type.name


def _depending_on_inputs(scope: GraphNode) -> set[int]:
    """The layers that depend on a Parameter or on a variable, which no compiler replaces by a constant."""
    layers = (node.layer for node in scope.order)
    return scope.following(
        layer.id for layer in layers if layer.kind is LayerKind.PARAMETER or layer.type.lower() == "readvalue"
    )


UNCOMPILED = frozenset(("u1", "u3", "u6", "dynamic"))
"""The element types that inputs of a model cannot have in OpenVINO's CPU plug-in."""


UNCOMPILED_NOTES = ("OpenVINO reads the file, but its CPU plug-in refuses to compile the model",)


def inputs_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Reports what OpenVINO reads, so that a model can be changed before it is compiled: only warnings."""
    if not structure.dialect.runtime_notes:
        return
    for known in interface(structure, inferred):
        if known.layer.kind is not LayerKind.PARAMETER or not known.outputs or known.failed:
            continue
        fact = known.outputs[0]
        if fact.element_type.name in UNCOMPILED:
            reason = f"the element type {fact.element_type}"
        elif fact.shape.rank is None:
            reason = "an unknown rank"
        else:
            continue
        message = f'input "{known.layer.name}" has {reason}'
        place = structure.graphs[0]
        yield structure.finding(
            "uncompiled-input", message, known.layer.at, place, known.layer, notes=UNCOMPILED_NOTES
        )


def ranks_can_be_compiled(structure: ModelStructure, inferred: Inferred) -> Iterator[Diagnostic]:
    """Reports the first layers of which a rank is unknown: the ranks of their inputs are known."""
    if not structure.dialect.runtime_notes:
        return
    for known in inferred.layers.values():
        for fact in known.outputs:
            if fact.shape.dims is None:
                break
        else:
            continue
        if known.op is None or known.failed or known.layer.kind is LayerKind.PARAMETER:
            continue
        if all(fact is not None and fact.shape.dims is not None for fact in known.inputs):
            place = structure.graphs[0]
            message = f"{known.layer} has an output of unknown rank"
            yield structure.finding(
                "unknown-rank", message, known.layer.at, place, known.layer, notes=UNCOMPILED_NOTES
            )


INFERRED_CHECKS: tuple[Callable[[ModelStructure, Inferred], Iterator[Diagnostic]], ...] = (
    ports_declare_what_is_inferred,
    inputs_and_outputs_keep_their_types,
    layouts_fit_inputs_and_outputs,
    inputs_can_be_compiled,
    ranks_can_be_compiled,
    element_types_can_be_compiled,
    bodies_fit_their_parameters,
    layers_declare_the_outputs_that_there_are,
)
"""In the order in which they run."""
