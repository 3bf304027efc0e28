"""Conditions, as data, under which a note of a definition explains a difference: docs/writing-an-op.md."""

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

GENERAL = ("verdict", "processor", "compiled")
"""Subjects that are no parts of a definition."""
TERM = re.compile(r"([A-Za-z_][\w.-]*)(?::([a-z]+))?(!=|<=|>=|=|<|>)([^=!<>]+)")
NUMBER = re.compile(r"-?[\d.]+|-?inf|nan")
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
        found = any(
            self._is_met(np.asarray(values(self.name, self.aspect)), word, values) for word in self.right
        )
        return found is not (self.relation == "!=")

    def _is_met(self, left: Any, word: str, values: Values) -> bool:
        if word == "nan":
            return bool(np.isnan(left).any())
        relation = RELATIONS.get(self.relation, operator.eq)
        rights = (
            values(*word.split(":")) if ":" in word else [float(word) if NUMBER.fullmatch(word) else word]
        )
        return any(bool(np.any(relation(left, right))) for right in rights)


Condition: TypeAlias = tuple[tuple[Term, ...], ...]
"""Alternatives of terms that hold together."""


def parse_condition(text: str) -> Condition:
    """Raises: ValueError"""
    return tuple(tuple(map(_term, part.split())) for part in text.split("|"))


def _term(text: str) -> Term:
    match = TERM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no comparison such as T=i8,u8 or data:rank>5")
    return Term(match[1], match[2] or "", match[3], tuple(match[4].split(",")))


def condition_holds(condition: Condition, values: Values) -> bool:
    """Raises: LookupError where it is not known"""
    return any(all(term.holds(values) for term in terms) for terms in condition)
