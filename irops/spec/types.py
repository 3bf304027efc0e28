"""Expressions for sets of element types in definitions: "numeric", "float -f64", "i32 i64", "any".

Other dialects than OpenVINO have more types, and a word may name the opset that introduced it: "tensor
bf16@13". They also have values that are not tensors, whose kinds are words of their own: "tensor sequence".
"""

from __future__ import annotations

from functools import cache

from irops.values.element import MAP, OPTIONAL, SEQUENCE, SPARSE, element_types, foreign_types

OPENVINO = "openvino"
_ALL = frozenset(t.name for t in element_types() if t.name != "dynamic")
_FOREIGN = frozenset(t.name for t in foreign_types())
_ORDER = [t.name for t in (*element_types(), *foreign_types(), SEQUENCE, OPTIONAL, MAP, SPARSE)]
_FLOAT = frozenset(t.name for t in element_types() if t.floating)
_SIGNED = frozenset(t.name for t in element_types() if t.kind == "signed")
_UNSIGNED = frozenset(t.name for t in element_types() if t.kind == "unsigned")
_LOOKUP = frozenset({"nf4"})
_WIDE = frozenset(
    {"boolean", "f16", "f32", "f64", *(f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64))}
)
GROUPS = {
    "any": _ALL,
    "float": _FLOAT,
    "signed": _SIGNED,
    "unsigned": _UNSIGNED,
    "integer": _SIGNED | _UNSIGNED,
    "numeric": _SIGNED | _UNSIGNED | _FLOAT | _LOOKUP,
}
FOREIGN_GROUPS = {
    "any": _ALL | _FOREIGN,
    "tensor": _WIDE | {"string", "complex64", "complex128"},
    "f8": frozenset({"f8e4m3", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"}),
}
"""Further groups of other dialects. tensor: the fifteen types of their first opset."""
KINDS = tuple(kind.name for kind in (SEQUENCE, OPTIONAL, MAP, SPARSE))
"""The kinds of values that are not tensors, in other dialects than OpenVINO."""


@cache
def allowed_types(expression: str, dialect: str = OPENVINO, opset: int | None = None) -> frozenset[str]:
    """The names of the element types in an expression: names and groups, added in order; -name removes.

    opset: of the dialect; words introduced by a later one are ignored. None for all words. Kinds of values
    that are not tensors are in allowed_kinds.
    Raises:  ValueError for a word that is neither
    """
    groups, names = (GROUPS, _ALL) if dialect == OPENVINO else ({**GROUPS, **FOREIGN_GROUPS}, _ALL | _FOREIGN)
    allowed: frozenset[str] = frozenset()
    kinds = allowed_kinds(expression, dialect, opset)
    for word in expression.replace(",", " ").split():
        name, at, since = word.removeprefix("-").partition("@")
        if name in KINDS and dialect != OPENVINO:
            continue
        if name not in groups and name not in names:
            raise ValueError(f"{name!r} is neither an element type nor one of the groups {', '.join(groups)}")
        if at and not (since.isdigit() and dialect != OPENVINO):
            raise ValueError(f"{word!r} does not end with the number of an opset")
        if at and opset is not None and int(since) > opset:
            continue
        types = groups.get(name, frozenset({name}))
        allowed = allowed - types if word.startswith("-") else allowed | types
    if not allowed and not kinds:
        raise ValueError(f"{expression!r} allows no type")
    return allowed


@cache
def allowed_kinds(expression: str, dialect: str = OPENVINO, opset: int | None = None) -> frozenset[str]:
    """The kinds of values that are not tensors in an expression; see allowed_types."""
    if dialect == OPENVINO:
        return frozenset()
    words = (word.partition("@") for word in expression.replace(",", " ").split())
    return frozenset(
        name
        for name, _, since in words
        if name in KINDS and (opset is None or not since or int(since) <= opset)
    )


def type_text(expression: str, dialect: str = OPENVINO, opset: int | None = None) -> str:
    """An expression for display: in other dialects than OpenVINO all types by name, and, unless opset is
    given, the opset that introduced them.
    """
    words = expression.split()
    if dialect == OPENVINO:
        return " ".join(words)
    first = [word for word in words if "@" not in word or opset is not None]
    texts = [_spelled(" ".join(first), dialect, opset)] if first else []
    for word in words:
        name, _, since = word.removeprefix("-").partition("@")
        if word not in first:
            without = "without " * word.startswith("-")
            texts.append(f"from opset {since} on {without}{_spelled(name, dialect)}")
    return "; ".join(texts)


def _spelled(expression: str, dialect: str, opset: int | None = None) -> str:
    """All types and kinds of an expression by name."""
    names = allowed_types(expression, dialect, opset) | allowed_kinds(expression, dialect, opset)
    return " ".join(sorted(names, key=_ORDER.index))
