"""Selection of rules by code, prefix or name."""

from __future__ import annotations

from collections.abc import Iterable

from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import all_rules
from irops.diagnostics.suggestions import closest

_DIGITS = str.maketrans("OIL", "011")
"""The digits for which letters of the same look are typed."""


def rules_of(selectors: Iterable[str], custom: Iterable[Rule] = ()) -> frozenset[str]:
    """The codes of the rules selected by codes (IR202), prefixes (IR2), names (dangling-edge) or ALL.

    custom: rules beside all_rules()
    Raises:  ValueError for a selector that matches no rule, with the closest match
    """
    codes: set[str] = set()
    words = tuple(selectors)
    rules = (*all_rules(), *custom) if words else ()
    for selector in words:
        matches = {
            rule.code
            for rule in rules
            if selector in ("ALL", rule.name) or rule.code.startswith(selector.upper())
        }
        if not matches or not selector:
            meant = closest_rules(selector, rules)
            hint = f"; did you mean {meant[0]}?" if meant else ""
            raise ValueError(f"there is no rule {selector!r}{hint}")
        codes |= matches
    return frozenset(codes)


def closest_rules(word: str, rules: Iterable[Rule]) -> list[str]:
    """The codes, names and bands that a mistyped word may stand for, the closest first: IR4 for IR4x."""
    rules = tuple(rules)
    code = word.upper()[:2] + word.upper()[2:].translate(_DIGITS)
    if any(code == rule.code for rule in rules):
        return [code]
    beginning = _beginning_of_codes(word, [rule.code for rule in rules])
    if beginning is not None:
        return [beginning]
    bands = dict.fromkeys(rule.band for rule in rules)
    return closest(word, (*bands, *(text for rule in rules for text in (rule.code, rule.name))))


def _beginning_of_codes(word: str, codes: Iterable[str]) -> str | None:
    """The longest beginning of a word, IR4 of IR4x, with which codes begin."""
    start = word.upper()
    for length in range(len(start) - 1, len("IR"), -1):
        if any(code.startswith(start[:length]) for code in codes):
            return start[:length]
    return None
