"""Completion in a definition: elements, attributes, and values that name parts of it, types, rules or ops."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from lsprotocol.types import CompletionList

from irops.diagnostics.rules import own_rules
from irops.dialects import dialects
from irops.ops.stock import RULES
from irops.server.completion import Item, Typed, listed
from irops.server.cursor import TagStart, tag_start
from irops.server.definitions.grammar import NET, ElementRule, rule_at
from irops.server.definitions.outline import DefinitionOutline, path_of
from irops.server.definitions.references import KINDS, TYPED, part_text, shared_op
from irops.server.op_lookup import OpLookup
from irops.server.outline import OutlineNode, names_in, values
from irops.server.text import Text
from irops.spec.opsets import OPSETS, opsets
from irops.spec.schemas import schemas_folder
from irops.spec.types import GROUPS
from irops.values.element import element_types

_LAST = re.compile(r"[^\s<>]*\Z")
REACH = 200
FIRST_IS_RULE = ("port", "shape")


def completions(
    outline: DefinitionOutline, text: Text, offset: int, ops: OpLookup, path: str, *, snippets: bool
) -> CompletionList:
    """What may stand at an offset, that which fits the word so far first. path: of the file"""
    typed = tag_start(text.source, offset)
    if typed is None:
        last = _LAST.search(text.source, max(0, offset - REACH), offset)
        node = outline.root.at(offset)
        is_type = node.tag == "type" and node.head_end <= offset and last is not None
        word = last[0].removeprefix("-") if is_type and last is not None else ""
        return listed(_types() if is_type else (), Typed("value", word, offset), text, snippets=snippets)
    word = typed.word.rpartition(" ")[2] if typed.what == "value" else typed.word
    items = _items(typed, outline, outline.root.at(typed.start), ops, path)
    return listed(items, Typed(typed.what, word.removeprefix("-"), offset), text, snippets=snippets)


def _items(
    typed: TagStart, outline: DefinitionOutline, node: OutlineNode, ops: OpLookup, path: str
) -> Iterator[Item]:
    if typed.what == "tag":
        around = node if node.start < typed.start else node.parent
        rule = None if around is None else _rule(around)
        yield from (Item(one.tag, about=one.text) for one in (rule.children.values() if rule else ()))
        return
    rule = _rule(node)
    if rule is None or typed.tag != node.tag:
        return
    if node.tag == "data" and node.above("example", "counterexample") is not None:
        yield from _of_case(typed, outline, node)
    elif typed.what == "attribute":
        names = names_in(outline.text, node, typed.offset)
        for one in rule.attributes.values():
            if one.name not in names:
                yield Item(one.name, "required" if one.required else "", one.text)
    else:
        yield from _values(typed, outline, rule, node, ops, path)


def _rule(node: OutlineNode) -> ElementRule | None:
    return None if node.above(NET) not in (None, node) else rule_at(path_of(node))


def _of_case(typed: TagStart, outline: DefinitionOutline, node: OutlineNode) -> Iterator[Item]:
    """The attributes of the op, and their values."""
    attributes = outline.parts.get("attribute", {})
    if typed.what == "attribute":
        there = names_in(outline.text, node, typed.offset)
        names = (name for name in attributes if name not in there)
        yield from (Item(name, about=outline.content(attributes[name])) for name in names)
        return
    named = attributes.get(typed.attribute)
    if named is not None:
        yield from _domain(outline.value(named, "type"), outline.value(named, "values"))


def _domain(kind: str, listed_values: str) -> Iterator[Item]:
    """The values of an attribute of some type."""
    if kind == "bool":
        yield from (Item("true"), Item("false"))
    elif kind == "element_type" and not listed_values:
        yield from (Item(one.name) for one in element_types())
    yield from map(Item, listed_values.split())


def _values(
    typed: TagStart,
    outline: DefinitionOutline,
    rule: ElementRule,
    node: OutlineNode,
    ops: OpLookup,
    path: str,
) -> Iterator[Item]:
    attribute = rule.attributes.get(typed.attribute)
    if attribute is not None:
        yield from map(Item, attribute.values)
    key = typed.tag, typed.attribute
    if key == FIRST_IS_RULE and " " not in typed.word:
        yield from map(_shape_rule, RULES)
        return
    for kind in KINDS.get(key, ()):
        for name in outline.parts.get(kind, {}):
            yield from _part(outline, kind, name, key)
    if key in TYPED:
        yield from _types()
    yield from _other(typed, outline, node, ops, path)


def _part(outline: DefinitionOutline, kind: str, name: str, key: tuple[str, str]) -> Iterator[Item]:
    """A part of the definition, as the value of an attribute names it."""
    node = outline.parts[kind][name]
    about = part_text(outline, kind, name)
    if key == ("port", "type") and kind == "attribute":
        if outline.value(node, "type") == "element_type":
            yield Item(f"@{name}", kind, about)
    elif key == ("attribute", "reader-requires"):
        yield from (Item(f"{name}={one}", kind) for one in outline.value(node, "values").split())
        yield Item("yes")
    elif key != ("gradient", "when") or outline.value(node, "type") == "bool":
        yield Item(name, kind, about)


def _shape_rule(name: str) -> Item:
    parameters = " ".join(inspect.signature(RULES[name]).parameters)
    return Item(name, parameters, inspect.getdoc(RULES[name]) or "")


def _types() -> Iterator[Item]:
    yield from (Item(name, "element types", ", ".join(sorted(types))) for name, types in GROUPS.items())
    yield from (Item(one.name, "element type") for one in element_types() if one.name != "dynamic")


def _other(
    typed: TagStart, outline: DefinitionOutline, node: OutlineNode, ops: OpLookup, path: str
) -> Iterator[Item]:
    """Values that name what is outside the definition, or a part that is not defined yet."""
    tag, name = typed.tag, typed.attribute
    texts = values(outline.text, node) | typed.written
    if tag == "attribute" and name in ("default", "reader-default"):
        yield from _domain(texts.get("type", ""), texts.get("values", ""))
    elif tag == "constraint" and name == "id":
        numbers = (one[1:] for one in outline.parts.get("constraint", ()))
        highest = max((int(n) for n in numbers if n.isascii() and n.isdigit() and len(n) < 9), default=0)
        yield Item(f"C{highest + 1}", "the next id")
    elif tag == "counterexample" and name == "violates":
        yield from (Item(one.code, one.name, one.summary) for one in own_rules() if one.code[:2] == "IR")
    elif tag == "port" and name == "id":
        ports = [*outline.parts.get("input", ()), *outline.parts.get("output", ())]
        yield Item(str(max(len(ports) - 1, 0)), "the next id")
    elif tag == "layer":
        yield from _of_layer(name, path)
    elif name == "as" or (tag, name) == ("given", "name"):
        shared = shared_op(outline, ops)
        if shared is not None:
            inputs = () if tag == "given" else shared.definition.inputs
            yield from (Item(p.name, "input", p.text) for p in inputs)
            yield from (Item(a.name, "attribute", a.text) for a in shared.definition.attributes.values())


def _of_layer(name: str, path: str) -> Iterator[Item]:
    if name == "category":
        folders = (one for one in schemas_folder().iterdir() if one.is_dir())
        dialect_names = {one.name for one in dialects()}
        yield from (Item(one.name) for one in folders if one.name not in dialect_names)
    elif name == "version":
        yield Item("extension", "a custom op")
        yield from (Item(one) for one in OPSETS)
    elif name == "dialect":
        yield from (Item(one.name, one.title) for one in dialects())
    elif name == "same-as":
        yield from (Item(one.id, one.category, op=one.id) for one in opsets().all())
    elif name == "module":
        yield from (Item(file.stem, "beside this file") for file in sorted(Path(path).parent.glob("*.py")))
