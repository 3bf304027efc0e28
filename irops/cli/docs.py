"""Write the documentation: a page for every op, rule and opset, with an index.

The HTML site has a search. Pages that compare dialects show what the installed
runtimes do with unusual inputs; each runtime runs in a separate process, which
takes about half a minute in total.

example:
  irops docs --output site
  irops docs --output pages --format markdown
"""

from __future__ import annotations

import argparse

from irops.cli.exit_codes import CLEAN
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal
from irops.cli.progress import progress_bar
from irops.diagnostics.printable import plural
from irops.document.site import MissingExtraError, Site


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        "-o",
        metavar="DIR",
        required=True,
        help="the output folder; an existing folder is replaced only if irops wrote it",
    )
    parser.add_argument("--format", choices=("html", "markdown"), default="html", help="default: html")
    parser.add_argument("--no-runtimes", action="store_true", help="do not run the installed runtimes")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary, no progress")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    try:
        site = Site(registry_of(args), args.format, with_runtimes=not args.no_runtimes)
    except MissingExtraError as error:
        raise Refusal(str(error)) from None
    with progress_bar("writing pages", quiet=args.quiet) as progress:
        count = site.write(args.output, progress)
    if not args.quiet:
        start = "index.html" if args.format == "html" else "index.md"
        print(f"{plural(count, 'page')} in {args.output}; start at {args.output.rstrip('/')}/{start}")
    return CLEAN
