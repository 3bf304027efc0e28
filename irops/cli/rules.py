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
import json
import sys
from collections.abc import Sequence

from irops.cli.exit_codes import CLEAN
from irops.cli.extension_options import add_config
from irops.cli.main import Refusal
from irops.cli.rule_page import rule_as_json
from irops.cli.settings import settings
from irops.cli.streams import show
from irops.cli.tables import table
from irops.diagnostics.printable import plural
from irops.diagnostics.rule import Rule
from irops.diagnostics.selection import rules_of
from irops.spec.custom_rules import rules


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rules", nargs="*", metavar="RULE", help="only these: codes, prefixes of codes, or names"
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the codes")
    add_config(parser)


def execute(args: argparse.Namespace) -> int:
    settings(args.config)
    try:
        chosen = rules_of(args.rules)
    except ValueError as error:
        raise Refusal(str(error)) from None
    listed = [one for one in rules() if one.code in chosen or not chosen]
    if args.output_format == "json":
        json.dump({"version": 1, "rules": [rule_as_json(one) for one in listed]}, sys.stdout, indent=2)
        print()
    elif args.quiet:
        sys.stdout.write("".join(f"{one.code}\n" for one in listed))
    else:
        _show(listed)
    return CLEAN


def _show(listed: Sequence[Rule]) -> None:
    out = table("", "code", "name", "severity", "summary")
    for one in listed:
        out.add_row(one.code, one.name, str(one.severity), one.summary)
    out.caption = plural(len(listed), "rule")
    show(out)
