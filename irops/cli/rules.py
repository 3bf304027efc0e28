"""List the rules, custom rules included.

The rules of packages that register under the entry point group irops.rules,
and those that irops.toml names, are listed after the rules of irops.

example:
  irops rules
  irops rules IR4 dangling-edge
  irops rules --output-format json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from irops.cli.command import CLEAN, Command
from irops.cli.main import Refusal
from irops.cli.options import add_format, add_trust
from irops.cli.rule_page import rule_as_json
from irops.cli.settings import settings
from irops.cli.streams import say, write
from irops.cli.tables import show_table
from irops.diagnostics.printable import json_text, plural, printable
from irops.diagnostics.rule import BANDS, Rule
from irops.diagnostics.rules import rules_of
from irops.spec.extension import rules

COMMAND = Command("list the rules, custom rules included", 200, ends_at_once=True)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rules", nargs="*", metavar="RULE", help="only these: codes, prefixes of codes, or names"
    )
    add_format(parser)
    add_trust(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the codes")


def execute(args: argparse.Namespace) -> int:
    settings(trusting=args.trust_settings)
    try:
        chosen = rules_of(args.rules)
    except ValueError as error:
        raise Refusal(str(error)) from None
    listed = [one for one in rules() if one.code in chosen or not chosen]
    if args.output_format == "json":
        write(json_text({"version": 1, "rules": [rule_as_json(one, BANDS) for one in listed]}))
    elif args.quiet:
        say("".join(f"{printable(one.code)}\n" for one in listed), end="")
    else:
        _show(listed)
    return CLEAN


def _show(listed: Sequence[Rule]) -> None:
    rows = [(one.code, one.name, str(one.severity), one.summary) for one in listed]
    show_table(("code", "name", "severity", "summary"), rows, plural(len(listed), "rule"))
