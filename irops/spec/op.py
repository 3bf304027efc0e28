"""An op: its definition with its functions, or the reason why it does not exist; and its names."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import unwrap
from math import inf

from irops.diagnostics.suggestions import closest
from irops.spec.binding import Functions
from irops.spec.definition import Attribute, Definition

MAX_DIGITS = 9


def is_version_number(text: str) -> bool:
    """Whether a text is a number of a version: ASCII digits, and few of them. str.isdigit accepts more."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def parted(id: str) -> tuple[str, str, int]:
    """The dialect, the type and the number of an id: ("", "ReverseSequence", 1); no dialect for OpenVINO's,
    and the number 0 where it has none.
    """
    dialect, _, whole = id.rpartition(":")
    name, dash, number = whole.rpartition("-")
    return (dialect, name, int(number)) if dash and is_version_number(number) else (dialect, whole, 0)


def number_of(id: str) -> int:
    """The number at the end of an id; 0 if it has none."""
    last = id.rsplit("-", 1)[-1]
    return int(last) if is_version_number(last) else 0


def meant_id(name: str, ids: Sequence[str], classes: Mapping[str, str]) -> str | None:
    """The id that a name is in any case, or that of the newest version of the type that it is.

    ids: those of a dialect; classes: the types that C++ classes of other names implement
    """
    lower = {op_id.lower(): op_id for op_id in ids}
    if name.lower() in lower:
        return lower[name.lower()]
    spelled = classes.get(name, name).lower()
    versions = [op_id for op_id in ids if op_id.rsplit("-", 1)[0].lower() == spelled]
    return max(versions, key=number_of, default=None)


def similar_ids(name: str, prefix: str, ids: Iterable[str]) -> list[str]:
    """Up to two ids like a name, of the newest version where the type is similar.

    prefix: the dialect that the name begins with; empty if it begins with none
    """
    plain = {op_id.removeprefix(f"{prefix}:"): op_id for op_id in sorted(ids, key=number_of)}
    newest = {word.rpartition("-")[0] or word: one for word, one in plain.items()}
    word = name.removeprefix(f"{prefix}:")
    stem, dash, number = word.rpartition("-")
    if dash and number.isdigit() and stem.lower() not in map(str.lower, newest):
        return [plain[near] for near in closest(word, plain)]
    return [newest[near] for near in closest(stem if dash else word, newest)]


def opset_named(text: str, title: str, opsets: Sequence[str]) -> str:
    """The name of an opset of a dialect, which may be given by its number.

    Raises:  ValueError if there is none
    """
    number = text.removeprefix("opset")
    for name in opsets:
        if name.removeprefix("opset") == number:
            return name
    there_are = f"there are {opsets[0]} to {opsets[-1]}" if opsets else "it has no opsets"
    raise ValueError(f"{title} has no opset {text!r}; {there_are}")


@dataclass(frozen=True, slots=True)
class Op:
    """A definition and the functions that implement it.

    min_inputs: the number of inputs that are not optional; is_variadic: whether the last input may repeat;
    axes: the attributes that name axes; counts: the attributes that may be any number of 0 or greater;
    reader_requires: index and name of the optional inputs that OpenVINO requires.
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
        object.__setattr__(self, "min_inputs", sum(not p.optional for p in ports))
        object.__setattr__(self, "is_variadic", bool(ports) and ports[-1].variadic)
        required = tuple((k, p.name) for k, p in enumerate(ports) if p.reader_requires)
        object.__setattr__(self, "reader_requires", required)
        object.__setattr__(self, "axes", tuple(a for a in attributes if a.type in ("axis", "axes")))
        counts = frozenset(a.name for a in attributes if a.type == "int" and a.low <= 0 and a.high == inf)
        object.__setattr__(self, "counts", counts)

    def places(self) -> dict[str, tuple[str, int]]:
        """File and line of the definition, and of each function by its role."""
        codes = {role: unwrap(one).__code__ for role, one in self.functions.by_role().items()}
        lines = {role: (code.co_filename, code.co_firstlineno) for role, code in codes.items()}
        return {"definition": (self.definition.path, 1), **lines}

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
    def undefined(cls, op: str, note: str = "", *, once: bool = False) -> "NoOp":
        """An op that exists and that irops does not define. op: its name in a sentence; note: follows it."""
        subject = f"irops has no definition of {op}"
        message = f"{subject}; its outputs are as the file declares them{note}"
        return cls("undefined-op", message, once=once, subject=subject)
