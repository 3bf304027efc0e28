"""Names that no two may have."""

from __future__ import annotations


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken, as near to the given one as can be; it is taken from then on."""
    found, count = name, 1
    while found in taken:
        found, count = f"{name}#{count}", count + 1
    taken.add(found)
    return found
