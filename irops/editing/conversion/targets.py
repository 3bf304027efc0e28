"""The target of a conversion, a release or an opset; its result, or why a layer cannot be converted."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.needs import Need, needs
from irops.diagnostics.printable import shortened
from irops.ir.model import Model
from irops.spec.releases import opsets, releases


class NotConvertibleError(Exception):
    """A step does not apply to a node; the text is the reason, to be read after the name of a layer."""


class OtherFormError(NotConvertibleError):
    """A step is for nodes of another kind; the reason is of interest only if no other step gives one."""


@dataclass(frozen=True, slots=True)
class Change:
    """A layer that was converted.

    path: the layers and bodies down to its graph; before: its op; after: the ops in its place; rounds: what
    its results may differ by, empty where they are equal bit for bit
    """

    layer: str
    path: tuple[str, ...]
    before: str
    after: tuple[str, ...]
    rounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted model. label: of the target; notes: what is different about its results, or its file"""

    model: Model
    label: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    def summary(self) -> Iterator[str]:
        """A line for each kind of change: 3 SoftMax-8 -> SoftMax-1."""
        counts = Counter((change.before, change.after) for change in self.changes)
        for (before, after), count in counts.items():
            ops = ", ".join(dict.fromkeys(after)) or "removed"
            yield f"{count} {before} -> {ops}"


def notes_of(changes: list[Change]) -> list[str]:
    """The differences that results may have, a sentence for each step that rounds, with the layers that it
    concerns.
    """
    layers: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        for text in change.rounds:
            layers.setdefault((change.before, text), []).append(change.layer)
    return [
        f"{before}: {text} ({_listed(names)}); results may differ in the last digits"
        for (before, text), names in layers.items()
    ]


def _listed(names: list[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f'"{shortened(names[0])}"{more}'


NEWEST = "newest"


class Target(ABC):
    """A reader of models. label: how messages call it"""

    label: str
    reads_short_files = True

    @abstractmethod
    def reads_op(self, type: str, version: str) -> bool: ...

    def reads_type(self, name: str) -> bool:  # noqa: ARG002
        return True

    def reads_input(self, op: str, types: tuple[str, ...], element_type: str) -> bool:  # noqa: ARG002
        return True

    @abstractmethod
    def unread(self, analysis: ModelAnalysis) -> Iterator[Need]: ...


class ReleaseTarget(Target):
    """A release of OpenVINO, by its name in the table of releases."""

    def __init__(self, name: str) -> None:
        self.name, self.label = name, f"OpenVINO {name}"
        self.reads_short_files = releases().reads(name, releases().of_feature("below-512-bytes"))

    def reads_op(self, type: str, version: str) -> bool:
        return releases().reads(self.name, releases().of_op(type, version))

    def reads_type(self, name: str) -> bool:
        table = releases()
        since = table.newest_of((table.of_type(name, constant=True), table.of_order(name)))
        return table.reads(self.name, since)

    def reads_input(self, op: str, types: tuple[str, ...], element_type: str) -> bool:
        return releases().reads(self.name, releases().of_input(op, types, element_type))

    def unread(self, analysis: ModelAnalysis) -> Iterator[Need]:
        """The features that the release does not read, without the length of the file, set on writing."""
        for need in needs(analysis):
            is_own = need.layer is not None and need.rule != "extension-library"
            if is_own and not releases().reads(self.name, need.since):
                yield need


class OpsetTarget(Target):
    """A reader that has the opsets up to a number, and every element type."""

    def __init__(self, number: int) -> None:
        self.number, self.label = number, f"opset{number}"

    def reads_op(self, type: str, version: str) -> bool:  # noqa: ARG002
        return _number(version) <= self.number

    def unread(self, analysis: ModelAnalysis) -> Iterator[Need]:
        for graph in analysis.graphs:
            for node in graph.layers.values():
                layer = node.layer
                if node.op is not None and _number(layer.version) > self.number:
                    what = f"is {layer.type} of {layer.version}"
                    yield Need("op-newer-than-target", what, layer.version, graph, layer, layer.at, "version")


def _number(version: str) -> int:
    """The number of an opset; 0 for versions of the registry that are none."""
    number = re.fullmatch(r"opset(\d{1,4})", version, re.ASCII)
    return 0 if number is None else int(number[1])


def target_named(text: str) -> Target:
    """The target of a text: 2023.0, opset:8 (or opset8), newest.

    Raises:  ValueError, with the known targets
    """
    if text == NEWEST:
        return ReleaseTarget(releases().names[-1])
    opset = re.fullmatch(r"opset:?(\d{1,4})", text.strip(), re.ASCII)
    if opset is None:
        return ReleaseTarget(releases().named(text, (f"opset:1 to opset:{len(opsets().names)}", NEWEST)))
    if not 1 <= int(opset[1]) <= len(opsets().names):
        raise ValueError(f"opset {opset[1]} is not one of opset:1 to opset:{len(opsets().names)}")
    return OpsetTarget(int(opset[1]))
