"""Switches of what makes irops fast: the environment variable IROPS_DISABLE turns single parts off."""

from __future__ import annotations

import os
from functools import lru_cache

VARIABLE = "IROPS_DISABLE"
SWITCHES = {
    "scanner": "reading files in the form that OpenVINO writes without an XML parser",
    "sharing": "inference that is shared between equal layers",
    "constants": "results that depend on constants alone and are kept by a session",
    "arena": "memory that the steps of a run use again",
}
"""What can be turned off, and what it is. The results are the same with and without each of them."""


def enabled(name: str) -> bool:
    """Whether a part of SWITCHES is on: all are, unless IROPS_DISABLE names them, separated by commas."""
    return name not in disabled()


def disabled() -> frozenset[str]:
    """The parts that IROPS_DISABLE names. ValueError: it names something that is not in SWITCHES."""
    return _names(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=16)
def _names(text: str) -> frozenset[str]:
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    unknown = sorted(names - SWITCHES.keys())
    if unknown:
        raise ValueError(f"{VARIABLE} names {', '.join(unknown)}; it can name {', '.join(SWITCHES)}")
    return names
