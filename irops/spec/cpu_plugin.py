"""What the CPU plug-in of OpenVINO does not compile: the table of schemas/cpu_plugin.xml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from irops.spec.schemas import schemas_folder


@dataclass(frozen=True, slots=True)
class Refused:
    """Element types that the plug-in does not compile as an input of an op.

    of: the type variable of the input, or its name; when: "static", only if the shapes of all inputs are
    static, "variable", only if the layer depends on an input of the model, "constant", only if it does not,
    or "" for always; beside: an attribute or another type variable that must have one of the types in others,
    "" for none.
    """

    op: str
    of: str
    types: frozenset[str]
    when: str = ""
    beside: str = ""
    others: frozenset[str] = frozenset()


class CpuPlugin:
    """The entries of the table by op.

    release: with which they were measured; instructions: those of the x86-64 processor on which they were
    measured. A processor that has fewer refuses more, apart from bf16, which it converts.
    """

    def __init__(self, release: str, instructions: Iterable[str], entries: Iterable[Refused]) -> None:
        self.release, self.instructions = release, frozenset(instructions)
        by_op: dict[str, list[Refused]] = {}
        for entry in entries:
            by_op.setdefault(entry.op, []).append(entry)
        self._by_op = {op: tuple(refused) for op, refused in by_op.items()}
        self.types: Mapping[str, frozenset[str]] = {
            op: frozenset(name for entry in refused for name in entry.types)
            for op, refused in self._by_op.items()
        }
        """By op, the element types that the plug-in refuses for some input, at least sometimes."""

    def refused(self, op: str) -> tuple[Refused, ...]:
        """What the plug-in refuses of an op."""
        return self._by_op.get(op, ())

    @property
    def ops(self) -> frozenset[str]:
        return frozenset(self._by_op)


@cache
def cpu_plugin() -> CpuPlugin:
    """The table of schemas/cpu_plugin.xml."""
    from xml.etree import ElementTree

    root = ElementTree.parse(schemas_folder() / "cpu_plugin.xml").getroot()
    entries = (
        Refused(
            op,
            entry.attrib["of"],
            frozenset(entry.attrib["types"].split()),
            entry.get("when", ""),
            entry.get("beside", ""),
            frozenset(entry.get("others", "").split()),
        )
        for entry in root.findall("refused")
        for op in (entry.text or "").split()
    )
    return CpuPlugin(root.attrib["release"], root.attrib["instructions"].split(), entries)
