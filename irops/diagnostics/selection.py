"""Selection of rules by code, prefix or name."""

from __future__ import annotations

from collections.abc import Iterable

from irops.diagnostics.rules import all_rules


def rules_of(selectors: Iterable[str]) -> frozenset[str]:
    """The codes of the rules selected by codes (IR202), prefixes (IR2), names (dangling-edge) or ALL.

    Raises:  ValueError for a selector that matches no rule, with the closest match
    """
    codes: set[str] = set()
    for selector in selectors:
        matches = {
            rule.code
            for rule in all_rules()
            if selector in ("ALL", rule.name) or rule.code.startswith(selector.upper())
        }
        if not matches or not selector:
            raise ValueError(f"there is no rule {selector!r}{_suggestion(selector)}")
        codes |= matches
    return frozenset(codes)


def _suggestion(selector: str) -> str:
    from difflib import get_close_matches

    names = {name.lower(): name for rule in all_rules() for name in (rule.code, rule.name)}
    close = get_close_matches(selector.lower(), names, 1)
    return f"; did you mean {names[close[0]]}?" if close else ""
