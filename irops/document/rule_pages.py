"""The pages of rules: one for each, one for each band, and one that lists all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby

from irops.diagnostics.rule import BANDS, Rule
from irops.diagnostics.rules import all_rules
from irops.document.environment import environment

_LINK = re.compile(r"\[((?:\\.|[^\\\[\]\n])*)\]\((?![a-z]+:)([^()\s]+)\.md(#[^()\s]*)?\)")


def rule_pages(page: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. page: renders a template"""
    bands = [
        (band, BANDS.get(band, "custom rules"), list(members))
        for band, members in groupby(all_rules(), key=lambda rule: rule.band)
    ]
    yield "rules/index.md", page("rules", bands_of_rules=bands)
    for band, title, members in bands:
        yield f"rules/{band}.md", page("band", band=band, title=title, members=members)
        for rule in members:
            yield f"rules/{rule.code}.md", page("rule", rule=rule)


def rule_page(rule: Rule, *, site: str = "") -> str:
    """The page of a rule as an editor shows it, without the others. site: the address of a site of
    `irops docs`, to which links lead; '' for no links to other pages.

    Raises:  MissingExtraError
    """

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        return f"[{words}]({site}/rules/{target}.html{anchor})" if site else words

    page = environment(myst=False).get_template("rule.md").render(rule=rule)
    return _LINK.sub(link, page.lstrip())
