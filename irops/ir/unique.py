"""Unique names."""

from __future__ import annotations


def unique(name: str, used: set[str]) -> str:
    """The name, with a number appended if it is in used; the result is added to used."""
    candidate, count = name, 1
    while candidate in used:
        candidate, count = f"{name}#{count}", count + 1
    used.add(candidate)
    return candidate
