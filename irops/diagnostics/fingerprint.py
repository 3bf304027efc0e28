"""Fingerprints, which identify a finding even after other parts of its file have changed."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.printable import MAX_NAME
from irops.diagnostics.report import Report

_NUMBER = re.compile(r"\d+")


def fingerprints(report: Report) -> tuple[str, ...]:
    """A fingerprint for each finding of a report, independent of file name, lines, columns and layer ids.

    Findings that agree in everything else are numbered in order.
    """
    seen: Counter[str] = Counter()
    return tuple(_numbered(_digest(diagnostic), seen) for diagnostic in report)


def _numbered(digest: str, seen: Counter[str]) -> str:
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


@lru_cache(1024)
def _identifying(name: str) -> str:
    """The name, or its hash if it is long: the same name may occur in a thousand findings."""
    return name if len(name) <= MAX_NAME else _sha256(name)


def _digest(diagnostic: Diagnostic) -> str:
    where = diagnostic.location
    subject = (
        _NUMBER.sub("#", diagnostic.message) if where.layer_name is None else _identifying(where.layer_name)
    )
    identity = (diagnostic.code, diagnostic.constraint, tuple(map(_identifying, where.path)), subject)
    return _sha256(repr(identity))[:32]


def _sha256(text: str) -> str:
    from hashlib import sha256  # loads OpenSSL; most formats show no fingerprints

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
