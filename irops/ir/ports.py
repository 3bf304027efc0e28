"""Reads the ports of layers: ids, precisions, dims and tensor names."""

from __future__ import annotations

from irops.diagnostics.rule import Severity
from irops.ir.attributes import Attributes
from irops.ir.model import Element, Port
from irops.ir.numbers import INT64_MAX, integer, prefix_note
from irops.ir.parse import SEPARATOR
from irops.values.element import element_type_of_precision

DYNAMIC = -1


class Ports:
    """Reads the ports of one file. Texts are parsed once and cached, since most ports are alike."""

    __slots__ = ("_dims", "_precisions", "faults", "read")

    def __init__(self, read: Attributes) -> None:
        self.read, self.faults = read, read.faults
        self._dims: dict[str, tuple[int, ...]] = {"": ()}
        self._precisions: dict[str, str] = {}

    def of(self, section: Element, others: list[Element]) -> list[Port]:
        """The ports in <input> or <output>. Appends its other children to others. A malformed id is -1."""
        ports: list[Port] = []
        numbers, all_dims, precisions = self.read.numbers, self._dims, self._precisions
        for element in section.children:
            if element.tag != "port":
                others += self.read.unknown_children(Element(section.tag, children=[element]))
                continue
            attributes = element.attributes
            number = numbers.get(attributes.get("id", ""))
            if number is None:
                number = self.read.number(element, "id", f"an {section.tag} port", -1)
            else:
                del attributes["id"]
            dims = all_dims.get(element.text)
            if dims is None:
                dims = self._new_dims(element, f"{section.tag} port {number}")
            precision = attributes.pop("precision", None)
            if precision not in precisions:
                self._new_precision(element, precision, number, section.tag)
            names = attributes.pop("names", None)
            port = Port(
                number,
                precisions.get(precision or ""),
                dims,
                () if names is None else names_of(names),
                None,
                attributes,
                (),
                element.at,
            )
            if attributes:
                self.read.rest(element)
            if element.children:
                self._children(port, element)
            ports.append(port)
        return ports

    def _new_dims(self, element: Element, owner: str) -> tuple[int, ...]:
        texts = element.text.split(SEPARATOR)[:-1]
        before = len(self.faults.findings)
        dims = tuple([self._dim(text, element, k, owner) for k, text in enumerate(texts)])
        if len(self.faults.findings) == before:
            self._dims[element.text] = dims
        return dims

    def _dim(self, text: str, element: Element, index: int, owner: str) -> int:
        value, plain = integer(text.strip(" \t\r\n"))
        if plain and value is not None and DYNAMIC <= value <= INT64_MAX:
            return value
        if value is None or not DYNAMIC <= value <= INT64_MAX:
            self.faults.add(
                "malformed-dimension",
                f"{owner} has the dimension {text.strip()!r}, must be an integer of 0 or greater,"
                " or -1 if it is dynamic",
                element.at,
                child=("dim", index),
                notes=prefix_note(text),
            )
            return DYNAMIC
        self.faults.add(
            "noncanonical-number",
            f"dimension {text.strip()!r} of {owner} is not in canonical form, must be {value}",
            element.at,
            child=("dim", index),
        )
        return value

    def _new_precision(self, element: Element, precision: str | None, number: int, side: str) -> None:
        """Cache a valid precision; report an invalid one. OpenVINO does not read that of an input port."""
        if precision is None:
            if side == "output":
                self.faults.add("incomplete-element", f"output port {number} has no precision", element.at)
            return
        try:
            element_type_of_precision(precision)
        except ValueError:
            what = f"{side} port {number} has the precision {precision!r}"
            self.faults.add(
                "unknown-precision",
                f"{what}, must be an element type such as FP32, I64, BOOL",
                element.at,
                attribute="precision",
                level=Severity.ERROR if side == "output" else Severity.WARNING,
                notes=(
                    (
                        "OpenVINO refuses the file"
                        if side == "output"
                        else "OpenVINO ignores the precision of an input port"
                    ),
                ),
            )
        else:
            self._precisions[precision] = precision

    def _children(self, port: Port, element: Element) -> None:
        unknown: list[Element] = []
        for child in element.children:
            if child.tag == "rt_info" and port.rt_info is None:
                port.rt_info, self.read.has_rt_info = self.read.preserved(child), True
            elif child.tag == "rt_info":
                unknown.append(self.read.duplicate(child, element))
            elif child.tag == "dim":  # a dim that contains elements
                unknown.extend(self.read.unknown(inner, child) for inner in child.children)
            else:
                unknown.append(self.read.unknown(child, element))
        port.unknown = tuple(unknown)


def names_of(text: str) -> tuple[str, ...]:
    r"""Tensor names, separated by commas; \, is a comma in a name. Drops empty names, as OpenVINO does."""
    if "," not in text:
        return (text,) if text else ()
    parts = text.replace("\\,", "\0").split(",")
    return tuple(part.replace("\0", ",") for part in parts if part)
