"""The addresses of the pages about rules on the site of irops."""

from __future__ import annotations

import sys
from functools import cache

from irops import addresses
from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import own_rules


def page_of(rule: Rule) -> str | None:
    """The page about a rule, in the version of irops that reports it; None without one."""
    if not addresses.SITE or rule.code not in _own_codes():
        return None
    version = vars(sys.modules["irops"])["__version__"]  # to import irops would make a circle
    return f"{addresses.SITE}/{version}/rules/{rule.code}.html"


@cache
def _own_codes() -> frozenset[str]:
    return frozenset(rule.code for rule in own_rules())
