"""An op: its definition with its functions, or the reason why it does not exist."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from irops.spec.binding import Functions
from irops.spec.definition import Attribute, Definition


@dataclass(frozen=True, slots=True)
class Op:
    """A definition and the functions that implement it.

    min_inputs: the number of inputs up to the last that is not optional; is_variadic: whether the last
    input may repeat; axes: the attributes that name axes; counts: the attributes that may be any number of 0
    or greater; reader_requires: index and name of the optional inputs that OpenVINO requires.
    """

    definition: Definition
    functions: Functions
    module: str
    id: str = field(init=False, compare=False)
    min_inputs: int = field(init=False, compare=False)
    is_variadic: bool = field(init=False, compare=False)
    axes: tuple[Attribute, ...] = field(init=False, compare=False)
    counts: frozenset[str] = field(init=False, compare=False)
    reader_requires: tuple[tuple[int, str], ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        ports = self.definition.inputs
        attributes = self.definition.attributes.values()
        object.__setattr__(self, "id", self.definition.id)
        last = max((k for k, p in enumerate(ports, 1) if not p.optional), default=0)
        object.__setattr__(self, "min_inputs", last)
        object.__setattr__(self, "is_variadic", bool(ports) and ports[-1].variadic)
        required = tuple((k, p.name) for k, p in enumerate(ports) if p.reader_requires)
        object.__setattr__(self, "reader_requires", required)
        object.__setattr__(self, "axes", tuple(a for a in attributes if a.type in ("axis", "axes")))
        counts = frozenset(a.name for a in attributes if a.type == "int" and a.low <= 0 and a.high == inf)
        object.__setattr__(self, "counts", counts)

    def __repr__(self) -> str:
        return f"<Op {self.id}>"


@dataclass(frozen=True, slots=True)
class NoOp:
    """Why the type and version of a layer do not name an op: the name of a rule, a message and notes.

    subject: the part of the message that says which op is not defined; once: reported once for all such
    layers of a model; right: an attribute of the layer and its correct value, where only one is possible.
    """

    rule: str
    message: str
    notes: tuple[str, ...] = ()
    once: bool = False
    right: tuple[str, str] | None = None
    subject: str = ""

    @classmethod
    def undefined(cls, op: str, note: str = "", *, once: bool = False) -> NoOp:
        """An op that exists and that irops does not define. op: its name in a sentence; note: follows it."""
        subject = f"irops has no definition of {op}"
        message = f"{subject}; its outputs are as the file declares them{note}"
        return cls("undefined-op", message, once=once, subject=subject)
