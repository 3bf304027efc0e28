"""Reads canonical port sections. Equal sections are read once."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from irops.ir.attributes import Attributes
from irops.ir.model import Port
from irops.ir.ports import names_of
from irops.ir.scanning.elements import elements
from irops.ir.scanning.texts import NUMBER, VALUE, NotCanonical, Numbers, value
from irops.values.element import element_type_of_precision

NAMES = ' names="'
_DIM = re.compile(f"<dim>(-1|{NUMBER})</dim>")
_MOST, _LONGEST = 10_000, 4000
"""How many sections are kept, and how many characters they have at most."""


class PortForm(NamedTuple):
    """What equal ports have in common.

    at: the offset in the text that contains the port, in which names are left out; rt_info: its text, and the
    offset of that from the port
    """

    at: int
    id: int
    precision: str | None
    dims: tuple[int, ...]
    is_named: bool
    rt_info: tuple[int, str] | None


class PortForms:
    """Reads the sections <input> and <output> of layers at one depth."""

    def __init__(self, indent: int, numbers: Numbers, read: Attributes) -> None:
        self._numbers, self._read, self._limits = numbers, read, read.faults.limits
        self._port, self._indent = _port(), indent
        self._sections: dict[str, tuple[PortForm, ...]] = {}
        self._dims: dict[str, tuple[int, ...]] = {}
        self._precisions: set[str] = set()

    def of(self, section: str, at: int, *, is_output: bool) -> tuple[PortForm, ...]:
        """The ports in the content of a section without their names. at: the offset of the content.

        Raises:  NotCanonical
        """
        forms = self._sections.get(section)
        if forms is None:
            forms = self._new(section)
            if len(self._sections) < _MOST and len(section) < _LONGEST:
                self._sections[section] = forms
        if is_output and any(form.precision is None for form in forms):
            raise NotCanonical
        return tuple([PortForm(at + form[0], *form[1:]) for form in forms])

    def _new(self, section: str) -> tuple[PortForm, ...]:
        forms, position = [], 0
        while position < len(section):
            port = self._port.match(section, position)
            if port is None:
                raise NotCanonical
            tabs, number, precision, names, before, dims, after = port.groups()
            if len(tabs) != self._indent:
                raise NotCanonical
            at = position + self._indent
            forms.append(
                PortForm(
                    at,
                    self._numbers[number],
                    self._precision(precision),
                    self._dims_of(dims or ""),
                    names is not None,
                    _rt_info(before, port.start(5) - at, after, port.start(7) - at),
                )
            )
            position = port.end()
        if len({form.id for form in forms}) < len(forms):
            raise NotCanonical
        return tuple(forms)

    def _precision(self, text: str | None) -> str | None:
        if text is not None and text not in self._precisions:
            try:
                element_type_of_precision(text)
            except ValueError:
                raise NotCanonical from None
            self._precisions.add(text)
        return text

    def _dims_of(self, text: str) -> tuple[int, ...]:
        dims = self._dims.get(text)
        if dims is None:
            dims = tuple(map(int, _DIM.findall(text)))
            if len(dims) > self._limits.dims:
                raise NotCanonical
            if len(self._dims) < _MOST and len(text) < _LONGEST:
                self._dims[text] = dims
        return dims

    def ports(self, forms: tuple[PortForm, ...], place: int, names: list[str]) -> tuple[list[Port], int]:
        """Ports of some forms, and the place from which the forms after them count.

        place: the byte offset from which these forms count; names: the texts of names in reverse order, from
        which those of these ports are removed
        """
        ports = []
        for at, number, precision, dims, is_named, rt_info in forms:
            port = Port(number, precision, dims, (), None, {}, (), place + at)
            if is_named:
                text = names.pop()
                port.names = names_of(value(text))
                place += len(text)
            if rt_info is not None:
                behind, text = rt_info
                self._read.has_rt_info = True
                port.rt_info = elements(text, place + at + behind, self._indent + 1, self._limits)[0]
            ports.append(port)
        return ports, place


def _rt_info(before: str | None, at: int, after: str | None, behind: int) -> tuple[int, str] | None:
    """The runtime attributes of a port and their offset. Releases write them before or after the dims."""
    if before and after:
        raise NotCanonical
    if before:
        return at, before
    return (behind, after) if after else None


def count_named(forms: tuple[PortForm, ...]) -> int:
    return sum(form.is_named for form in forms)


def without_names(text: str) -> tuple[str, list[str]]:
    """A text in which the names of ports are empty, and the texts of the names."""
    names: list[str] = []
    if NAMES not in text:
        return text, names
    pieces = text.split(NAMES)
    for index in range(1, len(pieces)):
        name, quote, rest = pieces[index].partition('"')
        pieces[index] = f"{quote}{rest}"
        names.append(name)
    return NAMES.join(pieces), names


@cache
def _port() -> re.Pattern[str]:
    """Matches a port with its indent, without its names. Compiled when first used: it takes milliseconds."""
    rt_info = r"\1\t<rt_info(?: />\n|>\n(?:\1\t\t[^\n]*+\n)*+\1\t</rt_info>\n)"
    return re.compile(
        f'(\t++)<port id="({NUMBER})"(?: precision="({VALUE})")?({NAMES}")?'
        rf"(?: />\n|>\n({rt_info})?((?:\1\t<dim>(?:-1|{NUMBER})</dim>\n)*+)({rt_info})?\1</port>\n)"
    )
