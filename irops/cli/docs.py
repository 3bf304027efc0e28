"""Write the documentation: a page for every op, rule, opset and command.

HTML is built with Sphinx, has a search over everything, and takes a minute or
two. With --pages, the pages of a folder are part of the site; its index.md is
the first one.

example:
  irops docs --output site
  irops docs --output site --definitions my_ops --custom-only --title "My ops"
  irops docs --output pages --format markdown
"""

from __future__ import annotations

import argparse
from pathlib import Path

from irops.cli.command_pages import command_pages
from irops.cli.exit_codes import CLEAN
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal
from irops.cli.numbers import integer_at_least
from irops.cli.progress import progress_bar
from irops.diagnostics.printable import plural
from irops.document.extras import MissingExtraError
from irops.document.site import Site
from irops.document.sphinx.build import BuildError, BuildOptions


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output",
        "-o",
        metavar="DIR",
        required=True,
        help="the output folder; an existing folder is replaced only if irops wrote it",
    )
    parser.add_argument(
        "--format",
        choices=("html", "markdown"),
        default="html",
        help="default: html",
    )
    parser.add_argument(
        "--custom-only",
        action="store_true",
        help="only the ops of --definitions, without the ops and rules of irops",
    )
    parser.add_argument(
        "--pages", metavar="FOLDER", help="a folder of Markdown pages that become part of the site"
    )
    parser.add_argument("--title", default="irops", help="the title of the site; default: irops")
    parser.add_argument(
        "--base-url",
        metavar="URL",
        default="",
        help="where the site will be served, for its sitemap and canonical links",
    )
    parser.add_argument(
        "--jobs",
        "-j",
        metavar="N",
        type=integer_at_least(1),
        default=1,
        help="number of processes of Sphinx; default: 1",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary, no progress")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    try:
        _write(args)
    except (MissingExtraError, BuildError) as error:
        raise Refusal(str(error)) from None
    return CLEAN


def _write(args: argparse.Namespace) -> None:
    if args.custom_only and not args.definitions:
        raise Refusal("--custom-only needs --definitions FOLDER")
    pages = None if args.pages is None else Path(args.pages)
    if pages is not None and not pages.is_dir():
        raise Refusal(f"--pages {args.pages}: no such folder")
    is_whole = args.format == "html" and not args.custom_only
    site = Site(
        registry_of(args),
        args.format,
        custom_only=args.custom_only,
        guide=pages,
        more=command_pages() if is_whole else (),
        options=BuildOptions(args.title, args.base_url, args.jobs, api=pages is not None),
    )
    with progress_bar("writing pages", quiet=args.quiet) as progress:
        count = site.write(args.output, progress)
    if not args.quiet:
        start = "index.html" if args.format == "html" else "index.md"
        print(f"{plural(count, 'page')} in {args.output}; start at {args.output.rstrip('/')}/{start}")
