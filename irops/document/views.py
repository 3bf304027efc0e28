"""What the pages about ops show, as values for templates."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import ndiff
from html import escape
from itertools import count
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from irops.analysis.declaring import port_of, with_declared_ports
from irops.analysis.model_analysis import analyse, infer
from irops.backends.backend import Reference
from irops.backends.catalogue import backend_of, missing
from irops.conformance.cases import expected_outputs, inputs_of, net_of, outcome
from irops.conformance.odd_inputs.table import comparisons_of
from irops.diagnostics import rules
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import shortened
from irops.document.expanded import ExpandedOp, forms_of
from irops.document.formulas import formula_html
from irops.editing.translation.translate import Counterpart, counterpart_of
from irops.ir.model import Graph, Layer, Model, Port
from irops.ir.serialize import document
from irops.ops.invocation import Invocation, OpFault
from irops.registry import Registry
from irops.spec.cases import counterexamples, examples
from irops.spec.definition import (
    Attribute,
    Case,
    Constraint,
    Definition,
    Note,
    PortSpec,
    Tensor,
    TypeVariable,
)
from irops.spec.domains import TensorValue, format_value, parse
from irops.spec.op import Op
from irops.spec.op_names import parted
from irops.spec.opsets import OpVersion, opsets
from irops.spec.releases import releases
from irops.spec.schemas import schemas_folder
from irops.spec.types import OPENVINO
from irops.values.element import I64, STRING, Array, ElementType, element_type_of
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.tensors import fact_of
from irops.values.violation import Violation, collect_warnings

WIDEST = 16
"""Largest number of characters in a row of a grid."""


def tensor_text(array: Array) -> str:
    """f32[2,3]"""
    return f"{element_type_of(array)}[{','.join(map(str, array.shape))}]"


def elements_text(array: Array) -> str:
    """[[1, 0, 2], [5, 4, 3]]: numbers with as many digits as their type needs."""
    if array.ndim:
        return f"[{', '.join(elements_text(array[k, ...]) for k in range(len(array)))}]"
    return repr(array.item()) if element_type_of(array) is STRING else str(array[()]).removesuffix(".0")


def grid_text(array: Array) -> str:
    """The elements row by row, with higher axes stacked; long rows are written one element per line."""
    if not array.size:
        return "no elements"
    rows = [
        [elements_text(row[k, ...]) for k in range(len(row))]
        for row in array.reshape(-1, array.shape[-1] if array.ndim else 1)
    ]
    widest = max(len(cell) for row in rows for cell in row)
    if max(map(len, rows)) * (widest + 1) > WIDEST:
        return "\n".join(cell for row in rows for cell in row)
    return "\n".join(" ".join(cell.rjust(widest) for cell in row) for row in rows)


# The values of attributes and the ranks of ports, in words.


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


# What irops can do with each op: a table of ops and faculties.

# In which opsets an op is, and which releases of OpenVINO read it.


def release_of(definition: Definition) -> str | None:
    """The release of OpenVINO from which on the op version is read; None for ops that no opset has."""
    return releases().of_op(definition.type, definition.version) if definition.dialect == "openvino" else None


def availability(definition: Definition) -> str:
    """A sentence about opsets and releases; '' for ops of which nothing is known."""
    release = release_of(definition)
    version = next((one for one in opsets().all() if one.id == definition.id), None)
    if release is None or version is None:
        return ""
    runs = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in version.runs)
    since = (
        f"Every release of OpenVINO from {release} on reads it"
        if release == releases().oldest
        else f"OpenVINO reads it from release {release} on"
    )
    return f"In {'opset' if runs.isdigit() else 'opsets'} {runs}. {since}."


FAST = ("numba", "numpy")
"""The backends whose kernels give the bits of the reference."""


@dataclass(frozen=True, slots=True)
class Faculties:
    """A row. backends: the fast ones; counterpart: the op of another dialect that it is translated to."""

    id: str
    page: str
    release: str
    is_inferred: bool
    is_evaluated: bool
    has_gradient: bool
    backends: tuple[str, ...]
    counterpart: Counterpart | None


def faculties(op: Op) -> Faculties:
    definition = op.definition
    return Faculties(
        definition.id,
        definition.page,
        release_of(definition) or "",
        bool(definition.outputs) or op.functions.shape is not None,
        Reference().kernel(op) is not None or bool(definition.bodies),
        bool(definition.gradients),
        fast_backends(op),
        counterpart_of(op.id),
    )


def fast_backends(op: Op) -> tuple[str, ...]:
    """The names of the fast backends that are installed and have a kernel for an op."""
    backends = (backend_of(name) for name in FAST)
    return tuple(b.name for b in backends if missing(b) is None and b.kernel(op) is not None)


# Examples and counterexamples for pages: run when the page is made.

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


def layer_text(op: Op, case: Case) -> LayerText:
    """The layer of an example as OpenVINO writes it; empty for ops of dialects that have no such files."""
    if not op.definition.is_read_by_openvino:
        return LayerText()
    if case.net is None:
        return LayerText(_of_tensors(op, case))
    layer = _of_net(op, case)
    return LayerText() if layer is None else _without_bodies(_text(op, layer))


def _of_net(op: Op, case: Case) -> Layer | None:
    """The first layer of the op in the model of an example, with what inference says of its tensors."""
    model = net_of(op, case)
    model = model.with_graph(_undeclared(model.graph))
    model = with_declared_ports(model, infer(analyse(model)))
    definition = op.definition
    layer = next(
        (
            one
            for one in model.graph.layers
            if (one.type, one.version) == (definition.type, definition.version)
        ),
        None,
    )
    return None if layer is None else replace(layer, data={**_attributes(op, case), **layer.data})


def _undeclared(graph: Graph) -> Graph:
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


def _of_tensors(op: Op, case: Case) -> str:
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
    layer = Layer(
        len(inputs),
        definition.type.lower(),
        definition.type,
        definition.version,
        _attributes(op, case),
        inputs,
        [port_of(next(ids), fact) for fact in outputs],
    )
    return _text(op, layer)


def _text(op: Op, layer: Layer) -> str:
    text = "".join(document(Model(op.id, 11, Graph([layer])), lambda written: written.data))
    match = _LAYER.search(text)
    lines = match[0].splitlines() if match else []
    return "\n".join(line.removeprefix("\t\t").replace("\t", TAB) for line in lines)


def _attributes(op: Op, case: Case) -> dict[str, str]:
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


def _is_idle_detail(op: Op, case: Case, name: str) -> bool:
    """Whether an attribute only details another one, which has its default: auto_broadcast.axis"""
    whole, _, detail = name.partition(".")
    if not detail or whole not in op.definition.attributes:
        return False
    default = op.definition.attributes[whole].default
    return name not in case.attributes and case.attributes.get(whole, default) == default


MAX_COLUMNS, MAX_ROWS = 12, 24
"""The largest tensors that are shown as tables."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table. begins_slice: whether an index of an axis before the last two changes here."""

    cells: tuple[str, ...]
    begins_slice: bool


