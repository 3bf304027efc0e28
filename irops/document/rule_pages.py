"""The pages of rules: one for each, one for each band, and one that lists all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from irops.diagnostics.rule import BANDS
from irops.diagnostics.rules import all_rules


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
