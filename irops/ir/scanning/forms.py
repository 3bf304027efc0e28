"""What layers have in common whose texts differ only in ids, names and offsets of weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from sys import intern

from irops.ir.attributes import Attributes
from irops.ir.model import Layer, Port
from irops.ir.ports import names_of
from irops.ir.scanning.ports import PortForm, PortForms, without_names
from irops.ir.scanning.texts import ATTRIBUTES, VALUE, Numbers, attributes, value

OFFSET = ' offset="'
_MOST, _LONGEST = 10_000, 4000
"""How many forms are kept, and how many characters their texts have at most."""
_GRAPH = "<layers>"


@dataclass(frozen=True, slots=True)
class LayerForm:
    """A layer but for its id, its name, the names of its ports and the offset in its data.

    Byte offsets count from the attribute type.
    """

    type: str
    version: str
    output_names: tuple[str, ...] | None
    data: dict[str, str]
    data_at: int | None
    inputs: tuple[PortForm, ...]
    outputs: tuple[PortForm, ...]

    def layer(self, number: int, name: str, at: int, place: int) -> Layer:
        """A layer of which nothing else is left out. at: its offset; place: that of its attribute type"""
        ports = [
            [Port(label, kind, dims, (), None, {}, (), place + far) for far, label, kind, dims, _, _ in forms]
            for forms in (self.inputs, self.outputs)
        ]
        return self.with_ports(number, name, at, place, *ports)

    def with_ports(
        self, number: int, name: str, at: int, place: int, inputs: list[Port], outputs: list[Port]
    ) -> Layer:
        """A layer with some ports."""
        return Layer(
            number,
            name,
            self.type,
            self.version,
            self.data.copy(),
            inputs,
            outputs,
            {},
            self.output_names,
            None,
            {},
            (),
            at,
            -1 if self.data_at is None else place + self.data_at,
        )


class LayerForms:
    """The forms of layers at one depth.

    complete: those of layers without names of ports and offsets, by their texts from the attribute type on
    """

    def __init__(self, indent: int, numbers: Numbers, read: Attributes) -> None:
        self.complete: dict[str, LayerForm] = {}
        self.ports = PortForms(indent + 2, numbers, read)
        self._others: dict[str, LayerForm] = {}
        self._layer, self._limits = _layer_at(indent), read.faults.limits

    def layer(self, number: int, name: str, at: int, place: int, text: str) -> Layer | None:
        """A layer; None if it has more than attributes and ports, or is not canonical.

        at: its byte offset; text: from the attribute type on, without the last line end; place: the byte
        offset of text
        """
        if _GRAPH in text:
            return None
        head, names = without_names(text)
        before, mark, rest = head.partition(OFFSET)
        if mark:
            offset, quote, rest = rest.partition('"')
            head = f"{before}{OFFSET}{quote}{rest}"
        else:
            offset = ""
        form = self._others.get(head) or self._new(head, len(names), is_complete=head == text)
        if form is None:
            return None
        names.reverse()
        inputs, shifted = self.ports.ports(form.inputs, place + len(offset), names)
        outputs, _ = self.ports.ports(form.outputs, shifted, names)
        layer = form.with_ports(number, name, at, place, inputs, outputs)
        if mark:
            layer.data["offset"] = value(offset)
        return layer

    def _new(self, text: str, names: int, *, is_complete: bool) -> LayerForm | None:
        match = self._layer.fullmatch(text + "\n")
        if match is None:
            return None
        kind, version, output_names, data, inputs, outputs = match.groups()
        form = LayerForm(
            intern(value(kind)),
            intern(value(version)),
            None if output_names is None else names_of(value(output_names)),
            attributes(data, self._limits.attributes) if data else {},
            None if data is None else match.start("data") - len("<data"),
            self.ports.of(inputs or "", match.start("inputs"), is_output=False),
            self.ports.of(outputs or "", match.start("outputs"), is_output=True),
        )
        if sum(port.is_named for port in (*form.inputs, *form.outputs)) != names:
            return None  # an attribute of data is called names
        forms = self.complete if is_complete and not names and OFFSET not in text else self._others
        if len(forms) < _MOST and len(text) < _LONGEST:
            forms[text] = form
        return form


@lru_cache
def _layer_at(indent: int) -> re.Pattern[str]:
    """Matches a layer with an indent of that many tabs, from its attribute type up to its end tag."""
    tabs = "\t" * (indent + 1)
    lines = f"(?:{tabs}\t[^\n]*+\n)*+"
    return re.compile(
        f' type="(?!")({VALUE})" version="(?!")({VALUE})"(?: output_names="({VALUE})")?>\n'
        f"(?:{tabs}<data(?P<data>{ATTRIBUTES}) />\n)?"
        f"(?:{tabs}<input>\n(?P<inputs>{lines}){tabs}</input>\n)?"
        f"(?:{tabs}<output>\n(?P<outputs>{lines}){tabs}</output>\n)?"
    )
