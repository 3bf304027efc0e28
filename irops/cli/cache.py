"""Show or remove what irops keeps: checks, an index of the ops, remote files.

A result is used again only if nothing that it depends on has changed: the .xml
file, the .bin file, the options, irops, and the libraries that it uses.
--no-cache, or IROPS_DISABLE=cache, turns this off. Of models and weights at
URLs, irops keeps what it fetched; IROPS_REMOTE_CACHE_BYTES sets how much.
IROPS_CACHE_DIR names another folder.

example:
  irops cache
  irops cache clean
  irops cache --output-format json
"""

from __future__ import annotations

import argparse
import os

from irops.cli.check_cache import FOLDER as CHECKS
from irops.cli.command import CLEAN, Command
from irops.cli.index import FOLDER as INDEX
from irops.cli.main import Refusal
from irops.cli.options import add_format
from irops.cli.streams import say, write
from irops.diagnostics.printable import Printable, json_text, literal, plural, printable
from irops.files.cache.downloads import Downloads
from irops.files.cache.entries import MAX_BYTES, clean, usage
from irops.files.cache.folder import VARIABLE, cache_folder
from irops.files.cache.remote import BLOCKS, FILES, max_bytes
from irops.files.switches import enabled

COMMAND = Command("show or remove what irops keeps between calls", 260, code_1=None, ends_at_once=True)

KINDS = {
    CHECKS: (literal("result"), literal("of checks")),
    INDEX: (literal("part"), literal("of the index of ops and rules")),
    BLOCKS: (literal("part"), literal("of remote files")),
    FILES: (literal("file"), literal("fetched as a whole")),
}

UNITS = (literal("KB"), literal("MB"), literal("GB"), literal("TB"))


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("show", "clean"), default="show", help="show (default), or remove all"
    )
    add_format(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the folder")


def execute(args: argparse.Namespace) -> int:
    folder = cache_folder()
    if folder is None:
        raise Refusal(f"there is no home folder; set {VARIABLE} to a folder")
    counts = {kind: _counts(os.path.join(folder, kind), kind, args.action) for kind in KINDS}
    if args.output_format == "json":
        entries = {kind: {"entries": count, "bytes": size} for kind, (count, size) in counts.items()}
        content = {"version": 1, "folder": folder, "enabled": enabled("cache"), "kinds": entries}
        write(json_text({**content, "removed": args.action == "clean"}))
        return CLEAN
    say(printable(folder))
    if not args.quiet:
        _show(counts, args.action)
    return CLEAN


def _counts(folder: str, kind: str, action: str) -> tuple[int, int]:
    """The number of entries of a kind and their size, which are removed if the action says so."""
    if kind == FILES:
        files = Downloads(folder, 0)
        return files.clean() if action == "clean" else files.usage()
    return clean(folder) if action == "clean" else usage(folder)


def _show(counts: dict[str, tuple[int, int]], action: str) -> None:
    for kind, (count, size) in counts.items():
        word, of_what = KINDS[kind]
        removed = literal(" removed") if action == "clean" else literal("")
        say(f"  {plural(count, word)} {of_what}, {_size(size)}{removed}")
    if action == "show":
        say(f"  at most {_size(MAX_BYTES)} of results, and as much of the index", end="; ")
        say(f"{_size(_remote_bytes())} of remote files; the oldest are removed")
        if not enabled("cache"):
            say("  turned off by IROPS_DISABLE")


def _remote_bytes() -> int:
    try:
        return max_bytes()
    except OSError as error:
        raise Refusal(str(error.strerror)) from None


def _size(count: int) -> Printable:
    """A number of bytes with its unit: 12.3 KB."""
    if count < 1 << 10:
        return plural(count, "byte")
    power = min((count.bit_length() - 1) // 10, len(UNITS))
    return f"{count / (1 << 10 * power):,.1f} {UNITS[power - 1]}"
