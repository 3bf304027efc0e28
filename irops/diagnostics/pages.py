"""The addresses of the pages about rules on the site of irops."""

from __future__ import annotations

from functools import cache

import irops
from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import own_rules

SITE = "https://irops.github.io/irops"
"""Where .ci/site says that the site is served: a folder for each version."""


def page_of(rule: Rule) -> str | None:
    """The page about a rule, in the version of irops that reports it; None for custom ones."""
    return f"{SITE}/{irops.__version__}/rules/{rule.code}.html" if rule.code in _own_codes() else None


@cache
def _own_codes() -> frozenset[str]:
    return frozenset(rule.code for rule in own_rules())
