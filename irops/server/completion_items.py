"""Items of completion, ordered by what is typed, as the protocol has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    CompletionList,
    InsertTextFormat,
    MarkupContent,
    MarkupKind,
    TextEdit,
)

from irops.server.markdown import plain
from irops.server.op_lookup import OpLookup
from irops.server.text import Text

MAX_ITEMS = 500
"""How many items one request gets; the editor asks again while something is typed."""
_FOLLOWED = re.compile(r"[\w.-]*\s*=")


@dataclass(frozen=True, slots=True)
class Item:
    """What may be inserted. detail: shown beside it; about: what it is, in full; searched: what else may be
    typed to find it; op: the op whose summary is shown when the item is selected.
    """

    text: str
    detail: str = ""
    about: str = ""
    searched: str = ""
    op: str = ""


@dataclass(frozen=True, slots=True)
class Typed:
    """What is typed at an offset. what: "tag", "attribute" or "value"; word: the part before the offset."""

    what: str
    word: str
    offset: int


def listed(items: Iterable[Item], typed: Typed, text: Text, *, snippets: bool) -> CompletionList:
    """The items that fit what is typed, those that begin with it first.

    snippets: whether the editor can place the cursor between the quotes of a new attribute
    """
    word = typed.word.lower()
    by_text = {item.text: item for item in items}
    is_sorted = typed.what == "value"  # elements and attributes come in the order in which they are written
    ordered = sorted(by_text.values(), key=lambda item: _order(item, word, is_sorted))
    fitting = [item for item in ordered if word in f"{item.text} {item.searched}".lower()]
    shown = [_item(item, typed, text, k, snippets) for k, item in enumerate(fitting[:MAX_ITEMS])]
    return CompletionList(is_incomplete=len(fitting) > MAX_ITEMS, items=shown)


def _order(item: Item, word: str, is_sorted: bool) -> tuple[bool, int, str]:
    text = item.text if is_sorted else ""
    length = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    return not item.text.lower().startswith(word), length, text


def _item(item: Item, typed: Typed, text: Text, place: int, snippets: bool) -> CompletionItem:
    kinds = {"tag": CompletionItemKind.Class, "attribute": CompletionItemKind.Property}
    new, is_snippet = item.text, False
    if typed.what == "attribute" and _FOLLOWED.match(text.source, typed.offset) is None:
        is_snippet = snippets
        new = f'{item.text}="$1"' if snippets else f'{item.text}="'
    return CompletionItem(
        label=item.text,
        kind=kinds.get(typed.what, CompletionItemKind.Value),
        detail=item.detail[:200] or None,
        documentation=MarkupContent(MarkupKind.Markdown, plain(item.about)) if item.about else None,
        sort_text=f"{place:05}",
        filter_text=f"{item.text} {item.searched[:100]}".strip(),
        insert_text_format=InsertTextFormat.Snippet if is_snippet else InsertTextFormat.PlainText,
        text_edit=TextEdit(text.range(typed.offset - len(typed.word), typed.offset), new),
        data={"op": item.op} if item.op else None,
    )


def described(item: CompletionItem, ops: OpLookup) -> CompletionItem:
    """An item that the editor has selected, with the summary of its op."""
    name = item.data.get("op") if isinstance(item.data, dict) else None
    op = ops.page_of(name) if isinstance(name, str) else None
    if op is not None:
        text = f"**{plain(op.id)}**\n\n{plain(op.definition.summary)}"
        item.documentation = MarkupContent(MarkupKind.Markdown, text)
    return item
