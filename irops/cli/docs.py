"""Write the documentation: a page for every op, rule and opset, with an index.

In HTML there is a search, too. Pages that lay dialects side by side show what
the runtimes that are installed do with odd inputs: each is asked in a process
of its own, which takes half a minute.

example:
  irops docs --output site
  irops docs --output pages --format markdown
"""

from __future__ import annotations

import argparse

from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import CLEAN, Refusal
from irops.cli.progress import counted
from irops.diagnostics.printable import plural


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        "-o",
        metavar="DIR",
        required=True,
        help="the folder to write; replaced if it holds such pages already",
    )
    parser.add_argument("--format", choices=("html", "markdown"), default="html", help="default: html")
    parser.add_argument(
        "--no-runtimes", action="store_true", help="ask no runtime what it does with odd inputs"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="say nothing, show no progress")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    from irops.document.site import MissingExtraError, Site

    try:
        site = Site(registry_of(args), args.format, ask=not args.no_runtimes)
    except MissingExtraError as error:
        raise Refusal(str(error)) from None
    with counted("writing pages", quiet=args.quiet) as progress:
        count = site.write(args.output, progress)
    if not args.quiet:
        start = "index.html" if args.format == "html" else "index.md"
        print(f"{plural(count, 'page')} in {args.output}; begin at {args.output.rstrip('/')}/{start}")
    return CLEAN
