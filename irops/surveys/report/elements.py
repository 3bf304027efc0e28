"""Pieces of HTML. Every text of a model or a file is shortened and escaped here."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256

from irops.diagnostics.printable import (
    Markup,
    OwnText,
    Printable,
    abridged,
    in_html,
    literal,
    own_file,
    printable,
)
from irops.diagnostics.rules import own_rules, page_of

NOTHING = literal("")
MAX_TEXT = 2000
"""The greatest number of characters of a text in a page."""
_HEAD = literal(
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none';"
    " form-action 'none'; style-src 'unsafe-inline'{scripts}\">"
    "<title>{title}</title><style>\n{style}</style></head>\n<body>\n"
)
END = literal("</body></html>\n")


def head(title: str, script: Markup = NOTHING) -> Markup:
    """The beginning of a page. script: the only one that the page may run"""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    scripts: Markup = f"; script-src 'sha256-{in_html(digest)}'" if script else NOTHING
    return _HEAD.format(scripts=scripts, title=text(title), style=resource("page.css"))


def resource(name: OwnText) -> Markup:
    return own_file("irops.surveys.report", name)


def plain(value: object, width: int = MAX_TEXT) -> Printable:
    """A value as text on one line without control characters, of at most width characters."""
    return printable(abridged(str(value), width))


def text(value: object, width: int = MAX_TEXT) -> Markup:
    """The same, escaped for HTML and for quoted attributes."""
    return in_html(plain(value, width))


def isolated(value: object, width: int = MAX_TEXT) -> Markup:
    """The same in an element of its own: text from right to left does not reorder what follows it."""
    return f"<bdi>{text(value, width)}</bdi>"


def breakable(value: object) -> Markup:
    """The same, with places where lines may break after the punctuation of tasks."""
    return text(value).replace(":", ":<wbr>").replace(",", ",<wbr>")


def table(
    titles: Sequence[str], rows: Iterable[Sequence[Markup]], *, numbers: Sequence[int] = ()
) -> Iterator[Markup]:
    """A table; its first column heads the rows. numbers: columns that are aligned to the right"""
    kinds = [literal(' class="number"' if index in numbers else "") for index in range(len(titles))]
    names = "".join(f'<th scope="col"{kind}>{breakable(title)}</th>' for title, kind in zip(titles, kinds))
    yield f'<div class="wide"><table><thead><tr>{names}</tr></thead><tbody>\n'
    for first, *others in rows:
        cells = "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(others, kinds[1:]))
        yield f'<tr><th scope="row">{first}</th>{cells}</tr>\n'
    yield literal("</tbody></table></div>\n")


def filter_link(shown: Markup, **filters: object) -> Markup:
    """A link that sets the filter of the matrix."""
    from urllib.parse import urlencode

    return f'<a href="#{in_html(urlencode(filters))}">{shown}</a>'


def rule_link(code: str, shown: Markup) -> Markup:
    """A link to the page about a rule, which needs the network. shown: alone for other rules"""
    page = _pages_of_rules().get(code)
    return shown if page is None else f'<a href="{in_html(page)}" rel="noreferrer">{shown}</a>'


@cache
def _pages_of_rules() -> dict[str, str]:
    return {rule.code: page for rule in own_rules() if (page := page_of(rule)) is not None}


def seconds_text(seconds: float) -> Markup:
    """A time with three digits and its unit."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:,.0f} s"
