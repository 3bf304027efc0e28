"""A definition of one op of one version, as its XML says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from irops.diagnostics.rule import Severity
from irops.values.element import Array, ElementType
from irops.values.shape import Shape


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of <data>. default: the specification's; reader_default: what OpenVINO takes where it is
    missing (same, if not said).

    stands_for: the attribute or input, under another name, of the op whose functions are shared; label: its
        dialect's spelling, where
    that is no name; switch: what must be on for it to count; builder: it is said where a graph is built, and
    no attribute of its node.
    """

    name: str
    type: str
    text: str = ""
    of: str | None = None
    required: bool = False
    default: str | None = None
    reader_default: str | None = None
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
        """Its name as functions take it: a Python name has no dashes (exclude-pad) and no dots
        (auto_broadcast.auto_broadcast_axis).
        """
        return self.name.rpartition(".")[2].replace("-", "_")


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """T1, T2 …: one element type, the same wherever the variable stands, out of some."""

    name: str
    allowed: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class PortSpec:
    """An input or output. type: a type variable, a set of types by name, or @attribute; shape: a stock rule,
    of an output.

    stands_for: the input, under another name, of the op whose functions are shared.
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
    shape: tuple[str, ...] = ()
    stands_for: str | None = None


@dataclass(frozen=True, slots=True)
class Gradient:
    """How the gradient of the outputs reaches an input. Inputs without one are reached by none.

    saves: the inputs and outputs that are kept for it; when: the attribute without which it is not reached,
        if there is one.
    """

    of: str
    text: str
    saves: tuple[str, ...] = ()
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Constraint:
    """A numbered requirement. when: at inference, or only when values are known (run). of: the attributes
    that it is about, if no input.
    """

    id: str
    text: str
    when: str = "infer"
    severity: Severity = Severity.ERROR
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A remark: a decision where specification and runtime differ. of: what it concerns, or None for
    the op.
    """

    text: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of an example; value None where only type and shape are given."""

    name: str
    element_type: ElementType
    shape: Shape
    value: Array | None
    output: bool


@dataclass(frozen=True, slots=True)
class Case:
    """An example, or a counterexample of the constraint (or generic rule) that it violates. net: a whole
    model as XML, if any.
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
    """All that is said of an op of one version.

    file_id: the id that its file is named for, where that holds later versions too; same_as: the op of
        OpenVINO whose functions are
    its own, given: attributes of that op, as texts, that this one has not; later: attributes that the file
        has for later versions.
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
    cases_source: Any = field(
        repr=False, compare=False, default=None
    )  # parsed only when asked for: see spec.cases
    same_as: str | None = None
    given: tuple[tuple[str, str], ...] = ()
    file_id: str = ""
    later: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        """ReverseSequence-1: the type and the number of the opset that brought this version; in other
        dialects than OpenVINO's behind the dialect and a colon.
        """
        return definition_id(self.dialect, self.type, self.version)

    @property
    def page(self) -> str:
        """The id as the name of a file, which has no colon."""
        return self.file_id.replace(":", "-")

    def __str__(self) -> str:
        return self.id


def definition_id(dialect: str, type: str, version: str) -> str:
    name = "-".join(filter(None, (type, version.removeprefix("opset"))))
    return name if dialect == "openvino" else f"{dialect}:{name}"
