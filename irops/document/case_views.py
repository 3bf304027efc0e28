"""Examples and counterexamples for pages, run when the page is made; short texts of pages."""

import inspect
import re
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

from irops.analysis.declaring import port_of, with_declared_ports
from irops.analysis.invocation import Invocation, OpFault
from irops.analysis.model_analysis import analyse, infer
from irops.conformance.cases import expected_outputs, inputs_of, net_of, outcome, registry_of
from irops.diagnostics import addresses
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import Layer, LayerGraph, Model, Port
from irops.ir.write import document
from irops.spec.definition import Attribute, Definition, ExampleCase, PortSpec, Tensor
from irops.spec.op import Op
from irops.spec.releases import UNRELEASED, opsets, releases, schemas_folder
from irops.values.element import STRING, Array, element_type_of
from irops.values.fact import Fact
from irops.values.violation import Violation, collect_warnings

MAX_COLUMNS, MAX_ROWS = 12, 24
"""The largest tensors that are shown as tables."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A row of a table. begins_slice: whether an index of an axis before the last two changes here."""

    cells: tuple[str, ...]
    begins_slice: bool


@dataclass(frozen=True, slots=True)
class TensorView:
    """A tensor of an example. text: its elements as nested rows; rows: as a table, if it is small."""

    name: str
    type: str
    text: str
    rows: tuple[CaseRow, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseView:
    """An example after running it: the computed outputs or the diagnostics. xml: its layer in an IR file;
    bodies: name and text of each body of the layer; net: its model, if it is one.
    """

    title: str
    attributes: str
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    net: str
    xml: str
    bodies: tuple[tuple[str, str], ...]
    diagnostics: tuple[str, ...]


def case_view(op: Op, case: ExampleCase) -> CaseView:
    outputs, diagnostics = outcome(op, case)
    attributes = ", ".join(f"{name}={value}" for name, value in case.attributes.items())
    expected = expected_outputs(op, case)
    given = inputs_of(op, case) if case.net is None else case.tensors
    tensors = [t for t in given if t is not None and not t.output]
    named = expected if len(expected) == len(outputs) else op.definition.outputs
    names = [one.name for one in named]
    shown = (_array_view(name, array) for name, array in zip(names, outputs))
    text = layer_text(op, case) if case.violates is None else LayerText()
    if op.functions.kernel is None:  # an op of an extension library
        shown = (_tensor_view(tensor) for tensor in expected)
    return CaseView(
        title=case.name or "",
        attributes=attributes,
        inputs=tuple(_tensor_view(t) for t in tensors),
        outputs=tuple(shown),
        net=inspect.cleandoc("\n" + case.net.decode()) if case.net is not None else "",
        xml=text.layer,
        bodies=text.bodies,
        diagnostics=tuple(
            dict.fromkeys(f"{d.severity} {d.code}: {d.message}" for d in _about(op, case, diagnostics))
        ),
    )


def _about(op: Op, case: ExampleCase, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics that an example is about: of a counterexample, those of what it violates. Others report
    that it has no values to run with.
    """
    if case.violates is None:
        return diagnostics
    about = (case.violates, f"{op.id}:{case.violates}")
    return [d for d in diagnostics if (d.constraint or d.code) in about] or diagnostics


def _tensor_view(tensor: Tensor) -> TensorView:
    if tensor.value is None:
        return TensorView(tensor.name, f"{tensor.element_type}{tensor.shape}", "")
    return _array_view(tensor.name, tensor.value)


def _array_view(name: str, array: Array) -> TensorView:
    return TensorView(name, tensor_text(array), layout(array), _rows(array))


def _rows(array: Array) -> tuple[CaseRow, ...]:
    """The rows of a table: the last axis from left to right, all others from top to bottom; () if it would be
    too large.
    """
    width = array.shape[-1] if array.ndim else 1
    if not array.size or width > MAX_COLUMNS or array.size > MAX_ROWS * width:
        return ()
    rows = _printable(array).reshape(-1, width)
    height = array.shape[-2] if array.ndim > 2 else len(rows)
    texts = (tuple(_element(row[k, ...]) for k in range(width)) for row in rows)
    return tuple(CaseRow(cells, n > 0 and n % height == 0) for n, cells in enumerate(texts))


def _element(array: Array) -> str:
    return f"{array[()]:.6g}" if array.dtype.kind == "f" else elements_text(array)


def _printable(array: Array) -> Any:
    """The array in a type that NumPy prints as numbers."""
    import numpy as np

    if array.dtype.kind == "V" or array.dtype == object:
        return array.astype(object)
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn"):
        return array.astype(np.float32)
    if array.dtype.name in ("int4", "uint4", "int2", "uint2"):
        return array.astype(np.int16)
    return array


def layout(array: Array) -> str:
    """The elements as nested rows, of at most a few hundred characters."""
    import numpy as np

    return np.array2string(
        _printable(array),
        separator=" ",
        threshold=120,
        edgeitems=4,
        max_line_width=100,
        precision=6,
        suppress_small=True,
    )


# The layer of an example as OpenVINO writes it into an IR file.

_LAYER = re.compile(r"\t\t<layer .*?\n\t\t</layer>\n|\t\t<layer [^\n]*/>\n", re.DOTALL)
_BODY = re.compile(r"(?m)^    <((?:\w+_)?body)>\n(.*?)^    </\1>\n", re.DOTALL)
TAB = "    "
LISTS = ("ints", "floats", "axes")
"""Types of attributes with several values, which OpenVINO separates by a comma and a space."""


@dataclass(frozen=True, slots=True)
class LayerText:
    """A layer in an IR file. bodies: name and text of each of its bodies, which the layer leaves out."""

    layer: str = ""
    bodies: tuple[tuple[str, str], ...] = ()


def layer_text(op: Op, case: ExampleCase) -> LayerText:
    """The layer of an example as OpenVINO writes it; empty for ops of dialects that have no such files."""
    if not op.definition.is_read_by_openvino:
        return LayerText()
    if case.net is None:
        return LayerText(_of_tensors(op, case))
    layer = _of_net(op, case)
    return LayerText() if layer is None else _without_bodies(_text(op, layer))


def _of_net(op: Op, case: ExampleCase) -> Layer | None:
    """The first layer of the op in the model of an example, with what inference says of its tensors."""
    model = net_of(op, case)
    model = model.with_graph(_undeclared(model.graph))
    model = with_declared_ports(model, infer(analyse(model, registry_of(op))))
    definition = op.definition
    named = (one for one in model.graph.layers if one.type == definition.type)
    layer = next((one for one in named if one.version == definition.version), None)
    return None if layer is None else replace(layer, data={**_attributes(op, case), **layer.data})


def _undeclared(graph: LayerGraph) -> LayerGraph:
    """The graph without the sizes of its ports, which examples leave out."""
    return replace(graph, layers=[_without_sizes(layer) for layer in graph.layers])


def _without_sizes(layer: Layer) -> Layer:
    return replace(
        layer,
        inputs=[Port(port.id, names=port.names) for port in layer.inputs],
        outputs=[Port(port.id, names=port.names) for port in layer.outputs],
        bodies={name: replace(body, graph=_undeclared(body.graph)) for name, body in layer.bodies.items()},
    )


def _without_bodies(text: str) -> LayerText:
    """The text with its bodies apart."""
    bodies = tuple((match[1], _dedented(match[0])) for match in _BODY.finditer(text))
    return LayerText(_BODY.sub(_abbreviated, text), bodies)


def _abbreviated(body: re.Match[str]) -> str:
    types = re.findall(rf'^{TAB * 3}<layer [^\n]*?type="([^"]*)"', body[2], re.MULTILINE)
    return f"{TAB}<{body[1]}><!-- {', '.join(types)} --></{body[1]}>\n"


def _dedented(text: str) -> str:
    return "\n".join(line.removeprefix(TAB) for line in text.splitlines())


def _of_tensors(op: Op, case: ExampleCase) -> str:
    """The layer of an example that gives tensors; '' where inference fails."""
    definition = op.definition
    tensors = inputs_of(op, case)
    facts = [None if t is None else Fact(t.element_type, t.shape, t.value) for t in tensors]
    try:
        with collect_warnings():
            invocation = Invocation(op, case.attributes)
            outputs = () if invocation.faults else invocation.infer(facts)
    except (Violation, OpFault):
        return ""
    if not outputs and definition.outputs:
        return ""
    ids = count()
    inputs = [port_of(next(ids), fact) for fact in facts if fact is not None]
    made = (definition.type.lower(), definition.type, definition.version, _attributes(op, case))
    layer = Layer(len(inputs), *made, inputs, [port_of(next(ids), fact) for fact in outputs])
    return _text(op, layer)


def _text(op: Op, layer: Layer) -> str:
    text = "".join(document(Model(op.id, 11, LayerGraph([layer])), lambda written: written.data))
    match = _LAYER.search(text)
    lines = match[0].splitlines() if match else []
    return "\n".join(line.removeprefix("\t\t").replace("\t", TAB) for line in lines)


def _attributes(op: Op, case: ExampleCase) -> dict[str, str]:
    """The attributes of the case, and the others with their defaults: OpenVINO writes all, but a detail of
    another attribute only where that has not its default.
    """
    texts: dict[str, str] = {}
    for attribute in op.definition.attributes.values():
        text = case.attributes.get(attribute.name, attribute.default)
        if text is None or attribute.builder or _is_idle_detail(op, case, attribute.name):
            continue
        is_list = attribute.type in LISTS
        texts[attribute.name] = ", ".join(re.split(r"[\s,]+", text.strip())) if is_list else text
    return texts


def _is_idle_detail(op: Op, case: ExampleCase, name: str) -> bool:
    """Whether an attribute only details another one, which has its default: auto_broadcast.axis"""
    whole, _, detail = name.partition(".")
    if not detail or whole not in op.definition.attributes:
        return False
    default = op.definition.attributes[whole].default
    return name not in case.attributes and case.attributes.get(whole, default) == default


# Short texts of pages: elements, domains and releases in words, links to sources, and texts as Markdown.


def tensor_text(array: Array) -> str:
    """f32[2,3]"""
    return f"{element_type_of(array)}[{','.join(map(str, array.shape))}]"


def elements_text(array: Array) -> str:
    """[[1, 0, 2], [5, 4, 3]]: numbers with as many digits as their type needs."""
    if array.ndim:
        return f"[{', '.join(elements_text(array[k, ...]) for k in range(len(array)))}]"
    return repr(array.item()) if element_type_of(array) is STRING else str(array[()]).removesuffix(".0")


def domain_text(attribute: Attribute) -> str:
    """The valid values of an attribute."""
    if attribute.values:
        return ", ".join(attribute.values)
    limits = _range_text(attribute.low, attribute.high)
    if attribute.of:
        axes = f"an axis of {attribute.of}" if attribute.type == "axis" else f"axes of {attribute.of}"
        return f"{axes}, {limits}" if limits else axes
    return limits


def _range_text(low: float, high: float) -> str:
    match low == -inf, high == inf:
        case True, True:
            return ""
        case False, True:
            return f"{low:g} or more"
        case True, False:
            return f"{high:g} or less"
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def port_text(port: PortSpec) -> str:
    """The valid ranks of a port, and whether it is optional or variadic."""
    parts = []
    if port.low_rank or port.high_rank != inf:
        parts.append(f"rank {_range_text(port.low_rank, port.high_rank)}")
    if port.optional:
        parts.append("optional, but required by OpenVINO" if port.reader_requires else "optional")
    if port.variadic:
        parts.append("one or more")
    return ", ".join(parts)


def release_of(definition: Definition) -> str | None:
    """The release of OpenVINO from which on the op version is read; None for ops that no release has."""
    if definition.dialect != "openvino":
        return None
    since = releases().of_op(definition.type, definition.version)
    return None if since == UNRELEASED else since


def availability(definition: Definition) -> str:
    """A sentence about opsets and releases; '' for ops of which nothing is known."""
    release = release_of(definition)
    version = next((one for one in opsets().all() if one.id == definition.id), None)
    if release is None or version is None:
        return ""
    runs = version.ranges()
    since = f"OpenVINO reads it from release {release} on"
    if release == releases().oldest:
        since = f"Every release of OpenVINO from {release} on reads it"
    return f"In {'opset' if runs.isdigit() else 'opsets'} {runs}. {since}."


PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class OpFile:
    """A file of an op. url: '' for files that are not of irops, and where irops has no repository."""

    what: str
    text: str
    url: str


def repository_url(path: str) -> str:
    """The page of a file of irops; a line follows a colon. '' where irops has no repository."""
    file, _, line = path.partition(":")
    if not addresses.REPOSITORY:
        return ""
    return f"{addresses.REPOSITORY}/blob/{addresses.BRANCH}/{file}{'#L' + line if line else ''}"


def places(op: Op) -> tuple[OpFile, ...]:
    """The files of the op: its definition, and its functions with lines."""
    lines = {"definition": 0}  # the whole file
    return tuple(
        _place(role, Path(file), lines.get(role, line)) for role, (file, line) in op.places().items()
    )


def _place(what: str, file: Path, line: int) -> OpFile:
    inside = ""
    for folder, name in ((schemas_folder(), "schemas"), (PACKAGE, "irops")):
        if not inside and file.is_relative_to(folder):
            inside = f"{name}/{file.relative_to(folder).as_posix()}"
    text = f"{inside or file.name}{f':{line}' if line else ''}"  # no path of the machine is published
    return OpFile(what, text, repository_url(text) if inside else "")


_CODE = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"[\\*<>\[\]{}~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=[#\w]+;)|`")
_AT_START = re.compile(r"^(\s*)([#+>-]|\d+[.)])(?=\s)", re.MULTILINE)


def prose(text: str) -> str:
    """Paragraphs; only words between backticks have a meaning: they are code."""
    parts = _CODE.split(text)
    escaped = "".join(part if k % 2 else _SPECIAL.sub(r"\\\g<0>", part) for k, part in enumerate(parts))
    return _AT_START.sub(_escaped_start, escaped)


def cell(text: object) -> str:
    """The text of a cell of a table: on one line."""
    return " ".join(prose(str(text)).split()).replace("|", "\\|")


def code(text: object) -> str:
    """Code within a line: between as many backticks as it needs."""
    fence = "`" * (max((len(run) for run in re.findall("`+", str(text))), default=0) + 1)
    inner = str(text).replace("|", "\\|")
    return f"{fence} {inner} {fence}" if "`" in inner else f"{fence}{inner}{fence}"


def _escaped_start(match: re.Match[str]) -> str:
    mark = match[2]
    return f"{match[1]}{mark[:-1]}\\{mark[-1]}"
