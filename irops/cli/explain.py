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
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from irops.cli.exit_codes import CLEAN
from irops.cli.extension_options import add_config, add_extensions
from irops.cli.main import Refusal
from irops.cli.page import Page
from irops.cli.rule_page import explain_band, explain_rule, rule_as_json
from irops.cli.settings import settings
from irops.diagnostics.rule import BANDS, Rule
from irops.diagnostics.rules import custom_rules, own_rules


class Subject(NamedTuple):
    """What is explained. kind: rule, band, op or constraint; show: writes it to a page; content: as JSON."""

    kind: str
    show: Callable[[Page], None]
    content: dict[str, Any]


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
    add_config(parser)


def execute(args: argparse.Namespace) -> int:
    subjects = [_subject(word, args) for word in args.subjects]
    if args.output_format == "json":
        described = [{"kind": subject.kind, **subject.content} for subject in subjects]
        json.dump({"version": 1, "subjects": described}, sys.stdout, indent=2)
        print()
        return CLEAN
    page = Page()
    for subject in subjects:
        subject.show(page)
    page.show()
    return CLEAN


def _subject(word: str, args: argparse.Namespace) -> Subject:
    """Raises: Refusal if there is none, with suggestions"""
    known = _rule(word, own_rules()) or _band(word, own_rules())
    if known is not None:
        return known
    settings(args.config)
    return _rule(word, custom_rules()) or _band(word, custom_rules()) or _op_or_constraint(word, args)


def _rule(word: str, rules: Iterable[Rule]) -> Subject | None:
    for name in (word, word.upper(), word.lower()):
        for rule in rules:
            if name in (rule.code, rule.name):
                return Subject("rule", partial(explain_rule, rule), rule_as_json(rule))
    return None


def _band(word: str, all_rules: Iterable[Rule]) -> Subject | None:
    """The rules whose codes begin with a word of at least two letters, in any case."""
    prefix = word.upper()
    rules = [rule for rule in all_rules if len(prefix) > 1 and rule.code.startswith(prefix)]
    if not rules:
        return None
    name = BANDS.get(prefix[:3], "")
    content = {"code": prefix, "name": name, "rules": [rule_as_json(one) for one in rules]}
    return Subject("band", partial(explain_band, prefix, name, rules), content)


def _op_or_constraint(word: str, args: argparse.Namespace) -> Subject:
    from irops.cli import op_page  # imports what reads definitions, and NumPy: rules need neither
    from irops.cli.extensions import registry_of
    from irops.cli.lookup import definition_of
    from irops.dialects import others
    from irops.registry import default_registry

    prefixes = (f"{one.name}:" for one in others())
    dialect = next((one for one in prefixes if word.lower().startswith(one)), "")
    name, _, number = word[len(dialect) :].partition(":")
    registry = registry_of(args) or default_registry()
    definition = definition_of(f"{dialect}{name}", registry, or_rule=not number)
    if not number:
        return Subject("op", partial(op_page.explain_op, definition), op_page.op_as_json(definition))
    constraint = next((c for c in definition.constraints.values() if c.id.lower() == number.lower()), None)
    if constraint is None:
        known = ", ".join(definition.constraints) or "none"
        raise Refusal(f"{definition.id} has no constraint {number}; it has {known}")
    show = partial(op_page.explain_constraint, definition, constraint)
    return Subject("constraint", show, op_page.constraint_as_json(definition, constraint))
