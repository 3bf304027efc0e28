"""Explain a rule, a constraint of an op, or an op.

example:
  irops explain IR202
  irops explain dangling-edge
  irops explain ReverseSequence-1:C1
  irops explain ReverseSequence-1
"""

from __future__ import annotations

import argparse

from irops.cli import op_page
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.lookup import definition_of
from irops.cli.exit_codes import CLEAN
from irops.cli.main import Refusal
from irops.cli.page import Page
from irops.diagnostics.printable import paragraphs
from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import rule
from irops.dialects import others
from irops.registry import Registry, default_registry


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subjects",
        nargs="+",
        metavar="CODE",
        help=("the code or name of a rule, an op, or an op and the number of a constraint (Reverse-1:C1)"),
    )
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
            return _explain_rule(rule(name), page)
        except KeyError:
            continue
    dialect = next((f"{one.name}:" for one in others() if subject.lower().startswith(f"{one.name}:")), "")
    op, _, number = subject[len(dialect) :].partition(":")
    op = f"{dialect}{op}"
    definition = definition_of(op, registry, or_rule=not number)
    if not number:
        return op_page.explain_op(definition, page)
    constraints = {constraint.lower(): constraint for constraint in definition.constraints}
    if number.lower() not in constraints:
        raise Refusal(
            f"{definition.id} has no constraint {number}; it has"
            f" {', '.join(definition.constraints) or 'none'}"
        )
    return op_page.explain_constraint(definition, definition.constraints[constraints[number.lower()]], page)


def _explain_rule(explained: Rule, page: Page) -> None:
    page.title(f"{explained.code} {explained.name} ({explained.severity})")
    page.lines(explained.summary)
    for paragraph in paragraphs(explained.explanation):
        page.paragraph(paragraph)
