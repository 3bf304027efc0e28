"""What the values of a definition refer to: parts of it, sets of element types, shape rules, ops, rules."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from irops.diagnostics.rules import rule
from irops.ops.stock import RULES
from irops.server.definitions.outline import DefinitionOutline, DefinitionPlace
from irops.server.markdown import code, plain
from irops.server.op_lookup import OpLookup
from irops.server.outline import OutlineNode
from irops.spec.op import Op
from irops.spec.types import GROUPS, allowed_types

PORTS = ("input", "output")
KINDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("attribute", "of"): ("input",),
    ("attribute", "switch"): ("attribute",),
    ("attribute", "reader-requires"): ("attribute",),
    ("port", "type"): ("type", "attribute"),
    ("port", "shape"): ("input", "attribute", "constraint"),
    ("gradient", "of"): ("input",),
    ("gradient", "saves"): PORTS,
    ("gradient", "when"): ("attribute",),
    ("constraint", "of"): ("attribute",),
    ("note", "of"): ("constraint", "attribute", "type", "body", *PORTS),
    ("counterexample", "violates"): ("constraint",),
    ("tensor", "name"): PORTS,
}
"""The kinds of parts that the value of an attribute may name, by element and attribute."""
TYPED = {("port", "type"), ("attribute", "values"), ("tensor", "type")}
"""The attributes whose values are element types or groups of them."""


def kinds_of(place: DefinitionPlace) -> tuple[str, ...]:
    """The kinds of parts that the word at a place may name."""
    if place.attribute is None or place.rule is None:
        return ()
    if place.node.tag == "data" and place.node.above("example", "counterexample") is not None:
        return ("attribute",)
    return KINDS.get((place.node.tag, place.attribute.name), ())


def part_at(place: DefinitionPlace) -> tuple[str, str] | None:
    """Kind and name of the part that a place refers to; None if it refers to none."""
    kinds, word = kinds_of(place), place.word
    if place.attribute is not None and place.node.tag == "data" and kinds:
        word = place.attribute.name
    name = word.removeprefix("@").partition("=")[0]
    parts = place.outline.parts
    return next(((kind, name) for kind in kinds if name in parts.get(kind, ())), None)


def part_text(outline: DefinitionOutline, kind: str, name: str) -> str:
    """A part in a line of Markdown."""
    node = outline.parts[kind][name]
    facts = ", ".join(_facts(outline, kind, node))
    text = plain(outline.content(node))
    return f"{kind} {code(name)}{f' ({plain(facts)})' if facts else ''}: {text}"


def _facts(outline: DefinitionOutline, kind: str, node: OutlineNode) -> Iterator[str]:
    if kind in ("attribute", *PORTS):
        yield outline.value(node, "type") or "no type"
    if outline.value(node, "rank"):
        yield f"rank {outline.value(node, 'rank')}"
    for name in ("of", "values", "default", "min", "max"):
        if kind == "attribute" and outline.value(node, name):
            yield f"{name} {outline.value(node, name)}"
    for name in ("required", "optional", "variadic"):
        if outline.value(node, name) == "yes":
            yield name


def rule_text(name: str) -> str | None:
    """A shape rule in a line of Markdown; None if there is none of that name."""
    function = RULES.get(name)
    if function is None:
        return None
    names = " ".join((name, *inspect.signature(function).parameters))
    return f"shape rule {code(names)}: {plain((inspect.getdoc(function) or '').partition(chr(10) * 2)[0])}"


def types_text(word: str) -> str | None:
    """The element types that a word stands for, in a line of Markdown; None if it is no group of types."""
    name = word.removeprefix("-").partition("@")[0]
    if name not in GROUPS:
        return None
    return f"element types {code(name)}: {', '.join(sorted(allowed_types(name)))}"


def code_text(word: str) -> str | None:
    """A rule of irops in a line of Markdown; None if there is none of that code."""
    try:
        known = rule(word)
    except KeyError:
        return None
    return f"rule {code(known.code)} {plain(known.name)}: {plain(known.summary)}"


def shared_op(outline: DefinitionOutline, ops: OpLookup) -> Op | None:
    """The op whose functions a definition shares."""
    name = outline.value(outline.layer, "same-as")
    return ops.page_of(name) if name else None
