"""Conditions, as data, under which a note of a definition explains a difference: docs/writing-an-op.md."""

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

GENERAL = ("verdict", "processor", "compiled")
"""Subjects that are no parts of a definition."""
NEVER = "never"
TERM = re.compile(r"([A-Za-z_][\w.-]*)(?::(type|rank|size|source))?(!=|<=|>=|=|<|>)([^=!<>]+)")
NUMBER = re.compile(r"-?[\d.]+|-?inf")
RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
Values: TypeAlias = Callable[[str, str], Any]
"""The values of a subject by name and aspect, or "". Raises: LookupError where they are not known"""


class Term(NamedTuple):
    """A comparison of any value of a subject with any on the right."""

    name: str
    aspect: str
    relation: str
    right: tuple[str, ...]

    def holds(self, values: Values) -> bool:
        left = np.asarray(values(self.name, self.aspect))
        return any(_is_met(left, self.relation, word, values) for word in self.right) is not (
            self.relation == "!="
        )


def _is_met(left: Any, relation: str, word: str, values: Values) -> bool:
    if word == "nan":
        return bool(np.isnan(left).any())
    rights = values(*word.split(":")) if ":" in word else [float(word) if NUMBER.fullmatch(word) else word]
    return any(bool(np.any(RELATIONS.get(relation, operator.eq)(left, right))) for right in rights)


Condition: TypeAlias = tuple[tuple[Term, ...], ...]
"""Alternatives of terms that hold together."""


def parse_condition(text: str) -> Condition:
    """Raises: ValueError"""
    return tuple(tuple(map(_term, part.split())) for part in text.split("|") if text not in ("", NEVER))


def _term(text: str) -> Term:
    match = TERM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no comparison such as T=i8,u8 or data:rank>5")
    return Term(match[1], match[2] or "", match[3], tuple(match[4].split(",")))


def condition_holds(condition: Condition, values: Values) -> bool:
    """Raises: LookupError where it is not known"""
    return any(all(term.holds(values) for term in terms) for terms in condition)
