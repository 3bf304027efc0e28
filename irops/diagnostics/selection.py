"""Selection of rules by code, prefix or name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import all_rules
from irops.diagnostics.suggestions import did_you_mean_word


def rules_of(selectors: Iterable[str], custom: Iterable[Rule] = ()) -> frozenset[str]:
    """The codes of the rules selected by codes (IR202), prefixes (IR2), names (dangling-edge) or ALL.

    custom: rules beside all_rules()
    Raises:  ValueError for a selector that matches no rule, with the closest match
    """
    codes: set[str] = set()
    rules = (*all_rules(), *custom)
    for selector in selectors:
        matches = {
            rule.code
            for rule in rules
            if selector in ("ALL", rule.name) or rule.code.startswith(selector.upper())
        }
        if not matches or not selector:
            raise ValueError(f"there is no rule {selector!r}{did_you_mean_word(selector, _words(rules))}")
        codes |= matches
    return frozenset(codes)


def _words(rules: Iterable[Rule]) -> Iterator[str]:
    for rule in rules:
        yield from (rule.code, rule.name)
