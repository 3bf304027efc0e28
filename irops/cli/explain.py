"""Explain a rule, a requirement of an op, or an op.

example:
  irops explain IR202
  irops explain dangling-edge
  irops explain ReverseSequence-1:C1
  irops explain ReverseSequence-1
"""
from __future__ import annotations

import argparse
from collections.abc import Iterable

from irops.cli import op_page
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import CLEAN, Refusal
from irops.cli.page import Page
from irops.diagnostics.printable import paragraphs
from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import all_rules, rule
from irops.registry import Registry, default_registry
from irops.spec.definition import Definition


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subjects", nargs="+", metavar="CODE", help="a code or name of a rule, an op, or an op and the number of a "
                        "requirement (ReverseSequence-1:C1)")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    page = Page()
    for subject in args.subjects:
        _explain(subject, page, registry)
    page.show()
    return CLEAN


def _explain(subject: str, page: Page, registry: Registry) -> None:
    for name in (subject, subject.upper(), subject.lower()):
        try:
            return _rule(rule(name), page)
        except KeyError:
            continue
    op, _, number = subject.partition(":")
    definition = _definition(op, subject, registry)
    if not number:
        return op_page.whole(definition, page)
    constraints = {constraint.lower(): constraint for constraint in definition.constraints}
    if number.lower() not in constraints:
        raise Refusal(f"{definition.id} has no requirement {number}; it has {', '.join(definition.constraints) or 'none'}")
    return op_page.requirement(definition, definition.constraints[constraints[number.lower()]], page)


def _rule(found: Rule, page: Page) -> None:
    page.title(f"{found.code} {found.name} ({found.severity})")
    page.lines(found.summary)
    for paragraph in paragraphs(found.explanation):
        page.paragraph(paragraph)


def _definition(name: str, subject: str, registry: Registry) -> Definition:
    try:
        return registry.definition(name)
    except KeyError:
        near = _near(name, (word for rule in all_rules() for word in (rule.code, rule.name))) + _near(name, registry.ids())
        hint = f"; did you mean {' or '.join(near[:3])}?" if near else "; see irops ops for all ops"
        raise Refusal(f"nothing is called {subject!r}{hint}") from None


def _near(name: str, known: Iterable[str]) -> list[str]:
    from difflib import get_close_matches
    spelled = {word.lower(): word for word in known}
    return [spelled[word] for word in get_close_matches(name.lower(), spelled, 2)]
