"""What makes a finding the same finding in a file that was changed elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256

from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.report import Report

_NUMBER = re.compile(r"\d+")


def fingerprints(report: Report) -> tuple[str, ...]:
    """One for each finding of a report; neither the file's name nor lines, columns and ids of layers are in
    it.

    Findings that are alike otherwise, of one rule at one layer, are numbered in their order.
    """
    seen: Counter[str] = Counter()
    return tuple(_numbered(_digest(diagnostic), seen) for diagnostic in report)


def _numbered(digest: str, seen: Counter[str]) -> str:
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


def _digest(diagnostic: Diagnostic) -> str:
    where = diagnostic.location
    words = _NUMBER.sub("#", diagnostic.message) if where.layer_name is None else where.layer_name
    told = (diagnostic.code, diagnostic.constraint, where.path, words)
    return sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:32]
