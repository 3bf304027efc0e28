"""The op versions that each OpenVINO opset contains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from irops.spec.schemas import schemas_folder

SPECIFICATIONS = (
    "https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs"
)
OPSETS = tuple(f"opset{n}" for n in range(1, 18))


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


class Opsets:
    """All opsets: the versions of each type, looked up without regard to case."""

    def __init__(self) -> None:
        from xml.etree import ElementTree

        root = ElementTree.parse(schemas_folder() / "opsets.xml").getroot()
        self.versions: dict[str, tuple[OpVersion, ...]] = {
            op.attrib["type"].lower(): tuple(
                _version(op.attrib["type"], op.attrib["category"], v.attrib) for v in op
            )
            for op in root.findall("op")
        }
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
        is_opset = "opset" in version.lower()  # type_relaxed_opset is of OpenVINO's internals
        return versions[0].since if len(versions) == 1 and is_opset else None

    def all(self) -> tuple[OpVersion, ...]:
        return tuple(v for versions in self.versions.values() for v in versions)


def _version(type: str, category: str, attributes: dict[str, str]) -> OpVersion:
    opsets: set[str] = set()
    for part in attributes["in"].split():
        low, _, high = part.partition("..")
        opsets.update(f"opset{n}" for n in range(int(low), int(high or low) + 1))
    return OpVersion(
        type,
        attributes["since"],
        frozenset(opsets),
        attributes.get("category", category),
        attributes["page"],
        attributes.get("file", ""),
    )


def categories() -> tuple[str, ...]:
    """The categories of all ops of OpenVINO."""
    return tuple(sorted({version.category for version in opsets().all()}))


@cache
def opsets() -> Opsets:
    """The table of schemas/opsets.xml."""
    return Opsets()
