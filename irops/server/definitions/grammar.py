"""The grammar of definitions as editors need it: what each element may contain, with its documentation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from xml.etree import ElementTree

from irops.server.outline import Vocabulary
from irops.spec.schemas import schemas_folder

_RNG = "{http://relaxng.org/ns/structure/1.0}"
_TEXT = "{http://relaxng.org/ns/compatibility/annotations/1.0}documentation"
ROOT = "layer"
NET = "net"
"""The element with a model of a case, whose content is not that of definitions."""


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """An attribute of an element. values: those that it may have; () where the grammar does not list them."""

    name: str
    text: str
    required: bool
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ElementRule:
    """An element. children: by their tags."""

    tag: str
    text: str
    attributes: dict[str, AttributeRule] = field(default_factory=dict)
    children: dict[str, ElementRule] = field(default_factory=dict)


@cache
def grammar() -> ElementRule:
    """The rule of the outermost element."""
    source = ElementTree.parse(schemas_folder() / "layer.rng").getroot()
    defines = {d.get("name", ""): d for d in source.iter(f"{_RNG}define")}
    holder = ElementRule("", "")
    for start in source.iter(f"{_RNG}start"):
        _read(start, holder, defines, required=True)
    return holder.children[ROOT]


@cache
def vocabulary() -> Vocabulary:
    """Where the elements of definitions may be."""
    parents: dict[str, tuple[str, ...]] = {}
    ahead = [grammar()]
    while ahead:
        rule = ahead.pop()
        for child in rule.children.values():
            parents[child.tag] = (*parents.get(child.tag, ()), rule.tag)
            ahead.append(child)
    return Vocabulary(ROOT, parents)


def rule_at(path: tuple[str, ...]) -> ElementRule | None:
    """The rule of an element by the tags from the outermost one down to it; None where the grammar has
    none.
    """
    rule: ElementRule | None = grammar() if path[:1] == (ROOT,) else None
    for tag in path[1:]:
        rule = None if rule is None else rule.children.get(tag)
    return rule


def _read(
    pattern: ElementTree.Element,
    rule: ElementRule,
    defines: dict[str, ElementTree.Element],
    *,
    required: bool,
) -> None:
    """Add what a pattern allows to a rule. required: whether it is not within an optional part."""
    for part in pattern:
        kind = part.tag.removeprefix(_RNG)
        if kind == "ref" and part.get("name") != "anything":
            _read(defines[part.get("name", "")], rule, defines, required=required)
        elif kind == "element" and part.get("name"):
            child = ElementRule(part.get("name", ""), _documentation(part))
            rule.children[child.tag] = child
            _read(part, child, defines, required=True)
        elif kind == "attribute" and part.get("name"):
            name = part.get("name", "")
            rule.attributes[name] = AttributeRule(
                name, _documentation(part), required, _values(part, defines)
            )
        elif kind in ("optional", "zeroOrMore", "oneOrMore", "choice"):
            _read(part, rule, defines, required=required and kind == "oneOrMore")


def _documentation(part: ElementTree.Element) -> str:
    return " ".join(part.findtext(_TEXT, "").split())


def _values(part: ElementTree.Element, defines: dict[str, ElementTree.Element]) -> tuple[str, ...]:
    """The values that an attribute lists."""
    inside = [part, *(defines[ref.get("name", "")] for ref in part.iter(f"{_RNG}ref"))]
    return tuple(value.text or "" for one in inside for value in one.iter(f"{_RNG}value"))
