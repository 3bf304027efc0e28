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
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from irops.cli.catalogue import Catalogue, catalogue
from irops.cli.exit_codes import CLEAN
from irops.cli.extension_options import add_config, add_extensions
from irops.cli.index import part
from irops.cli.main import Refusal
from irops.cli.page import Page
from irops.cli.rule_page import RuleText, explain_band, explain_rule, rule_as_json
from irops.cli.unknown_ops import unknown_op


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
    content = part("rules")
    bands = content["bands"]
    rules: list[RuleText] = [SimpleNamespace(**one) for one in content["rules"].values()]
    known = _rule(word, rules, bands) or _band(word, rules, bands)
    if known is not None:
        return known
    custom = _custom_rules(args.config)
    return _rule(word, custom, bands) or _band(word, custom, bands) or _op_or_constraint(word, args)


def _rule(word: str, rules: list[RuleText], bands: dict[str, str]) -> Subject | None:
    for name in (word, word.upper(), word.lower()):
        for rule in rules:
            if name in (rule.code, rule.name):
                return Subject("rule", partial(explain_rule, rule), rule_as_json(rule, bands))
    return None


def _band(word: str, all_rules: list[RuleText], bands: dict[str, str]) -> Subject | None:
    """The rules whose codes begin with a word of at least two letters, in any case."""
    prefix = word.upper()
    rules = [rule for rule in all_rules if len(prefix) > 1 and rule.code.startswith(prefix)]
    if not rules:
        return None
    name = bands.get(prefix[:3], "")
    listed = [rule_as_json(one, bands) for one in rules]
    content = {"code": prefix, "name": name, "rules": listed}
    return Subject("band", partial(explain_band, prefix, name, rules), content)


def _custom_rules(config: str | None) -> list[RuleText]:
    """The rules that settings and packages add. No name of them can be that of a rule of irops."""
    from irops.cli.settings import settings
    from irops.diagnostics.rules import custom_rules

    settings(config)
    return list(custom_rules())


def _op_or_constraint(word: str, args: argparse.Namespace) -> Subject:
    ops = catalogue(args)
    prefixes = (f"{one.name}:" for one in ops.dialects[1:])
    dialect = next((one for one in prefixes if word.lower().startswith(one)), "")
    op, _, number = word[len(dialect) :].partition(":")
    texts = _texts(f"{dialect}{op}", ops, args, or_rule=not number)
    if not number:
        return Subject("op", partial(Page.replay, calls=texts["page"]), texts["content"])
    constraints = {constraint.lower(): constraint for constraint in texts["constraints"]}
    if number.lower() not in constraints:
        raise Refusal(
            f"{texts['id']} has no constraint {number}; it has {', '.join(texts['constraints']) or 'none'}"
        )
    chosen = texts["constraints"][constraints[number.lower()]]
    return Subject("constraint", partial(Page.replay, calls=chosen["page"]), chosen["content"])


def _texts(name: str, ops: Catalogue, args: argparse.Namespace, or_rule: bool) -> Any:
    """The documentation of an op; see op_texts. Raises: Refusal if there is none, with suggestions"""
    op = ops.named(name)
    if op is None:
        raise Refusal(unknown_op(name, ops, _similar_rules(name) if or_rule else None))
    return part("op_texts", op, args=args)


def _similar_rules(name: str) -> list[str]:
    from irops.diagnostics.rules import all_rules
    from irops.diagnostics.selection import closest_rules

    return closest_rules(name, all_rules())
