"""Definitions and references in a definition: its parts, the ops it names, the code of its functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol.types import Location

from irops.server.definitions.outline import NAMES, DefinitionOutline, DefinitionPlace
from irops.server.definitions.references import KINDS, part_at
from irops.server.navigation import line_location
from irops.server.op_lookup import OpLookup, places
from irops.server.outline import OutlineNode, attributes
from irops.server.text import Text
from irops.spec.definition import definition_id
from irops.spec.schemas import PACKAGE, schemas_folder
from irops.spec.text import snake_case
from irops.spec.types import OPENVINO

MAX_CODE = 1 << 20
"""Modules with more bytes are not searched."""


def definitions(place: DefinitionPlace, ops: OpLookup, text: Text, uri: str, path: str) -> list[Location]:
    """Where what is at a place is defined; for the op itself and its constraints, the code.

    path: of the file
    """
    part = part_at(place)
    if part is not None:
        return [_location(uri, text, place.outline.parts[part[0]][part[1]])]
    tag, name = place.node.tag, place.attribute.name if place.attribute else ""
    if place.rule is None or not place.in_head:
        return []
    if (tag, name) == ("layer", "same-as"):
        op = ops.page_of(place.word)
        return [] if op is None else [line_location(file, line) for file, line in places(op)]
    if tag == "layer" and name in ("", "type", "version", "module"):
        return _code(place.outline, path, _bindings(place.outline))
    if tag == "constraint" and name in ("", "id"):
        quoted = re.escape(place.outline.value(place.node, "id"))
        return _code(place.outline, path, re.compile(rf"""["']{quoted}["']"""))
    return []


def references(
    place: DefinitionPlace, text: Text, uri: str, path: str, *, declaration: bool
) -> list[Location]:
    """The elements that refer to the part at a place, and the code that cites a constraint."""
    outline = place.outline
    part = part_at(place) or _defined_at(place)
    if part is None:
        return []
    kind, name = part
    found = [_location(uri, text, outline.parts[kind][name])] if declaration else []
    found.extend(_location(uri, text, node) for node in _referring(outline, kind, name))
    if kind == "constraint":
        found.extend(_code(outline, path, re.compile(rf"""["']{re.escape(name)}["']""")))
    return found


def _defined_at(place: DefinitionPlace) -> tuple[str, str] | None:
    """The part that the element at a place defines."""
    if place.node.tag not in NAMES or place.rule is None:
        return None
    name = place.outline.value(place.node, NAMES[place.node.tag])
    for kind, parts in place.outline.parts.items():
        if parts.get(name) is place.node:
            return kind, name
    return None


def _referring(outline: DefinitionOutline, kind: str, name: str) -> Iterator[OutlineNode]:
    ahead = [] if outline.layer is None else [outline.layer]
    while ahead:
        node = ahead.pop()
        ahead.extend(child for child in reversed(node.children) if child.tag != "net")
        is_case = node.tag == "data" and node.above("example", "counterexample") is not None
        for span in attributes(outline.text, node):
            words = (word.removeprefix("@").partition("=")[0] for word in span.value.split())
            names_it = kind in KINDS.get((node.tag, span.name), ()) and name in words
            if names_it or (is_case and kind == "attribute" and span.name == name):
                yield node
                break


def _bindings(outline: DefinitionOutline) -> re.Pattern[str]:
    """The decorators that bind functions to the op."""
    layer = outline.layer
    dialect = outline.value(layer, "dialect") or OPENVINO
    op = definition_id(dialect, outline.value(layer, "type"), outline.value(layer, "version"))
    return re.compile(rf"""^@(?:shape|kernel|values|gradient)\(\s*["']{re.escape(op)}["']""", re.MULTILINE)


def _code(outline: DefinitionOutline, path: str, wanted: re.Pattern[str]) -> list[Location]:
    """The lines of the module of the definition with a text. Nothing is imported."""
    file = _module(outline, Path(path))
    try:
        if not file.is_file() or file.stat().st_size > MAX_CODE:
            return []
        content = file.read_text("utf-8", "replace")
    except (OSError, ValueError):  # a name that no system accepts
        return []
    lines = sorted({content.count("\n", 0, match.start()) + 1 for match in wanted.finditer(content)})
    return [line_location(str(file), line) for line in lines or (1,)]


def _module(outline: DefinitionOutline, path: Path) -> Path:
    """The file with the functions of the definition."""
    layer = outline.layer
    name = outline.value(layer, "module") or snake_case(outline.value(layer, "type"))
    if path.resolve().is_relative_to(schemas_folder().resolve()):
        return PACKAGE / "ops" / outline.value(layer, "category") / f"{name}.py"
    return path.parent / f"{name}.py"


def _location(uri: str, text: Text, node: OutlineNode) -> Location:
    return Location(uri, text.range(node.start, node.head_end))
