"""Explain a rule, a band of rules, a constraint of an op, or an op.

example:
  irops explain IR202
  irops explain IR4
  irops explain dangling-edge
  irops explain ReverseSequence-1:C1
  irops explain ReverseSequence-1 --output-format json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from irops.cli import op_page, rule_page
from irops.cli.exit_codes import CLEAN
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.lookup import definition_of
from irops.cli.main import Refusal
from irops.cli.op_json import constraint_as_json, op_as_json
from irops.cli.page import Page
from irops.cli.settings import settings
from irops.diagnostics.rules import rule
from irops.dialects import others
from irops.registry import Registry, default_registry


@dataclass(frozen=True, slots=True)
class Subject:
    """What is explained. kind: rule, band, op or constraint; show: writes it to a page; content: as JSON."""

    kind: str
    show: Callable[[Page], None]
    content: Callable[[], dict[str, Any]]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subjects",
        nargs="+",
        metavar="CODE",
        help=(
            "the code or name of a rule, the beginning of codes (IR4), an op, or an op and the number of a"
            " constraint (Reverse-1:C1)"
        ),
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    settings()
    registry = registry_of(args) or default_registry()
    subjects = [_subject(word, registry) for word in args.subjects]
    if args.output_format == "json":
        found = [{"kind": subject.kind, **subject.content()} for subject in subjects]
        json.dump({"version": 1, "subjects": found}, sys.stdout, indent=2)
        print()
        return CLEAN
    page = Page()
    for subject in subjects:
        subject.show(page)
    page.show()
    return CLEAN


def _subject(word: str, registry: Registry) -> Subject:
    """Raises: Refusal if there is none, with suggestions"""
    return _rule(word) or _band(word) or _op_or_constraint(word, registry)


def _rule(word: str) -> Subject | None:
    for name in (word, word.upper(), word.lower()):
        try:
            found = rule(name)
        except KeyError:
            continue
        return Subject("rule", partial(rule_page.explain_rule, found), partial(rule_page.rule_as_json, found))
    return None


def _band(word: str) -> Subject | None:
    rules = rule_page.rules_with_prefix(word)
    if not rules:
        return None
    prefix = word.upper()
    return Subject(
        "band",
        partial(rule_page.explain_band, prefix, rules),
        lambda: {
            "code": prefix,
            "name": rule_page.band_name(prefix),
            "rules": [rule_page.rule_as_json(one) for one in rules],
        },
    )


def _op_or_constraint(word: str, registry: Registry) -> Subject:
    dialect = next((f"{one.name}:" for one in others() if word.lower().startswith(f"{one.name}:")), "")
    op, _, number = word[len(dialect) :].partition(":")
    definition = definition_of(f"{dialect}{op}", registry, or_rule=not number)
    if not number:
        return Subject("op", partial(op_page.explain_op, definition), partial(op_as_json, definition))
    constraints = {constraint.lower(): constraint for constraint in definition.constraints}
    if number.lower() not in constraints:
        raise Refusal(
            f"{definition.id} has no constraint {number}; it has"
            f" {', '.join(definition.constraints) or 'none'}"
        )
    constraint = definition.constraints[constraints[number.lower()]]
    return Subject(
        "constraint",
        partial(op_page.explain_constraint, definition, constraint),
        partial(constraint_as_json, definition, constraint),
    )
