"""Write the documentation: a page for every op, rule, opset and command.

HTML is built with Sphinx, has a search over everything, and takes a minute or
two. With --pages, the pages of a folder are part of the site; its index.md is
the first one.

example:
  irops docs --output site
  irops docs --output site --definitions my_ops --custom-only --title "My ops"
  irops docs --output pages --format markdown
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from irops.cli.display import print_diagnostics, progress_bar, show_written
from irops.cli.main import COMMANDS, Refusal, command_named
from irops.cli.models import registry_of
from irops.cli.options import add_extensions, add_open, add_option, refusing, written_folder
from irops.cli.parser import CLEAN, DEFINITION_ERRORS, exit_codes
from irops.conformance.kit import definition_warnings
from irops.diagnostics.printable import plural
from irops.dialects.registry import default_registry
from irops.document.case_views import cell, code, prose
from irops.document.site import Site
from irops.document.sphinx.build import BuildError, BuildOptions
from irops.environment import MissingExtraError

EXIT_1 = DEFINITION_ERRORS


def configure(parser: argparse.ArgumentParser) -> None:
    output = "the output folder; an existing folder is replaced only if irops wrote it"
    add_option(parser, "--output -o DIR", output, type=written_folder, required=True)
    add_option(parser, "--format", "", choices=("html", "markdown"), default="html")
    add_option(parser, "--custom-only", "only the ops of --definitions, without the ops and rules of irops")
    add_option(parser, "--pages FOLDER", "a folder of Markdown pages that become part of the site")
    add_option(parser, "--title TITLE", "the title of the site", default="irops")
    base_url = "where the site will be served, for its sitemap and canonical links"
    add_option(parser, "--base-url URL", base_url, default="")
    add_option(parser, "--jobs -j N", "number of processes of Sphinx", at_least=1, default=1)
    add_open(parser)
    add_option(parser, "--quiet -q", "no summary, no progress")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    with refusing(MissingExtraError, BuildError):
        _write(args)
    return CLEAN


def _write(args: argparse.Namespace) -> None:
    if args.custom_only and not args.definitions:
        raise Refusal("--custom-only needs --definitions FOLDER")
    pages = None if args.pages is None else Path(args.pages)
    if pages is not None and not pages.is_dir():
        raise Refusal(f"--pages {args.pages}: no such folder")
    registry = registry_of(args) or default_registry()
    print_diagnostics(definition_warnings(registry), sys.stderr)
    is_whole = args.format == "html" and not args.custom_only
    site = Site(
        registry,
        args.format,
        custom_only=args.custom_only,
        guide=pages,
        more=command_pages() if is_whole else (),
        options=BuildOptions(args.title, args.base_url, args.jobs, api=pages is not None),
    )
    with progress_bar("writing pages", quiet=args.quiet) as progress:
        count = site.write(args.output, progress)
    start = f"{args.output.rstrip('/')}/{'index.html' if args.format == 'html' else 'index.md'}"
    if not args.quiet:
        print(f"{plural(count, 'page')} in {args.output}; start at {start}")
    show_written(start, args)


USAGE = "usage: "
EXAMPLE = "\n\nexample:\n"
INTRODUCTION = """# Commands

Every command has `--help`, and `irops help COMMAND` shows the same. `--color always` and `never`
decide on colours, `--verbose` also says which files were read and how long it took, and `--debug` prints the
traceback of an internal error. Exit codes: 0 success; 1 findings; 2 wrong usage, a file that cannot be
read or written, or an internal error.
"""


def command_pages() -> Iterator[tuple[str, str]]:
    """Relative path and text of each page, the list of all first."""
    rows = "\n".join(f"| [irops {name}]({name}.md) | {cell(what)} |" for name, what in COMMANDS.items())
    pages = "\n".join(COMMANDS)
    table = f"| command | |\n|---|---|\n{rows}\n"
    yield "commands/index.md", f"{INTRODUCTION}\n{table}\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"
    for name in COMMANDS:
        yield f"commands/{name}.md", command_page(name)


def command_page(name: str) -> str:
    """The page of a command: usage, text, examples, arguments and exit codes."""
    command, parser = command_named(name)
    text, _, example = (parser.description or "").partition(EXAMPLE)
    lead, _, more = text.partition("\n\n")
    shown = "\n".join(line.removeprefix("  ") for line in example.rstrip().splitlines())
    examples = f"\n## Examples\n\n```sh\n{shown}\n```\n" if shown else ""
    codes = "\n".join(line.removeprefix("  ") for line in exit_codes(command.EXIT_1).splitlines()[1:])
    tables = "".join(_arguments(group) for group in parser._action_groups)
    return (
        f"# irops {name}\n\n{_description(lead)}\n\n```text\n{_usage(parser)}\n```\n\n"
        f"{_description(more)}\n{examples}{tables}\n## Exit codes\n\n```text\n{codes}\n```\n"
    )


def _description(text: str) -> str:
    """Paragraphs as prose; lists and tables, whose lines are indented, as they are."""
    parts = [part.strip("\n") for part in text.split("\n\n") if part.strip()]
    return "\n\n".join(
        f"```text\n{part}\n```" if any(line[:1] == " " for line in part.splitlines()) else prose(part)
        for part in parts
    )


def _usage(parser: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(parser.prog, width=88)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups)
    lines = formatter.format_help().removeprefix(USAGE).rstrip().splitlines()
    return "\n".join(line.removeprefix(" " * len(USAGE)) for line in lines)


def _arguments(group: argparse._ArgumentGroup) -> str:
    """The arguments of a group, each with its help as its definition."""
    rows = [
        f"{_name(action)}\n: {cell(help_of(action))}\n"
        for action in group._group_actions
        if action.help is not argparse.SUPPRESS and action.dest != "help"
    ]
    if not rows:
        return ""
    title = "Arguments" if group.title == "positional arguments" else (group.title or "Options")
    return f"\n## {title[:1].upper()}{title[1:]}\n\n" + "\n".join(rows)


def _name(action: argparse.Action) -> str:
    if not action.option_strings:
        return code(action.metavar or action.dest)
    value = "" if action.nargs == 0 else f" {action.metavar or _choices(action) or action.dest.upper()}"
    return ", ".join(code(f"{option}{value}") for option in reversed(action.option_strings))


def _choices(action: argparse.Action) -> str:
    return f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""


def help_of(action: argparse.Action) -> str:
    """The help of an option or an argument, with its values in place of %(…)s."""
    values = {**vars(action), "prog": "irops"}
    return (action.help or "") % values if "%" in (action.help or "") else (action.help or "")
