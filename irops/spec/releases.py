"""Tables: the ops of each opset, what each release of OpenVINO reads, and what its CPU plug-in does not
compile.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from irops.diagnostics.suggestions import did_you_mean_word

PACKAGE = Path(__file__).resolve().parent.parent


@cache
def schemas_folder() -> Path:
    """The folder of definitions, grammars and opsets.

    Raises:  FileNotFoundError if the installation is incomplete
    """
    for folder in (PACKAGE / "schemas", PACKAGE.parent / "schemas"):  # as installed; as in a checkout
        if (folder / "opsets.xml").is_file():
            return folder
    message = f"irops is installed without its definitions: no schemas/opsets.xml in or beside {PACKAGE}"
    raise FileNotFoundError(message)


SPECIFICATIONS = (
    "https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs"
)


@dataclass(frozen=True, slots=True)
class OpVersion:
    """A version of an op. since: the opset that introduced it; opsets: all opsets that contain it; page: the
    name of its specification; file: where OpenVINO's documentation has that, or ''.
    """

    type: str
    since: str
    opsets: frozenset[str]
    category: str
    page: str
    file: str = ""

    @property
    def specification(self) -> str:
        """The URL of the page that specifies the op; '' if OpenVINO's documentation has none."""
        return f"{SPECIFICATIONS}/{self.file}.html" if self.file else ""

    @property
    def id(self) -> str:
        return f"{self.type}-{self.since.removeprefix('opset')}"

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The opset numbers as consecutive ranges, first and last: ((1, 1), (3, 16)) for 1 and 3 to 16."""
        runs: list[tuple[int, int]] = []
        for number in sorted(int(opset.removeprefix("opset")) for opset in self.opsets):
            if runs and runs[-1][1] == number - 1:
                runs[-1] = (runs[-1][0], number)
            else:
                runs.append((number, number))
        return tuple(runs)

    def ranges(self, prefix: str = "") -> str:
        """The runs in words: '1, 3 to 16', or with the prefix 'opset': 'opset1, opset3 to opset16'."""
        runs = ((f"{prefix}{first}", f"{prefix}{last}") for first, last in self.runs)
        return ", ".join(first if first == last else f"{first} to {last}" for first, last in runs)


class Opsets:
    """All opsets: names, the oldest first; versions of each type, looked up without regard to case."""

    def __init__(self) -> None:
        from xml.etree import ElementTree

        root = ElementTree.parse(schemas_folder() / "opsets.xml").getroot()
        self.versions: dict[str, tuple[OpVersion, ...]] = {
            op.attrib["type"].lower(): tuple(
                _version(op.attrib["type"], op.attrib["category"], v.attrib) for v in op
            )
            for op in root.findall("op")
        }
        opsets = {name for versions in self.versions.values() for v in versions for name in v.opsets}
        self.names = tuple(sorted(opsets, key=lambda name: int(name.removeprefix("opset"))))
        self.classes = {r.attrib["class"]: r.attrib["type"] for r in root.findall("renamed")}
        self.redirected = {
            (r.attrib["type"].lower(), version): r.attrib["to"]
            for r in root.findall("redirected")
            for version in r.attrib["version"].split()
        }

    def find(self, type: str, version: str) -> OpVersion | None:
        """The version of an op in an opset, as OpenVINO looks it up; None if the opset does not have it."""
        opset = self.redirected.get((type.lower(), version), version)
        return next((v for v in self.versions.get(type.lower(), ()) if opset in v.opsets), None)

    def meant(self, type: str, version: str) -> str | None:
        """The intended opset for an invalid version: another spelling of an opset that contains the type, or
        the opset of the only version of the op. None if it is ambiguous.
        """
        spelled = re.fullmatch(r"opset[ _-]*0*([1-9][0-9]?)", version.strip().lower(), re.ASCII)
        if spelled and self.find(type, f"opset{spelled[1]}") is not None:
            return f"opset{spelled[1]}"
        versions = self.versions.get(type.lower(), ())
        is_opset = version.strip().lower().startswith("opset")
        return versions[0].since if len(versions) == 1 and is_opset else None

    def all(self) -> tuple[OpVersion, ...]:
        return tuple(v for versions in self.versions.values() for v in versions)


def _version(type: str, category: str, attributes: dict[str, str]) -> OpVersion:
    opsets: set[str] = set()
    for part in attributes["in"].split():
        low, _, high = part.partition("..")
        opsets.update(f"opset{n}" for n in range(int(low), int(high or low) + 1))
    category, page = attributes.get("category", category), attributes["page"]
    file = attributes.get("file", "")
    return OpVersion(type, attributes["since"], frozenset(opsets), category, page, file)


def categories() -> tuple[str, ...]:
    """The categories of all ops of OpenVINO."""
    return tuple(sorted({version.category for version in opsets().all()}))


@cache
def opsets() -> Opsets:
    """The table of schemas/opsets.xml."""
    return Opsets()


UNRELEASED = "none"
"""In place of a release, where no release listed reads something."""


class Releases:
    """The releases, and since which of them something is read."""

    def __init__(self) -> None:
        from xml.etree import ElementTree

        root = ElementTree.parse(schemas_folder() / "releases.xml").getroot()
        self.names: tuple[str, ...] = tuple(element.attrib["name"] for element in root.findall("release"))
        self._places = {name: place for place, name in enumerate((*self.names, UNRELEASED))}
        self.opsets: dict[str, str] = {}
        """The release that completes each opset."""
        self._ops: dict[tuple[str, str], str] = {}
        for opset in root.findall("opset"):
            self.opsets[opset.attrib["name"]] = opset.attrib["since"]
            for ops in opset.findall("ops"):
                for op_type in (ops.text or "").split():
                    self._ops[op_type.lower(), opset.attrib["name"]] = ops.attrib["since"]

        def since(tag: str, keys: Callable[[Any], Iterable[Any]]) -> dict[Any, str]:
            return {key: element.attrib["since"] for element in root.findall(tag) for key in keys(element)}

        self._types = since("type", lambda e: [e.attrib["name"]])
        self._constants = since("constant", lambda e: [e.attrib["type"]])
        self._features = since("feature", lambda e: [e.attrib["name"]])
        self._orders = since("order", lambda e: e.attrib["types"].split())
        self._values = since("value", lambda e: [(e.attrib["op"], e.attrib["attribute"], e.text or "")])
        self._numbers = since("number", lambda e: (e.text or "").split())
        self._inputs = since(
            "input", lambda e: [(e.attrib["op"], e.attrib["type"], name) for name in (e.text or "").split()]
        )
        self.limited: frozenset[str] = frozenset(op for op, _, _ in self._inputs)
        """The ops of which some input takes an element type only in later releases."""

    @property
    def oldest(self) -> str:
        return self.names[0]

    def named(self, text: str, others: Sequence[str] = ()) -> str:
        """The release of a text: "2023.3" for "2023.3", "2023.3.0" and "2023.3.1".

        others: what the text may be besides a release
        Raises:  ValueError, with the known releases, the others, and the one that may be meant
        """
        number = re.fullmatch(r"(\d{4}\.\d+)(\.\d+)*", text.strip(), re.ASCII)
        if number is None or number[1] not in self.names:
            words = (*self.names, *others)
            # the name closest to 2022.1 is 2026.1, which nobody means by it: the year must be right
            alike = words if number is None else [name for name in words if name[:4] == number[1][:4]]
            known = f"{text!r} is no known release of OpenVINO; known are {', '.join(words)}"
            raise ValueError(f"{known}{did_you_mean_word(text, alike)}")
        return number[1]

    def reads(self, target: str, since: str | None) -> bool:
        """Whether a release reads what is read since another."""
        return since is not None and self._places[since] <= self._places[target]

    def newest_of(self, since: Iterable[str]) -> str:
        """The newest of some releases; the oldest of all, if there are none."""
        return max(since, key=self._places.__getitem__, default=self.oldest)

    def of_op(self, type: str, version: str) -> str | None:
        """Since when the type is read in an opset, which may be UNRELEASED; None where no opset has it."""
        found = opsets().find(type, version)
        if found is None:
            return None
        opset = opsets().redirected.get((type.lower(), version), version)
        return self._ops.get((type.lower(), opset), self.opsets.get(opset, UNRELEASED))

    def of_type(self, name: str, *, constant: bool = False) -> str:
        """Since when an element type is read, in general or in a constant."""
        known = self._types.get(name, self.oldest)
        return self._constants.get(name, known) if constant else known

    def of_order(self, name: str) -> str:
        """Since when the elements of a constant that share a byte are read in the order of today."""
        return self._orders.get(name, self.oldest)

    def of_input(self, op: str, types: Iterable[str], element_type: str) -> str:
        """Since when an input takes an element type. types: the name of the input and its type variable."""
        return self.newest_of(
            self._inputs[op, name, element_type] for name in types if (op, name, element_type) in self._inputs
        )

    def of_value(self, op: str, attribute: str, value: str) -> str | None:
        """Since when an attribute of an op takes a value; None where the table does not list the value."""
        return self._values.get((op, attribute, value.strip().lower()))

    def of_number(self, text: str) -> str:
        """Since when a number of an attribute is read as it is; older releases read inf and nan as 0."""
        return self._numbers.get(text.strip().lower(), self.oldest)

    def of_feature(self, name: str) -> str:
        return self._features.get(name, self.oldest)


@cache
def releases() -> Releases:
    """The table of schemas/releases.xml."""
    return Releases()


@dataclass(frozen=True, slots=True)
class RefusedTypes:
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

    def __init__(self, release: str, instructions: Iterable[str], entries: Iterable[RefusedTypes]) -> None:
        self.release, self.instructions = release, frozenset(instructions)
        by_op: dict[str, list[RefusedTypes]] = {}
        for entry in entries:
            by_op.setdefault(entry.op, []).append(entry)
        self._by_op = {op: tuple(refused) for op, refused in by_op.items()}
        self.types: Mapping[str, frozenset[str]] = {
            op: frozenset(name for entry in refused for name in entry.types)
            for op, refused in self._by_op.items()
        }
        """By op, the element types that the plug-in refuses for some input, at least sometimes."""

    def refused(self, op: str) -> tuple[RefusedTypes, ...]:
        """The element types that the plug-in refuses of an op."""
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
        RefusedTypes(
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
