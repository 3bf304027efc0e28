"""The definition of one version of an op, as read from its XML file."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from irops.diagnostics.diagnostic import Severity
from irops.html_table import html_table
from irops.values.element import Array, ElementType
from irops.values.shape import Shape


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of <data>.

    default: that of the specification; reader_default: the value that OpenVINO uses for a missing attribute,
    if it differs; reader_requires: whether OpenVINO refuses a layer without it, although the specification
    has a default: "yes", or "name=value" if it does so where another attribute has that value; stands_for:
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
    that it is about, if it is about attributes only.
    """

    id: str
    text: str
    when: str = "infer"
    severity: Severity = Severity.ERROR
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A note, such as a decision where specification and runtime differ. of: its subject, None for the op."""

    text: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of an example; value is None if the example has only its type and shape."""

    name: str
    element_type: ElementType
    shape: Shape
    value: Array | None
    output: bool


@dataclass(frozen=True, slots=True)
class Case:
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
    cases_source: Any = field(repr=False, compare=False, default=None)  # parsed on demand: see spec.cases
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
        """What notebooks show: attributes, inputs, outputs and constraints with their sentences."""
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
