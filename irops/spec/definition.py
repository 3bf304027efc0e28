"""The definition of one version of an op, as read from its XML file; its sets of types, and its words.

Other dialects than OpenVINO have more types, and a word may name the opset that introduced one: "tensor
bf16@13".
"""

import re
from dataclasses import dataclass, field
from functools import cache
from math import inf
from typing import Any

from irops.diagnostics.diagnostic import Severity
from irops.diagnostics.html_table import html_table
from irops.spec.condition import Condition
from irops.values.element import Array, ElementType, element_types, foreign_types
from irops.values.shape import Shape

OPENVINO = "openvino"
_ALL = frozenset(t.name for t in element_types() if t.name != "dynamic")
_FOREIGN = frozenset(t.name for t in foreign_types())
_ORDER = [t.name for t in (*element_types(), *foreign_types())]
_FLOAT = frozenset(t.name for t in element_types() if t.floating)
_SIGNED = frozenset(t.name for t in element_types() if t.kind == "signed")
_UNSIGNED = frozenset(t.name for t in element_types() if t.kind == "unsigned")
_LOOKUP = frozenset({"nf4"})
_WIDE = frozenset(
    {"boolean", "f16", "f32", "f64", *(f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64))}
)
GROUPS = {
    "any": _ALL,
    "float": _FLOAT,
    "signed": _SIGNED,
    "unsigned": _UNSIGNED,
    "integer": _SIGNED | _UNSIGNED,
    "numeric": _SIGNED | _UNSIGNED | _FLOAT | _LOOKUP,
}
FOREIGN_GROUPS = {
    "any": _ALL | _FOREIGN,
    "tensor": _WIDE | {"string", "complex64", "complex128"},
    "f8": frozenset({"f8e4m3", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"}),
}
"""Further groups of other dialects. tensor: the fifteen types of their first opset."""


@cache
def allowed_types(expression: str, dialect: str = OPENVINO, opset: int | None = None) -> frozenset[str]:
    """The names of the element types in an expression: names and groups, added in order; -name removes.

    opset: of the dialect; words introduced by a later one are ignored. None for all words.
    Raises:  ValueError for a word that is neither
    """
    groups, names = (GROUPS, _ALL) if dialect == OPENVINO else ({**GROUPS, **FOREIGN_GROUPS}, _ALL | _FOREIGN)
    allowed: frozenset[str] = frozenset()
    for word in expression.replace(",", " ").split():
        name, at, since = word.removeprefix("-").partition("@")
        if name not in groups and name not in names:
            raise ValueError(f"{name!r} is neither an element type nor one of the groups {', '.join(groups)}")
        if at and not (since.isdigit() and dialect != OPENVINO):
            raise ValueError(f"{word!r} does not end with the number of an opset")
        if at and opset is not None and int(since) > opset:
            continue
        types = groups.get(name, frozenset({name}))
        allowed = allowed - types if word.startswith("-") else allowed | types
    if not allowed:
        raise ValueError(f"{expression!r} allows no type")
    return allowed


def type_text(expression: str, dialect: str = OPENVINO) -> str:
    """An expression for display: in other dialects than OpenVINO all types by name, and the opset that
    introduced them.
    """
    words = expression.split()
    if dialect == OPENVINO:
        return " ".join(words)

    def names(types: str) -> str:
        return " ".join(sorted(allowed_types(types, dialect), key=_ORDER.index))

    first = " ".join(word for word in words if "@" not in word)
    later = (word.split("@") for word in words if "@" in word)
    texts = [names(first)] if first else []
    return "; ".join((*texts, *(f"from opset {since} on {names(name)}" for name, since in later)))


def prose(element: Any) -> str:
    """The text of an element with line breaks and indentation folded; blank lines between paragraphs stay."""
    if element is None or element.text is None:
        return ""
    paragraphs = ("\n".join(line.strip() for line in element.text.splitlines())).split("\n\n")
    return "\n\n".join(" ".join(p.split()) for p in paragraphs if p.strip())


def lines(element: Any) -> str:
    """The text of an element with its line breaks, without common indentation."""
    from inspect import cleandoc  # slow to import

    return "" if element is None else cleandoc(element.text or "")


def snake_case(name: str) -> str:
    """reverse_sequence of ReverseSequence, nv12_to_rgb of NV12toRGB, lstm_cell of LSTMCell."""
    name = re.sub(r"([a-z0-9])(to)([A-Z])", r"\1_to_\3", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of <data>.

    default: that of the specification; reader_default: the value that OpenVINO uses for a missing attribute,
    if it differs; reader_requires: whether OpenVINO refuses a layer without it, although the specification
    has a default: "yes", or "name=value" if it does so where another attribute has that value; ones_like: the
    list that has as many elements as an empty list stands for, each of them 1; stands_for:
    the attribute or input of the op whose functions are shared, if its name differs; label: the spelling in
    its dialect, if that is not an identifier; switch: the attribute that enables it; builder: whether it is
    passed when a graph is built, and is not an attribute of the node.
    """

    name: str
    type: str
    text: str = ""
    of: str | None = None
    required: bool = False
    default: str | None = None
    reader_default: str | None = None
    reader_requires: str | None = None
    ones_like: str | None = None
    values: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    low: float = -inf
    high: float = inf
    stands_for: str | None = None
    dialect: str = "openvino"
    label: str | None = None
    switch: str | None = None
    builder: bool = False

    @property
    def parameter(self) -> str:
        """The name of the Python parameter: without dashes (exclude-pad) and without the part before a dot
        (auto_broadcast.auto_broadcast_axis).
        """
        return self.name.rpartition(".")[2].replace("-", "_")


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """A type variable, T1, T2 …: one of the allowed element types, the same for all ports that use it."""

    name: str
    allowed: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class PortSpec:
    """An input or output.

    type: a type variable, an expression of element types, or @attribute; shape: a shape rule and its
    arguments, for an output; reader_requires: whether OpenVINO refuses a layer without it, although it is
    optional; stands_for: the input of the op whose functions are shared, if its name differs.
    """

    id: int
    name: str
    type: str
    allowed: frozenset[str]
    text: str = ""
    low_rank: int = 0
    high_rank: float = inf
    optional: bool = False
    variadic: bool = False
    reader_requires: bool = False
    shape: tuple[str, ...] = ()
    stands_for: str | None = None

    @property
    def ranks(self) -> str:
        """The ranks that it may have: 1, 1 or more, 1 to 3."""
        low, high = self.low_rank, self.high_rank
        if low == high:
            return f"{low:g}"
        return f"{low} or more" if high == inf else f"{low} to {high:g}"


@dataclass(frozen=True, slots=True)
class Gradient:
    """The gradient of an input. Inputs without one have no gradient.

    saves: the inputs and outputs that the function needs; when: the boolean attribute that must be true for
    the input to have a gradient, if any.
    """

    of: str
    text: str
    saves: tuple[str, ...] = ()
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Constraint:
    """A numbered constraint. when: checked at inference (infer) or only on values (run); of: the attributes
    that it is about, if it is about attributes only; of_knowledge: whether it is about what is known of
    inputs, so that a model may break it of which less is known.
    """

    id: str
    text: str
    when: str = "infer"
    severity: Severity = Severity.ERROR
    of: tuple[str, ...] = ()
    of_knowledge: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A note, such as a decision where specification and runtime differ.

    of: its subject, None for the op; cause: where it explains that OpenVINO's CPU plug-in computes something
    else, () for never; switch: the property of the plug-in, name=value, without which it does not.
    """

    text: str
    of: str | None = None
    cause: Condition = ()
    switch: str = ""


@dataclass(frozen=True, slots=True)
class Peer:
    """The same computation in another library: PyTorch, torch.flip(data, axis). where: the condition under
    which it is the same, in terms of inputs and attributes; when: it in words; text: the differences.
    """

    library: str
    call: str
    where: str
    when: str
    text: str

    @property
    def sentence(self) -> str:
        """The condition and the differences, for people."""
        return " ".join(filter(None, (self.when and f"Where {self.when}.", self.text)))


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of an example; value is None if the example has only its type and shape."""

    name: str
    element_type: ElementType
    shape: Shape
    value: Array | None
    output: bool


@dataclass(frozen=True, slots=True)
class ExampleCase:
    """An example, or a counterexample. violates: the constraint or rule that a counterexample violates; net:
    a model as XML, if the case is a model.
    """

    name: str | None
    attributes: dict[str, str]
    tensors: tuple[Tensor, ...]
    net: bytes | None
    tolerance: float
    violates: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of one version of an op.

    file_id: the id that names its file, which may contain later versions too; same_as: the OpenVINO op whose
    functions it shares; given: values, as text, for attributes of that op that this one does not have; later:
    attributes in the file that belong to later versions; keywords: other names that people call the op by.
    """

    type: str
    version: str
    category: str
    module: str
    dialect: str
    stateful: bool
    path: str
    summary: str
    description: str
    formula: str
    source: str
    changes: str
    attributes: dict[str, Attribute]
    bodies: dict[str, str]
    types: dict[str, TypeVariable]
    inputs: tuple[PortSpec, ...]
    outputs: tuple[PortSpec, ...]
    gradients: dict[str, Gradient]
    constraints: dict[str, Constraint]
    notes: tuple[Note, ...]
    keywords: tuple[str, ...] = ()
    peers: tuple[Peer, ...] = ()
    cases_source: Any = field(repr=False, compare=False, default=None)  # parsed on demand: see spec.load
    same_as: str | None = None
    library: str = ""
    """The extension library that OpenVINO needs for the op, if any. irops has no kernel for such ops."""
    given: tuple[tuple[str, str], ...] = ()
    file_id: str = ""
    later: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """The type and the opset that introduced this version: ReverseSequence-1; in other dialects after
        the name of the dialect and a colon.
        """
        return definition_id(self.dialect, self.type, self.version)

    @property
    def is_read_by_openvino(self) -> bool:
        """Whether OpenVINO's reader reads layers of the op, if need be with an extension library."""
        return self.dialect == "openvino" or self.library != ""

    @property
    def page(self) -> str:
        """The id as a file name, without a colon."""
        return self.file_id.replace(":", "-")

    def __str__(self) -> str:
        return self.id

    def __repr__(self) -> str:
        return f"<Definition {self.id}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: attributes, inputs, outputs and constraints with their sentences."""
        rows: list[tuple[str, str, str, str]] = []
        for attribute in self.attributes.values():
            default = "required" if attribute.required else f"default {attribute.default}"
            rows.append(("attribute", attribute.name, f"{attribute.type}, {default}", attribute.text))
        for what, ports in (("input", self.inputs), ("output", self.outputs)):
            rows.extend((what, port.name, port.type, port.text) for port in ports)
        rows.extend(("constraint", c.id, c.severity, c.text) for c in self.constraints.values())
        return html_table(f"{self.id}: {self.summary}", ("", "", "", ""), rows)


def definition_id(dialect: str, type: str, version: str) -> str:
    """The id of a definition; see Definition.id."""
    name = "-".join(filter(None, (type, version.removeprefix("opset"))))
    return name if dialect == "openvino" else f"{dialect}:{name}"


def attribute_phrase(attribute: Attribute) -> str:
    """The type, the domain and the default of an attribute: "int, at least 0, default 1"."""
    words = [attribute.type if not attribute.values else " | ".join(attribute.values)]
    if attribute.of:
        words[0] += f" of {attribute.of}"
    if attribute.low != -inf or attribute.high != inf:
        low, high = attribute.low, attribute.high
        words.append(f"{low:g} to {high:g}" if high != inf else f"at least {low:g}")
    if attribute.switch:
        words.append(f"where {attribute.switch} is on")
    if attribute.builder:
        words.append("not an attribute of the node")
    words.append("required" if attribute.required else f"default {attribute.default or 'none'}")
    if attribute.reader_default not in (None, attribute.default):
        words.append(f"{attribute.reader_default or 'empty'} in OpenVINO's reader")
    if attribute.reader_requires:
        place = "" if attribute.reader_requires == "yes" else f" where {attribute.reader_requires}"
        words.append(f"required by OpenVINO{place}")
    return ", ".join(words)


def port_phrase(port: PortSpec) -> str:
    """The element type and the rank of an input or output: "T, rank 1, optional"."""
    words = [port.type]
    if (port.low_rank, port.high_rank) != (0, inf):
        words.append(f"rank {port.ranks}")
    words.extend(
        word
        for word, applies in (
            ("optional", port.optional),
            ("required by OpenVINO", port.reader_requires),
            ("any number", port.variadic),
        )
        if applies
    )
    return ", ".join(words)
