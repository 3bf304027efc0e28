"""Pieces of HTML. Every text of a model or a file is shortened and escaped here."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from irops.diagnostics.pages import page_of
from irops.diagnostics.printable import abridged, printable
from irops.diagnostics.rules import own_rules

MAX_TEXT = 2000
"""The greatest number of characters of a text in a page."""
_HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none';"
    " form-action 'none'; style-src 'unsafe-inline'{scripts}\">"
    "<title>{title}</title><style>\n{style}</style></head>\n<body>\n"
)
END = "</body></html>\n"


def head(title: str, script: str = "") -> str:
    """The beginning of a page. script: the only one that the page may run"""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    scripts = f"; script-src 'sha256-{digest}'" if script else ""
    return _HEAD.format(scripts=scripts, title=text(title), style=resource("page.css"))


def resource(name: str) -> str:
    return (files("irops.surveys.report") / name).read_text(encoding="utf-8")


def plain(value: object, width: int = MAX_TEXT) -> str:
    """A value as text on one line without control characters, of at most width characters."""
    return printable(abridged(str(value), width))


def text(value: object, width: int = MAX_TEXT) -> str:
    """The same, escaped for HTML and for quoted attributes."""
    return escape(plain(value, width))


def isolated(value: object, width: int = MAX_TEXT) -> str:
    """The same in an element of its own: text from right to left does not reorder what follows it."""
    return f"<bdi>{text(value, width)}</bdi>"


def breakable(value: object) -> str:
    """The same, with places where lines may break after the punctuation of tasks."""
    return text(value).replace(":", ":<wbr>").replace(",", ",<wbr>")


def embedded(value: object) -> str:
    """A value as JSON that ends no script element."""
    dumped = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return dumped.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()
) -> Iterator[str]:
    """A table; its first column heads the rows. rows: HTML; numbers: columns that are aligned to the right"""
    kinds = [' class="number"' if index in numbers else "" for index in range(len(titles))]
    names = "".join(f'<th scope="col"{kind}>{breakable(title)}</th>' for title, kind in zip(titles, kinds))
    yield f'<div class="wide"><table><thead><tr>{names}</tr></thead><tbody>\n'
    for first, *others in rows:
        cells = "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(others, kinds[1:]))
        yield f'<tr><th scope="row">{first}</th>{cells}</tr>\n'
    yield "</tbody></table></div>\n"


def filter_link(shown: str, **filters: object) -> str:
    """A link that sets the filter of the matrix. shown: HTML"""
    from urllib.parse import urlencode

    return f'<a href="#{escape(urlencode(filters))}">{shown}</a>'


def rule_link(code: str, shown: str) -> str:
    """A link to the page about a rule, which needs the network. shown: HTML, alone for other rules"""
    page = _pages_of_rules().get(code)
    return shown if page is None else f'<a href="{escape(page)}" rel="noreferrer">{shown}</a>'


@cache
def _pages_of_rules() -> dict[str, str]:
    return {rule.code: page for rule in own_rules() if (page := page_of(rule)) is not None}


def seconds_text(seconds: float) -> str:
    """A time with three digits and its unit."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"
