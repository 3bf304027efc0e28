"""Sets of element types by name, as definitions speak of them: "numeric", "float -f64", "i32 i64", "any"."""
from __future__ import annotations

from functools import cache

from irops.values.element import element_types

_ALL = frozenset(t.name for t in element_types() if t.name != "dynamic")
_FLOAT = frozenset(t.name for t in element_types() if t.floating)
_SIGNED = frozenset(t.name for t in element_types() if t.kind == "signed")
_UNSIGNED = frozenset(t.name for t in element_types() if t.kind == "unsigned")
_LOOKUP = frozenset({"nf4"})
GROUPS = {
    "any": _ALL, "float": _FLOAT, "signed": _SIGNED, "unsigned": _UNSIGNED, "integer": _SIGNED | _UNSIGNED,
    "numeric": _SIGNED | _UNSIGNED | _FLOAT | _LOOKUP,
}


@cache
def allowed_types(expression: str) -> frozenset[str]:
    """The names of the element types that an expression allows: names and groups, added in order; -name takes away.

    Raises:  ValueError for a word that is neither
    """
    allowed: frozenset[str] = frozenset()
    for word in expression.replace(",", " ").split():
        name = word.removeprefix("-")
        if name not in GROUPS and name not in _ALL:
            raise ValueError(f"{name!r} is neither an element type nor one of the groups {', '.join(GROUPS)}")
        some = GROUPS.get(name, frozenset({name}))
        allowed = allowed - some if word.startswith("-") else allowed | some
    if not allowed:
        raise ValueError(f"{expression!r} allows no type")
    return allowed
