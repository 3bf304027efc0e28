"""Explain a rule, a band of rules, a constraint of an op, or an op.

example:
  irops explain IR202
  irops explain IR4
  irops explain dangling-edge
  irops explain ReverseSequence-1:C1
  irops explain LogSoftmax-5 --expand
  irops explain ReverseSequence-1 --output-format json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import cache, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from irops.cli.catalogue import Catalogue, catalogue, unknown_op
from irops.cli.command import CLEAN, Command
from irops.cli.index import part
from irops.cli.main import Refusal
from irops.cli.options import add_extensions, add_format, add_trust
from irops.cli.page import TextPage
from irops.cli.rule_page import RuleText, explain_band, explain_rule, rule_as_json
from irops.cli.streams import say, write
from irops.diagnostics.printable import json_text, printable
from irops.spec.op_names import called

COMMAND = Command("explain a rule, a band of rules, a constraint or an op", 190, ends_at_once=True)


class ExplainedSubject(NamedTuple):
    """What is explained. kind: rule, band, op or constraint; show: writes it to a page; content: as JSON."""

    kind: str
    show: Callable[[TextPage], None]
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
    parser.add_argument(
        "--expand",
        action="store_true",
        help="show how ops are said in other ops, each form with an example",
    )
    add_format(parser)
    add_extensions(parser)
    add_trust(parser)


def execute(args: argparse.Namespace) -> int:
    custom_rules = cache(partial(_custom_rules, args))
    subjects = [_subject(word, args, custom_rules) for word in args.subjects]
    for word, subject in zip(args.subjects, subjects):
        if args.expand and subject.kind != "op":
            raise Refusal(f"--expand shows ops in other ops, and {word} is a {subject.kind}")
    if args.output_format == "json":
        described = [{"kind": subject.kind, **subject.content} for subject in subjects]
        write(json_text({"version": 1, "subjects": described}))
        return CLEAN
    page = TextPage()
    for subject in subjects:
        subject.show(page)
    page.show()
    return CLEAN


def _subject(
    word: str, args: argparse.Namespace, custom_rules: Callable[[], list[RuleText]]
) -> ExplainedSubject:
    """custom_rules: those that settings and packages add

    Raises:  Refusal, with suggestions, if there is no subject
    """
    content = part("rules")
    bands = content["bands"]
    rules: list[RuleText] = [SimpleNamespace(**one) for one in content["rules"].values()]
    return (
        _rule(word, rules, bands)
        or _band(word, rules, bands)
        or _rule(word, custom_rules(), bands)
        or _band(word, custom_rules(), bands)
        or _op_or_constraint(word, args)
    )


def _rule(word: str, rules: list[RuleText], bands: dict[str, str]) -> ExplainedSubject | None:
    for name in (word, word.upper(), word.lower()):
        for rule in rules:
            if name in (rule.code, rule.name):
                return ExplainedSubject("rule", partial(explain_rule, rule), rule_as_json(rule, bands))
    return None


def _band(word: str, all_rules: list[RuleText], bands: dict[str, str]) -> ExplainedSubject | None:
    """The rules whose codes begin with a word of at least two letters, in any case."""
    prefix = word.upper()
    rules = [rule for rule in all_rules if len(prefix) > 1 and rule.code.startswith(prefix)]
    if not rules:
        return None
    name = bands.get(prefix[:3], "")
    listed = [rule_as_json(one, bands) for one in rules]
    content = {"code": prefix, "name": name, "rules": listed}
    return ExplainedSubject("band", partial(explain_band, prefix, name, rules), content)


def _custom_rules(args: argparse.Namespace) -> list[RuleText]:
    """The rules that settings and packages add. No name of them can be that of a rule of irops."""
    from irops.cli.settings import settings
    from irops.diagnostics.rules import custom_rules

    settings(trusting=args.trust_settings)
    return list(custom_rules())


def _op_or_constraint(word: str, args: argparse.Namespace) -> ExplainedSubject:
    ops = catalogue(args)
    prefixes = (f"{one.name}:" for one in ops.dialects[1:])
    dialect = next((one for one in prefixes if word.lower().startswith(one)), "")
    op, _, number = word[len(dialect) :].partition(":")
    texts = _texts(f"{dialect}{op}", ops, args, or_rule=not number)
    if not number and args.expand:
        return _expanded(texts["id"], args)
    if not number:
        return ExplainedSubject("op", partial(TextPage.replay, calls=texts["page"]), texts["content"])
    constraints = {constraint.lower(): constraint for constraint in texts["constraints"]}
    if number.lower() not in constraints:
        raise Refusal(
            f"{texts['id']} has no constraint {number}; it has {', '.join(texts['constraints']) or 'none'}"
        )
    chosen = texts["constraints"][constraints[number.lower()]]
    return ExplainedSubject("constraint", partial(TextPage.replay, calls=chosen["page"]), chosen["content"])


def _expanded(op: str, args: argparse.Namespace) -> ExplainedSubject:
    """How an op is said in other ops. Raises: Refusal if it is not"""
    from irops.cli.extensions import registry_of
    from irops.document.expanded import expansions

    forms = expansions(op, registry=registry_of(args))
    if not forms:
        raise Refusal(f"irops has no expansion of {op} in other ops")
    content = {
        "id": op,
        "expansions": [
            {
                "rounds": form.rounds or None,
                "example": form.example,
                "outputs": list(form.outputs),
                "ops": [
                    {"name": s.name, "op": s.op, "inputs": list(s.inputs), "attributes": dict(s.attributes)}
                    for s in form.steps
                ],
            }
            for form in forms
        ],
    }

    def show(page: TextPage) -> None:
        page.title(f"{op} in other ops")
        for number, form in enumerate(forms, start=1):
            page.heading(f"form {number} ({form.example})")
            page.verbatim(str(form))
            exact = "The results are the same, bit for bit."
            page.paragraph(f"Results may differ: {form.rounds}." if form.rounds else exact, 2)

    return ExplainedSubject("op", show, content)


def _texts(name: str, ops: Catalogue, args: argparse.Namespace, or_rule: bool) -> Any:
    """The documentation of an op; see op_texts. Raises: Refusal if there is none, with suggestions"""
    op = ops.named(name) or _only_op_called(name, ops)
    if op is None:
        raise Refusal(unknown_op(name, ops, _similar_rules(name) if or_rule else None))
    return part("op_texts", op, args=args)


def _only_op_called(name: str, ops: Catalogue) -> str | None:
    """The newest version of the op that people call so, NonMaxSuppression for NMS; None where several are."""
    ids = called(ops.keywords, name)
    op = ids[0] if len(ids) == 1 else None
    if op is not None:
        say(f"irops explain: {printable(name)} is another name of {printable(op)}", sys.stderr)
    return op


def _similar_rules(name: str) -> list[str]:
    from irops.diagnostics.rules import all_rules, closest_rules

    return closest_rules(name, all_rules())