@dataclass(frozen=True, slots=True)
class TensorView:
    """A tensor of an example. text: its elements as nested rows; rows: as a table, if it is small."""

    name: str
    type: str
    text: str
    rows: tuple[TableRow, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseView:
    """An example after running it: the computed outputs or the diagnostics. xml: its layer in an IR file;
    bodies: name and text of each body of the layer; net: its model, if it is one.

    The outputs of an op without functions, which an editor shows, are those that the example expects.
    """

    title: str
    attributes: str
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    net: str
    xml: str
    bodies: tuple[tuple[str, str], ...]
    diagnostics: tuple[str, ...]


def case_view(op: Op, case: Case) -> CaseView:
    is_run = op.functions.kernel is not None or op.definition.library != ""
    outputs, diagnostics = outcome(op, case) if is_run else ([], [])
    attributes = ", ".join(f"{name}={value}" for name, value in case.attributes.items())
    expected = expected_outputs(op, case)
    tensors = [
        t
        for t in (inputs_of(op, case) if case.net is None else case.tensors)
        if t is not None and not t.output
    ]
    names = (
        [t.name for t in expected]
        if len(expected) == len(outputs)
        else [p.name for p in op.definition.outputs]
    )
    shown = (_array_view(name, array) for name, array in zip(names, outputs))
    text = layer_text(op, case) if case.violates is None and is_run else LayerText()
    if op.functions.kernel is None:  # what is inferred, or expected
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


def _about(op: Op, case: Case, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
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
    if not hasattr(array, "dtype"):  # a sequence, a map, or an optional value that is absent
        return TensorView(name, str(fact_of(array)), shortened(repr(array), 400))
    return TensorView(name, tensor_text(array), layout(array), _rows(array))


def _rows(array: Array) -> tuple[TableRow, ...]:
    """The rows of a table: the last axis from left to right, all others from top to bottom; () if it would be
    too large.
    """
    width = array.shape[-1] if array.ndim else 1
    if not array.size or width > MAX_COLUMNS or array.size > MAX_ROWS * width:
        return ()
    rows = _printable(array).reshape(-1, width)
    height = array.shape[-2] if array.ndim > 2 else len(rows)
    return tuple(
        TableRow(tuple(_element(row[k, ...]) for k in range(width)), number > 0 and number % height == 0)
        for number, row in enumerate(rows)
    )


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


# Which element of an input each element of an output comes from, for ops that move elements.

MAX_ELEMENTS = 16
"""Of all inputs that are moved, and of all outputs, in a picture."""
CODES = ((1, 1), (1000, 7))
"""Start and step of the numbers that stand for the elements in two runs: a source is the same in both."""


@dataclass(frozen=True, slots=True)
class Movement:
    """inputs: the tensors whose elements are moved; sources: for each output, the position of the source of
    each element among the elements of all inputs, -1 for a new element.
    """

    title: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    sources: tuple[Array, ...]


def movement(op: Op) -> Movement | None:
    """The movement in the first small example of an op; None for ops that compute."""
    definition = op.definition
    if definition.category != "movement" or not definition.outputs or op.functions.kernel is None:
        return None
    found = (_of_case(op, case) for case in examples(definition) if case.net is None)
    return next((one for one in found if one is not None), None)


def _of_case(op: Op, case: Case) -> Movement | None:
    tensors, expected = inputs_of(op, case), expected_outputs(op, case)
    moved = _moved(op, tensors)
    values = [t.value for t in (*moved, *expected) if t.value is not None]
    if not moved or len(values) < len(moved) + len(expected):
        return None
    sizes = [sum(v.size for v in part) for part in (values[: len(moved)], values[len(moved) :])]
    if min(sizes) < 2 or max(sizes) > MAX_ELEMENTS:
        return None
    sources = _sources(op, case, tensors, moved)
    if sources is None or len(sources) < len(expected):
        return None
    made = Movement(case.name or "", tuple(moved), tuple(expected), sources[: len(expected)])
    return made if _is_true(made) and not _is_identity(made) else None


def _moved(op: Op, tensors: list[Tensor | None]) -> list[Tensor]:
    """The inputs of the element type of the output, but for scalars."""
    kinds = {port.name for port in op.definition.inputs if port.type == op.definition.outputs[0].type}
    return [t for t in tensors if t is not None and t.name in kinds and t.shape.rank != 0]


def _sources(
    op: Op, case: Case, tensors: list[Tensor | None], moved: list[Tensor]
) -> tuple[Array, ...] | None:
    """The positions of the sources of all outputs; None if they are not the same for both codes."""
    found: list[list[Array]] = []
    for start, step in CODES:
        arrays: list[Array | None] = []
        first = 0
        for tensor in tensors:
            array = None if tensor is None else tensor.value
            if tensor is not None and array is not None and any(tensor is one for one in moved):
                numbers = start + step * np.arange(first, first + array.size)
                array, first = numbers.reshape(array.shape).astype(I64.dtype), first + array.size
            arrays.append(array)
        try:
            with collect_warnings():
                results = Invocation(op, case.attributes).compute(arrays)
        except (Violation, OpFault):
            return None
        found.append([_positions(np.asarray(result), start, step, first) for result in results])
    same = all(np.array_equal(a, b) for a, b in zip(*found))
    return tuple(found[0]) if same else None


def _positions(result: Array, start: int, step: int, count: int) -> Array:
    """The positions that the numbers of a result stand for, -1 for a number that stands for none."""
    position, rest = np.divmod(result.astype(np.int64) - start, step)
    return np.where((rest == 0) & (position >= 0) & (position < count), position, -1)


def _is_true(made: Movement) -> bool:
    """Whether the elements of the example are where the sources say."""
    flat = np.concatenate([np.ravel(t.value).astype(object) for t in made.inputs if t.value is not None])
    for tensor, sources in zip(made.outputs, made.sources):
        value = np.ravel(tensor.value).astype(object) if tensor.value is not None else flat[:0]
        from_input = np.ravel(sources) >= 0
        if sources.size != value.size or not from_input.any():
            return False
        if not (flat[np.ravel(sources)[from_input]] == value[from_input]).all():
            return False
    return True


def _is_identity(made: Movement) -> bool:
    sources = np.concatenate([np.ravel(one) for one in made.sources])
    return bool((sources == np.arange(sources.size)).all())


# A picture of a movement: the elements of the inputs above, those of the outputs below, lines between.

CELL, GAP, MARGIN, HEIGHT = 34, 14, 4, 30
"""Pixels: the width of a cell, the space between rows of a tensor, around all, and of a cell's height."""
TOP, BOTTOM = 24, 130
"""Where the cells of the inputs and of the outputs begin."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of some tensors, one after the other. centers: x of each cell."""

    parts: tuple[str, ...]
    centers: tuple[int, ...]
    width: int


def picture(movement: Movement) -> str:
    """The picture as SVG."""
    above = _line(movement.inputs, TOP, TOP - 10)
    below = _line(movement.outputs, BOTTOM, BOTTOM + HEIGHT + 14)
    width, height = max(above.width, below.width), BOTTOM + HEIGHT + 28
    names = " and ".join(dict.fromkeys(t.name for t in movement.outputs))
    title = f"Where the elements of {names} come from{': ' if movement.title else ''}{movement.title}"
    return "\n".join(
        (
            f'<svg class="movement" role="img" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>',
            *above.parts,
            *below.parts,
            *_lines(movement, above, below),
            "</svg>",
        )
    )


def _line(tensors: tuple[Tensor, ...], y: int, y_name: int) -> _Line:
    """The cells of tensors from left to right, with a space between the rows of each."""
    parts: list[str] = []
    centers: list[int] = []
    x = MARGIN
    for tensor in tensors:
        if tensor.value is None:
            continue
        parts.append(f'<text class="name" x="{x}" y="{y_name}">{escape(tensor.name)}</text>')
        for row in _moved_rows(tensor.value):
            for text in row:
                parts.append(f'<rect class="cell" x="{x}" y="{y}" width="{CELL}" height="{HEIGHT}"/>')
                parts.append(f'<text x="{x + CELL // 2}" y="{y + HEIGHT // 2}">{escape(text)}</text>')
                centers.append(x + CELL // 2)
                x += CELL
            x += GAP
    return _Line(tuple(parts), tuple(centers), x - GAP + MARGIN + CELL)


def _moved_rows(array: Array) -> Iterator[list[str]]:
    """The texts of the elements, row by row along the last axis."""
    width = array.shape[-1] if array.ndim else 1
    for row in array.reshape(-1, max(width, 1)):
        yield [_moved_text(row[k, ...]) for k in range(len(row))]


def _moved_text(array: Array) -> str:
    text = str(array[()]) if array.dtype == object else elements_text(array)
    return text if len(text) <= 4 else f"{text[:3]}…"


def _lines(movement: Movement, above: _Line, below: _Line) -> Iterator[str]:
    """The line from each element to where it goes: dashed if it stays at its place."""
    y1, y2 = TOP + HEIGHT, BOTTOM
    same_shape = [t.shape for t in movement.inputs] == [t.shape for t in movement.outputs]
    for place, source in enumerate(np.concatenate([np.ravel(one) for one in movement.sources])):
        if source < 0:
            continue
        x1, x2 = above.centers[source], below.centers[place]
        kind = "kept" if same_shape and source == place else "moved"
        middle = (y1 + y2) // 2
        yield f'<path class="{kind}" d="M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}"/>'


# Where the definition and the functions of an op are, as text and as links.

BRANCH = "main"
PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class OpFile:
    """A file of an op. url: '' for files that are not of irops, or without an address of the repository."""

    what: str
    text: str
    url: str


def repository_url(path: str) -> str:
    """The page of a file or folder (dir/) of irops, '' without a repository; a line follows a colon."""
    file, _, line = path.partition(":")
    if not rules.REPOSITORY:
        return ""
    kind = "tree" if file.endswith("/") else "blob"
    return f"{rules.REPOSITORY}/{kind}/{BRANCH}/{file.rstrip('/')}{'#L' + line if line else ''}"


def places(op: Op) -> tuple[OpFile, ...]:
    """The files of the op: its definition, and its functions with lines."""
    found = [_place("definition", Path(op.definition.path))]
    for role, function in op.functions.by_role().items():
        code = inspect.unwrap(function).__code__
        found.append(_place(role, Path(code.co_filename), code.co_firstlineno))
    return tuple(found)


def _place(what: str, file: Path, line: int = 0) -> OpFile:
    inside = ""
    for folder, name in ((schemas_folder(), "schemas"), (PACKAGE, "irops")):
        if not inside and file.is_relative_to(folder):
            inside = f"{name}/{file.relative_to(folder).as_posix()}"
    text = f"{inside or file.as_posix()}{f':{line}' if line else ''}"
    return OpFile(what, text, repository_url(text) if inside else "")


# Views: what a page shows of an op.

# What a search finds the page of an op by, beside its text.

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-_./\s]+")


def search_words(definition: Definition) -> tuple[str, ...]:
    """Single words: of the name, of other names that people use, of attributes and inputs."""
    ports = (port.name for port in (*definition.inputs, *definition.outputs))
    names = (definition.type, *definition.keywords, *definition.attributes, *ports)
    words = [definition.type, definition.file_id]
    for name in names:
        words += [name, *_PARTS.split(name)]
    plain = (word.replace(",", " ").strip() for word in words)
    return tuple(dict.fromkeys(word for word in plain if len(word) > 1 and " " not in word))


def index_entries(definition: Definition) -> tuple[str, ...]:
    """Entries of the index: other names of the op, and its attributes."""
    attributes = (f"{attribute} (attribute)" for attribute in definition.attributes)
    names = (definition.file_id, *definition.keywords, *attributes)
    return tuple(" ".join(re.sub(r"[;!,`\"]", " ", name).split()) for name in names)


# What differs between two versions of an op: lines of a diff of what their definitions declare.


def delta(older: Definition, newer: Definition) -> str:
    """The lines that are removed (-) and added (+); '' if both declare the same."""
    lines = ndiff(list(declared_lines(older)), list(declared_lines(newer)))
    return "\n".join(line for line in lines if line[0] in "+-")


def declared_lines(definition: Definition) -> Iterator[str]:
    """One line for each input, attribute, output, type and constraint."""
    for what, ports in (("input", definition.inputs), ("output", definition.outputs)):
        for port in ports:
            yield ", ".join(filter(None, (f"{what} {port.name}: {port.type}", port_text(port))))
    for attribute in definition.attributes.values():
        yield f"attribute {attribute.name}: {_attribute(attribute)}"
    for variable in definition.types.values():
        yield f"type {variable.name}: {' '.join(sorted(variable.allowed))}"
    for constraint in definition.constraints.values():
        yield f"{constraint.severity}: {constraint.text}"


def _attribute(attribute: Attribute) -> str:
    default = "required" if attribute.required else f"default {attribute.default or 'none'}"
    return "; ".join(filter(None, (attribute.type, domain_text(attribute), default)))


# The call of an op from Python, as its page shows it: a line that runs as it is.


def call_text(definition: Definition) -> str:
    """The call of the op with inputs of the definition's names, or '' if it cannot be called directly.

    Attributes have the values of the first example, or else their defaults.
    """
    if not definition.inputs or definition.bodies or definition.stateful:
        return ""
    case = called_case(definition)
    if case is None and any(attribute.required for attribute in definition.attributes.values()):
        return ""
    stated = {} if case is None else case.attributes
    inputs = [f"*{port.name}" if port.variadic else port.name for port in definition.inputs]
    attributes = [
        f"{attribute.parameter}={literal(value)}"
        for attribute in definition.attributes.values()
        if (value := _value(attribute, stated)) is not None
    ]
    return f'irops.call("{definition.id}", {", ".join((*inputs, *attributes))})'


def called_case(definition: Definition) -> Case | None:
    """The first example that is a call and not a model; None where the definition has none."""
    return next((case for case in examples(definition) if case.net is None), None)


def literal(value: Any) -> str:
    """A value of an attribute in Python: literal(()) is "()", that of an element type its name in quotes."""
    match value:
        case ElementType() | Shape() | TensorValue():
            return repr(format_value(value))
        case tuple():
            return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
        case float() if not isfinite(value):
            return f'float("{value}")'
        case float():
            return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return repr(value)


def _value(attribute: Attribute, stated: dict[str, str]) -> Any:
    """The value to show: of the example, or the default; None where the attribute is left out."""
    text = stated.get(attribute.name, attribute.default)
    return None if text is None else parse(attribute, text)


DIFFERENCES = "OpenVINO differs"
"""The heading of notes about what OpenVINO does."""


@dataclass(frozen=True, slots=True)
class ConstraintView:
    constraint: Constraint
    notes: tuple[Note, ...]
    cases: tuple[CaseView, ...]


@dataclass(frozen=True, slots=True)
class Sibling:
    """A version of an op. opsets: those that contain it; page: '' if irops does not define it; before: the
    version before it, if any; delta: what differs from that one, as lines of a diff.
    """

    id: str
    page: str
    opsets: str
    changes: str
    here: bool
    before: str = ""
    delta: str = ""


@dataclass(frozen=True, slots=True)
class OpView:
    """The contents of the page of an op. formula: as HTML, '' if it is code or if there is none; types: the
    variables, and the expressions of ports that stand for several types; forms: the op in several other ops.
    """

    op: Op
    version: OpVersion | None
    attributes: tuple[tuple[Attribute, str], ...]
    inputs: tuple[tuple[PortSpec, str], ...]
    outputs: tuple[tuple[PortSpec, str], ...]
    constraints: tuple[ConstraintView, ...]
    notes: tuple[tuple[str, tuple[Note, ...]], ...]
    examples: tuple[CaseView, ...]
    siblings: tuple[Sibling, ...]
    comparisons: tuple[tuple[str, str], ...]
    call: str
    places: tuple[OpFile, ...]
    availability: str
    words: tuple[str, ...]
    entries: tuple[str, ...]
    picture: str
    backends: tuple[str, ...]
    counterpart: Counterpart | None
    formula: str
    types: tuple[TypeVariable, ...]
    forms: tuple[ExpandedOp, ...]

    @property
    def definition(self) -> Definition:
        return self.op.definition

    @property
    def inputs_without_gradient(self) -> tuple[str, ...]:
        """The inputs without a gradient."""
        stated = {*self.definition.gradients, *(each.of for each in self.definition.no_gradients)}
        return tuple(port.name for port in self.definition.inputs if port.name not in stated)


def op_view(registry: Registry, op: Op) -> OpView:
    definition = op.definition
    version = next((v for v in opsets().all() if v.id == op.id), None)
    moved = movement(op)
    counterexample_cases = counterexamples(definition)
    return OpView(
        op=op,
        version=version,
        attributes=tuple((a, domain_text(a)) for a in definition.attributes.values()),
        inputs=tuple((p, port_text(p)) for p in definition.inputs),
        outputs=tuple((p, port_text(p)) for p in definition.outputs),
        constraints=tuple(
            ConstraintView(
                c,
                _notes(definition, c.id),
                tuple(case_view(op, case) for case in counterexample_cases if case.violates == c.id),
            )
            for c in definition.constraints.values()
        ),
        notes=_grouped_notes(definition),
        examples=tuple(case_view(op, case) for case in examples(definition)),
        siblings=_siblings(registry, definition),
        comparisons=comparisons_of(op.definition.file_id),
        call="" if definition.library else call_text(definition),
        places=places(op),
        availability=availability(definition),
        words=search_words(definition),
        entries=index_entries(definition),
        picture="" if moved is None else picture(moved),
        backends=fast_backends(op),
        counterpart=counterpart_of(op.id),
        formula=formula_html(definition),
        types=_types(definition),
        forms=tuple(form for form in forms_of(op, registry) if len(form.steps) > 1),
    )


def _types(definition: Definition) -> tuple[TypeVariable, ...]:
    expressions = {
        port.type: TypeVariable(port.type, port.allowed, "")
        for port in (*definition.inputs, *definition.outputs)
        if port.type not in definition.types
        and not port.type.startswith("@")
        and frozenset(port.type.split()) != port.allowed
    }
    return (*definition.types.values(), *expressions.values())


def _notes(definition: Definition, of: str) -> tuple[Note, ...]:
    return tuple(note for note in definition.notes if note.of == of)


def _grouped_notes(definition: Definition) -> tuple[tuple[str, tuple[Note, ...]], ...]:
    """The notes under their headings, but for those of constraints, which are shown with them."""
    notes = [note for note in definition.notes if note.of not in definition.constraints]
    about_openvino = tuple(note for note in notes if "OpenVINO" in note.text)
    other = tuple(note for note in notes if "OpenVINO" not in note.text)
    return tuple(
        (title, group) for title, group in ((DIFFERENCES, about_openvino), ("Notes", other)) if group
    )


def _siblings(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op."""
    if definition.dialect != OPENVINO:
        return _siblings_elsewhere(registry, definition)
    defined_ids = registry.ids()
    rows: list[Sibling] = []
    older: Definition | None = None
    for version in opsets().versions.get(definition.type.lower(), ()):
        defined = version.id in defined_ids
        here = version.id == definition.id
        newer = registry.op(version.id).definition if defined and not here else None
        if here:  # its text may be newer than its file
            defined, newer = True, definition
        rows.append(
            Sibling(
                version.id,
                version.id if defined else "",
                opsets_text(version),
                newer.changes if newer is not None else "",
                here,
                older.id if older is not None else "",
                delta(older, newer) if older is not None and newer is not None else "",
            )
        )
        older = newer
    return tuple(rows)


def _siblings_elsewhere(registry: Registry, definition: Definition) -> tuple[Sibling, ...]:
    """The versions of an op of another dialect. A definition covers several versions, shown on one page."""
    of_type = [op for op in registry.versions(definition.dialect) if parted(op)[1] == definition.type]
    if len(of_type) < 2:
        return ()
    rows = []
    for op in of_type:
        other = registry.op(op).definition
        changes = other.changes if op == other.file_id else ""
        rows.append(
            Sibling(op, other.page, f"from {parted(op)[2]} on", changes, other.file_id == definition.file_id)
        )
    return tuple(rows)


def opsets_text(version: OpVersion) -> str:
    """1 to 16; 1, 3 to 16."""
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in version.runs)
