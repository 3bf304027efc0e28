"""What layers have in common whose texts differ only in ids, names and offsets of weights."""

from __future__ import annotations

import re
from functools import cache
from sys import intern
from typing import NamedTuple

from irops.ir.attributes import Attributes
from irops.ir.model import Layer, Port
from irops.ir.ports import names_of
from irops.ir.scanning.elements import elements
from irops.ir.scanning.ports import PortForm, PortForms, count_named, without_names
from irops.ir.scanning.texts import ATTRIBUTES, VALUE, Numbers, attributes, value

OFFSET = ' offset="'
_MOST, _LONGEST = 10_000, 4000
"""How many forms are kept, and how many characters their texts have at most."""
_GRAPH, _RT_INFO = "<layers>", "<rt_info>"


class LayerForm(NamedTuple):
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

    complete: those of layers of which nothing is left out, by their texts from the attribute type on
    """

    def __init__(self, indent: int, numbers: Numbers, read: Attributes) -> None:
        self.complete: dict[str, LayerForm] = {}
        self.ports = PortForms(indent + 2, numbers, read)
        self._others: dict[str, LayerForm] = {}
        self._layer, self._tabs = _layer(), "\t" * (indent + 1)
        self._read, self._limits = read, read.faults.limits

    def layer(self, number: int, name: str, at: int, place: int, text: str) -> Layer | None:
        """A layer; None if it has bodies, or other content than forms have, or is not canonical.

        at: its byte offset; text: from the attribute type on, without the last line end; place: the byte
        offset of text
        """
        if _GRAPH in text:
            return None
        start, end = self._rt_info(text) if _RT_INFO in text else (0, 0)
        left, names = without_names(text[:start] + text[end:] if end else text)
        before, mark, offset = left.partition(OFFSET)
        if mark:
            offset, quote, behind = offset.partition('"')
            left = f"{before}{OFFSET}{quote}{behind}"
        form = self._others.get(left) or self._new(left, len(names), mark, is_complete=left == text)
        if form is None:
            return None
        names.reverse()
        inputs, shifted = self.ports.ports(form.inputs, place + len(offset) + end - start, names)
        outputs, _ = self.ports.ports(form.outputs, shifted, names)
        layer = form.with_ports(number, name, at, place, inputs, outputs)
        if mark:
            layer.data["offset"] = value(offset)
        if end:
            self._read.has_rt_info = True
            tree = elements(text[start:end], place + start, len(self._tabs), self._limits)
            layer.rt_info = tree[0]
        return layer

    def _rt_info(self, text: str) -> tuple[int, int]:
        """The extent of the runtime attributes, if they are between data and ports; otherwise (0, 0)."""
        tabs = self._tabs
        start = text.find(f"\n{tabs}<rt_info>\n") + 1
        closed = f"{tabs}</rt_info>\n"
        last = text.find(f"\n{closed}", start) + 1 if start else 0
        end = last + len(closed)
        if not last or text.count("\n", 0, start) > 2 or text.startswith(f"{tabs}<data", end):
            return 0, 0
        return start, end

    def _new(self, text: str, names: int, offset: str, *, is_complete: bool) -> LayerForm | None:
        """The form of a text, from which names are left out, and an offset if there was one."""
        before = len(self._tabs) - 1
        match = self._layer.fullmatch(f"{self._tabs[1:]}{text}\n")
        if match is None:
            return None
        _, kind, version, output_names, data, inputs, outputs = match.groups()
        form = LayerForm(
            intern(value(kind)),
            intern(value(version)),
            None if output_names is None else names_of(value(output_names)),
            attributes(data, self._limits.attributes) if data else {},
            None if data is None else match.start("data") - before - len("<data"),
            self.ports.of(inputs or "", match.start("inputs") - before, is_output=False),
            self.ports.of(outputs or "", match.start("outputs") - before, is_output=True),
        )
        if count_named(form.inputs) + count_named(form.outputs) != names:
            return None  # other elements have an attribute of that name too
        if offset and "offset" not in form.data:
            return None
        forms = self.complete if is_complete and not names and not offset else self._others
        if len(forms) < _MOST and len(text) < _LONGEST:
            forms[text] = form
        return form


@cache
def _layer() -> re.Pattern[str]:
    """Matches the indent of a layer, and the layer from its attribute type up to its end tag."""
    lines = r"(?:(?P=tabs)\t\t[^\n]*+\n)*+"
    return re.compile(
        f'(?P<tabs>\t++) type="(?!")({VALUE})" version="(?!")({VALUE})"(?: output_names="({VALUE})")?>\n'
        rf"(?:(?P=tabs)\t<data(?P<data>{ATTRIBUTES}) />\n)?"
        rf"(?:(?P=tabs)\t<input>\n(?P<inputs>{lines})(?P=tabs)\t</input>\n)?"
        rf"(?:(?P=tabs)\t<output>\n(?P<outputs>{lines})(?P=tabs)\t</output>\n)?"
    )
