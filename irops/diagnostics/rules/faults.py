"""Rules of one band; see the package's docstring."""
from __future__ import annotations

from irops.diagnostics.rule import Rule

RULES: tuple[Rule, ...] = ()
