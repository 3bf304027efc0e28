"""Options of the server and answers of its worker: plain values, with lines and columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from irops.files.limits import Limits

GraphPath = tuple[int | str, ...]
"""Layer ids and names of bodies from the model down to a graph: (5, "body")."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of `irops server`; those that select findings come from the settings of the folder.

    definitions, modules: custom ops, whose code the server may run; docs: the address of a site that
    `irops docs` wrote, for links to the pages of rules; delay: seconds without typing before a check.
    """

    limits: Limits = field(default_factory=Limits)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    target: str | None = None
    rules: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    docs: str | None = None
    delay: float = 0.15


Place = tuple[int, int]
"""A line and a column in characters, both from 1."""


@dataclass(frozen=True, slots=True)
class FixRecord:
    """A fix. edits: start, end and the new text of each replacement."""

    what: str
    edits: tuple[tuple[Place, Place, str], ...]


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A finding; line and column are None where it is about the file as a whole."""

    code: str
    name: str
    is_error: bool
    message: str
    line: int | None
    column: int | None
    notes: tuple[str, ...] = ()
    fix: FixRecord | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one version of a text.

    outputs: type and shape of each output, by the path of the graph and the id of the layer; is_read: whether
    the text is a model, so that its outputs are those of the text
    """

    findings: tuple[FindingRecord, ...] = ()
    outputs: Mapping[tuple[GraphPath, int], tuple[str, ...]] = field(default_factory=dict)
    is_read: bool = True
