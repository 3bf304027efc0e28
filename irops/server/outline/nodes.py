"""The elements of a text in one pass. Broken tags end where the next one starts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from irops.server.outline.elements import Node

MAX_TEXT = 64 << 20
"""Texts with more characters have no elements."""
MAX_NODES = 2_000_000
MAX_DEPTH = 400


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The elements that are looked for. root: the outermost one; parents: where each of the others may be.
    One that starts elsewhere ends those that are still open, as in a text that is being typed.
    """

    root: str
    parents: Mapping[str, tuple[str, ...]]
    tag: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pattern = re.compile(
            r"<(?:(?P<other>!--.*?(?:-->|\Z)|!\[CDATA\[.*?(?:\]\]>|\Z)|\?.*?(?:\?>|\Z))"
            rf"|(?P<close>/?)(?P<tag>{'|'.join({self.root: None, **self.parents})})(?=[\s/>\"'<]|\Z)"
            r"""(?P<rest>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)(?P<end>>?))""",
            re.DOTALL,
        )
        object.__setattr__(self, "tag", pattern)


def nodes_of(text: str, vocabulary: Vocabulary) -> Node:
    """The elements of a text, in a node that stands for the text; none of one that is too large."""
    root = Node("", 0, 0, None, len(text))
    if len(text) > MAX_TEXT:
        return root
    stack, count = [root], 0
    for match in vocabulary.tag.finditer(text):
        tag = match["tag"]
        if tag is None:
            continue
        if match["close"]:
            _close(stack, tag, match.start(), match.end())
            continue
        count += 1
        if count > MAX_NODES:
            break
        _end_at(stack, vocabulary.parents.get(tag, ()), match.start())
        node = Node(tag, match.start(), match.end(), stack[-1], match.end())
        stack[-1].children.append(node)
        if not (match["end"] and match["rest"].endswith("/")) and len(stack) < MAX_DEPTH:
            stack.append(node)
    for node in stack[1:]:
        node.end = len(text)
    return root


def _close(stack: list[Node], tag: str, start: int, end: int) -> None:
    """End the innermost open element with a tag, and those in it; without one, nothing."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag == tag), 0)
    if place == 0:
        return
    for node in stack[place + 1 :]:
        node.end = start
    stack[place].end = end
    del stack[place:]


def _end_at(stack: list[Node], parents: tuple[str, ...], start: int) -> None:
    """End the open elements in which one of some parents cannot be, if one around them is its place."""
    place = next((k for k in range(len(stack) - 1, 0, -1) if stack[k].tag in parents), 0)
    if place:
        for node in stack[place + 1 :]:
            node.end = start
        del stack[place + 1 :]
