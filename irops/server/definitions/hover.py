"""What a hover in a definition shows: the documentation of the grammar, and what values name."""

from __future__ import annotations

from irops.server.definitions.grammar import AttributeRule, ElementRule
from irops.server.definitions.outline import DefinitionPlace
from irops.server.definitions.references import (
    TYPED,
    code_text,
    part_at,
    part_text,
    rule_text,
    shared_op,
    types_text,
)
from irops.server.markdown import attribute_text, code, plain
from irops.server.op_lookup import OpLookup
from irops.spec.op import Op


def hover_text(place: DefinitionPlace, offset: int, ops: OpLookup) -> str | None:
    """Markdown about what is at a place; None where there is nothing to say."""
    if place.rule is None:
        return None
    span = place.attribute
    if span is not None and span.value_start <= offset <= span.value_end and place.word:
        meaning = _meaning(place, ops)
        if meaning is not None:
            return meaning
    if span is not None:
        at = part_at(place) if place.node.tag == "data" else None
        if at is not None:
            return part_text(place.outline, *at)
        attribute = place.rule.attributes.get(span.name)
        return None if attribute is None else _attribute(attribute, place.rule)
    if place.in_head:
        return _element(place.rule)
    return types_text(place.word) if place.rule.tag == "type" else None


def _meaning(place: DefinitionPlace, ops: OpLookup) -> str | None:
    """What the word of a value names."""
    at = part_at(place)
    if at is not None:
        return part_text(place.outline, *at)
    assert place.attribute is not None
    key = place.node.tag, place.attribute.name
    if key in TYPED:
        return types_text(place.word)
    if key == ("port", "shape"):
        return rule_text(place.word)
    if key == ("counterexample", "violates"):
        return code_text(place.word)
    shared = shared_op(place.outline, ops)
    if shared is None:
        return None
    if key == ("layer", "same-as"):
        return f"**{plain(shared.id)}**\n\n{plain(shared.definition.summary)}"
    return _part_of_shared(shared, place.word) if key[1] == "as" or key[0] == "given" else None


def _part_of_shared(op: Op, name: str) -> str | None:
    """An input or an attribute of the op whose functions a definition shares."""
    attribute = op.definition.attributes.get(name)
    if attribute is not None:
        return f"{attribute_text(attribute)}\n\n*{plain(op.id)}*"
    port = next((p for p in op.definition.inputs if p.name == name), None)
    return None if port is None else f"input {code(name)}: {plain(port.text)}\n\n*{plain(op.id)}*"


def _element(rule: ElementRule) -> str:
    lines = [f"**<{rule.tag}>** {plain(rule.text)}".replace("<", "\\<")]
    for one in rule.attributes.values():
        needed = " (required)" if one.required else ""
        lines.append(f"- {code(one.name)}{needed}: {plain(one.text)}")
    return f"{lines[0]}\n\n" + "\n".join(lines[1:])


def _attribute(attribute: AttributeRule, rule: ElementRule) -> str:
    needed = "required" if attribute.required else "optional"
    lines = [f"{code(attribute.name)} of \\<{rule.tag}> ({needed}): {plain(attribute.text)}"]
    if attribute.values:
        lines.append(", ".join(map(code, attribute.values)))
    return "\n\n".join(lines)
