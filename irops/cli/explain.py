"""Explain rules, constraints of ops and ops; without an argument, list all rules.

The rules of packages that register under the entry point group irops.rules,
and those that the file of --config names, are listed after the rules of irops.

example:
  irops explain
  irops explain IR4
  irops explain IR202 dangling-edge
  irops explain ReverseSequence-1:C1
  irops explain ReverseSequence-1 --output-format json
  irops explain ReverseSequence-1 --files
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from irops.cli.display import Page, print_json
from irops.cli.main import Refusal
from irops.cli.options import add_config, add_extensions, add_format, add_option
from irops.cli.parser import CLEAN, DEFINITION_ERRORS
from irops.cli.settings import settings
from irops.diagnostics.diagnostic import BANDS, Rule
from irops.diagnostics.printable import paragraphs, plural
from irops.diagnostics.rules import all_rules, custom_rules, own_rules

EXIT_1 = DEFINITION_ERRORS


class ExplainedSubject(NamedTuple):
    """The subject of an explanation.

    kind: rules, rule, band, op, constraint or files; names: of rules or ops; show: writes it to a page;
    content: as JSON
    """

    kind: str
    names: Sequence[str]
    show: Callable[[Page], None]
    content: Mapping[str, Any]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subjects",
        nargs="*",
        metavar="CODE",
        help=(
            "the code or name of a rule, the beginning of codes (IR4), an op, or an op and the number of a"
            " constraint (Reverse-1:C1); default: all rules"
        ),
    )
    add_option(parser, "--files", "the files of ops: of their definitions, and of their functions with lines")
    add_format(parser)
    add_option(parser, "--quiet -q", "only the codes of rules and the names of ops; or places")
    add_extensions(parser)
    add_config(parser)


def execute(args: argparse.Namespace) -> int:
    subjects = list(_subjects(args))
    if args.output_format == "json":
        described = [{"kind": subject.kind, **subject.content} for subject in subjects]
        print_json(1, {"subjects": described})
    elif args.quiet:
        sys.stdout.write("".join(f"{name}\n" for subject in subjects for name in subject.names))
    else:
        page = Page()
        for subject in subjects:
            subject.show(page)
        page.show()
    return CLEAN


def _subjects(args: argparse.Namespace) -> Iterable[ExplainedSubject]:
    """Raises: Refusal for a word that means nothing, with suggestions"""
    if args.files:
        if not args.subjects:
            raise Refusal("--files is given without an op; name one: irops explain ReverseSequence-1 --files")
        return [_files(word, args) for word in args.subjects]
    return [_subject(word, args) for word in args.subjects] or [_all_rules(args)]


def _all_rules(args: argparse.Namespace) -> ExplainedSubject:
    settings(args.config)
    rules = all_rules()
    content = {"rules": [_rule_as_json(rule) for rule in rules]}
    return ExplainedSubject("rules", [rule.code for rule in rules], partial(_show_rules, rules), content)


def _subject(word: str, args: argparse.Namespace) -> ExplainedSubject:
    known = _rule(word, own_rules()) or _band(word, own_rules())
    if known is not None:
        return known
    settings(args.config)
    return _rule(word, custom_rules()) or _band(word, custom_rules()) or _op_or_constraint(word, args)


def _rule(word: str, rules: Iterable[Rule]) -> ExplainedSubject | None:
    for name in (word, word.upper(), word.lower()):
        for rule in rules:
            if name in (rule.code, rule.name):
                return ExplainedSubject("rule", (rule.code,), partial(_show_rule, rule), _rule_as_json(rule))
    return None


def _band(word: str, all_rules: Iterable[Rule]) -> ExplainedSubject | None:
    """The rules whose codes begin with a word of at least two letters, in any case."""
    prefix = word.upper()
    rules = [rule for rule in all_rules if len(prefix) > 1 and rule.code.startswith(prefix)]
    if not rules:
        return None
    name = BANDS.get(prefix[:3], "")
    content = {"code": prefix, "name": name, "rules": [_rule_as_json(rule) for rule in rules]}
    return ExplainedSubject(
        "band", [rule.code for rule in rules], partial(_show_band, prefix, rules), content
    )


def _show_rules(rules: Sequence[Rule], page: Page) -> None:
    for band, of_band in groupby(rules, lambda rule: rule.band):
        _list_rules(band, of_band, page)
    page.paragraph(plural(len(rules), "rule"))


def _show_band(prefix: str, rules: Sequence[Rule], page: Page) -> None:
    _list_rules(prefix, rules, page)
    page.paragraph(f"One of them: irops explain {rules[0].code}")


def _list_rules(prefix: str, rules: Iterable[Rule], page: Page) -> None:
    """The rules that share a prefix, one entry each."""
    page.title(f"{prefix} {BANDS.get(prefix[:3], '')}".rstrip())
    for rule in rules:
        page.entry(f"{rule.code} {rule.name} ({rule.severity})", rule.summary)


def _show_rule(rule: Rule, page: Page) -> None:
    page.title(f"{rule.code} {rule.name} ({rule.severity})")
    page.lines(rule.summary)
    for paragraph in paragraphs(rule.explanation):
        page.paragraph(paragraph)


def _rule_as_json(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": str(rule.severity),
        "band": rule.code[:3],
        "summary": rule.summary,
        "explanation": rule.explanation,
        "custom": rule.code[:3] not in BANDS,
    }


def _op_or_constraint(word: str, args: argparse.Namespace) -> ExplainedSubject:
    from irops.cli import op_page  # imports what reads definitions, and NumPy: rules need neither
    from irops.dialects import others

    prefixes = (f"{dialect.name}:" for dialect in others())
    dialect = next((prefix for prefix in prefixes if word.lower().startswith(prefix)), "")
    name, _, number = word[len(dialect) :].partition(":")
    definition = op_page.op_named(f"{dialect}{name}", args, or_rule=not number).definition
    if not number:
        show = partial(op_page.explain_op, definition)
        return ExplainedSubject("op", (definition.id,), show, op_page.op_as_json(definition))
    constraint = next((c for c in definition.constraints.values() if c.id.lower() == number.lower()), None)
    if constraint is None:
        known = ", ".join(definition.constraints) or "none"
        raise Refusal(f"{definition.id} has no constraint {number}; it has {known}")
    content = op_page.constraint_as_json(definition, constraint)
    show = partial(op_page.explain_constraint, definition, constraint)
    return ExplainedSubject("constraint", (content["id"],), show, content)


def _files(word: str, args: argparse.Namespace) -> ExplainedSubject:
    from irops.cli import op_page

    op = op_page.op_named(word, args)
    places = op_page.source_places(op)
    content = {role: {"file": file, "line": line} for role, (file, line) in places.items()}
    texts = {role: f"{op_page.short_path(file)}:{line}" for role, (file, line) in places.items()}
    show = partial(_show_files, op.definition.id, texts, alone=len(args.subjects) == 1)
    return ExplainedSubject("files", tuple(texts.values()), show, {"op": op.definition.id, **content})


def _show_files(op: str, texts: Mapping[str, str], page: Page, *, alone: bool) -> None:
    if not alone:
        page.title(op)
    for role, text in texts.items():
        page.verbatim(f"{role:18}{text}", indent=0)
