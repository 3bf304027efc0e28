"""What each release of OpenVINO reads: the table of schemas/releases.xml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from irops.diagnostics.suggestions import did_you_mean_word
from irops.spec.opsets import opsets
from irops.spec.schemas import schemas_folder

UNRELEASED = "none"
"""In place of a release, where no release listed reads something."""


class Releases:
    """The releases, and since which of them something is read."""

    def __init__(self) -> None:
        from xml.etree import ElementTree

        root = ElementTree.parse(schemas_folder() / "releases.xml").getroot()
        self.names: tuple[str, ...] = tuple(one.attrib["name"] for one in root.findall("release"))
        self._places = {name: place for place, name in enumerate((*self.names, UNRELEASED))}
        self.opsets: dict[str, str] = {}
        """The release that completes each opset."""
        self._ops: dict[tuple[str, str], str] = {}
        for opset in root.findall("opset"):
            self.opsets[opset.attrib["name"]] = opset.attrib["since"]
            for ops in opset.findall("ops"):
                for op_type in (ops.text or "").split():
                    self._ops[op_type.lower(), opset.attrib["name"]] = ops.attrib["since"]
        self._types = {one.attrib["name"]: one.attrib["since"] for one in root.findall("type")}
        self._constants = {one.attrib["type"]: one.attrib["since"] for one in root.findall("constant")}
        self._features = {one.attrib["name"]: one.attrib["since"] for one in root.findall("feature")}
        self._orders = {
            name: one.attrib["since"] for one in root.findall("order") for name in one.attrib["types"].split()
        }
        self._inputs = {
            (one.attrib["op"], one.attrib["type"], name): one.attrib["since"]
            for one in root.findall("input")
            for name in (one.text or "").split()
        }
        self._values = {
            (one.attrib["op"], one.attrib["attribute"], one.text or ""): one.attrib["since"]
            for one in root.findall("value")
        }
        self._numbers = {
            name: one.attrib["since"] for one in root.findall("number") for name in (one.text or "").split()
        }
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
            raise ValueError(
                f"{text!r} is no known release of OpenVINO; known are {', '.join(words)}"
                f"{did_you_mean_word(text, words)}"
            )
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
