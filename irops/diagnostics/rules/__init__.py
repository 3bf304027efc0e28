"""All rules, one module per band of codes.

text IR0 · structure IR1 · graph IR2 · definitions IR3 · shapes IR4 · weights IR5 · evaluation IR6 · gradients
IR62 · settings IR7 · graph building IR8 · other file formats IR90 · translation IR92 · releases IR94 ·
errors in definitions OD1. A code is never reused for another rule.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from irops.diagnostics.rule import Rule


@cache
def _table() -> dict[str, Rule]:
    bands = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    rules = [rule for band in bands for rule in band.RULES]
    table = {rule.name: rule for rule in rules} | {rule.code: rule for rule in rules}
    assert len(table) == 2 * len(rules), "two rules share a code or a name"
    return table


def rule(name_or_code: str) -> Rule:
    """The rule with a name ("dangling-edge") or a code ("IR202"); KeyError if there is none."""
    return _table()[name_or_code]


def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    return tuple(sorted(set(_table().values()), key=lambda r: r.code))
