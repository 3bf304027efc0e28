"""Which rules a person means."""

from __future__ import annotations

from collections.abc import Iterable

from irops.diagnostics.rules import all_rules


def rules_of(words: Iterable[str]) -> frozenset[str]:
    """The codes of rules that are meant by codes (IR202), beginnings of codes (IR2), names (dangling-edge),
    or ALL.

    Raises:  ValueError for a word that means none, with the nearest name
    """
    codes: set[str] = set()
    for word in words:
        meant = {
            rule.code
            for rule in all_rules()
            if word in ("ALL", rule.name) or rule.code.startswith(word.upper())
        }
        if not meant or not word:
            raise ValueError(f"no rule is called {word!r}{_nearest(word)}")
        codes |= meant
    return frozenset(codes)


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    known = {name.lower(): name for rule in all_rules() for name in (rule.code, rule.name)}
    near = get_close_matches(word.lower(), known, 1)
    return f"; did you mean {known[near[0]]}?" if near else ""
