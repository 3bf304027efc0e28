"""List the defined ops.

example:
  irops ops --category movement
  irops ops --opset 8 --text reverse
  irops ops --text "batch normalization"
  irops ops --attribute auto_pad
  irops ops --opset 17 --undefined
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

from irops.cli.catalogue import Catalogue, Entry, IndexedDialect, catalogue
from irops.cli.command import CLEAN, Command
from irops.cli.index import part
from irops.cli.main import Refusal
from irops.cli.options import add_extensions, add_format
from irops.cli.streams import say, write
from irops.cli.tables import show_table
from irops.diagnostics.printable import json_text, plural, printable
from irops.diagnostics.suggestions import did_you_mean_word, meant_or_all
from irops.spec.op_names import normal, opset_named

COMMAND = Command("list the defined ops", 210, ends_at_once=True)


def configure(parser: argparse.ArgumentParser) -> None:
    names = [dialect["name"] for dialect in part("dialects")]
    parser.add_argument(
        "--dialect",
        choices=names,
        default=names[0],
        metavar="NAME",
        help=f"the dialect of the ops: {', '.join(names)}; default: {names[0]}, with custom ops of"
        " --definitions and plug-ins",
    )
    parser.add_argument("--category", metavar="C", help="only ops of this category (movement, activation …)")
    parser.add_argument(
        "--opset", metavar="N", help="only the op versions in this opset of the dialect (8 or opset8)"
    )
    parser.add_argument(
        "--text",
        metavar="WORDS",
        help=(
            "only ops whose name, usual names, attributes, summary or description contain all of these words,"
            " the best matches first"
        ),
    )
    parser.add_argument(
        "--attribute", metavar="NAME", help="only ops that have this attribute (keep_dims, auto_pad)"
    )
    parser.add_argument(
        "--undefined", action="store_true", help="list the ops of the dialect that irops does not define"
    )
    add_format(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the names")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    ops = catalogue(args)
    dialect = ops.dialect(args.dialect)
    assert dialect is not None, "the parser accepts no other"
    entries = _undefined(args, dialect) if args.undefined else _defined(args, ops, dialect)
    if args.category is not None and not entries and args.category not in ops.categories:
        raise Refusal(f"unknown category {args.category!r}; {meant_or_all(args.category, ops.categories)}")
    if args.attribute is not None and not entries:
        _require_attribute(args, dialect)
    if args.output_format == "json":
        write(json_text({"version": 1, "ops": [entry._asdict() for entry in entries]}))
    elif args.quiet:
        say("".join(f"{printable(entry.op)}\n" for entry in entries), end="")
    else:
        _show(entries, _covered(args, dialect))
    return CLEAN


def _require_attribute(args: argparse.Namespace, dialect: IndexedDialect) -> None:
    """Raise Refusal where no op of the dialect has the attribute, but a similar one."""
    searched = part("search", dialect.name, args=args).values()
    names = dict.fromkeys(name for one in searched for name in one["attributes"])
    if not _with_attribute(names, args.attribute):
        meant = did_you_mean_word(args.attribute, names)
        if meant:
            raise Refusal(f"no op of {dialect.title} has an attribute {args.attribute!r}{meant}")


def _defined(args: argparse.Namespace, ops: Catalogue, dialect: IndexedDialect) -> list[Entry]:
    """An entry for each definition, which may hold several versions."""
    opset, words = _opset(args.opset, dialect), _words_of(args.text or "")
    is_searched = bool(words) or args.attribute is not None
    searched = part("search", dialect.name, args=args) if is_searched else {}
    ranked: list[tuple[int, Entry]] = []
    for entry in ops.entries(dialect):
        place = _rank(searched[entry.op]["texts"], words) if words else 0
        if (
            place is not None
            and args.category in (None, entry.category)
            and (opset is None or opset in entry.opsets)
            and (args.attribute is None or _with_attribute(searched[entry.op]["attributes"], args.attribute))
        ):
            ranked.append((place, entry))
    return [entry for _, entry in sorted(ranked, key=lambda one: one[0])]


def _rank(texts: Sequence[str], words: Sequence[str]) -> int | None:
    """The first of some texts with which all words have occurred; None if a word is in none of them."""
    read = ""
    for place, text in enumerate(texts):
        read += text
        if all(word in read for word in words):
            return place
    return None


def _words_of(text: str) -> tuple[str, ...]:
    """The words to look for: in lower case, without hyphens and underscores."""
    return tuple(normal([text]).split())


def _with_attribute(attributes: Iterable[str], attribute: str) -> bool:
    """Whether an op has an attribute, by any spelling (keep-dims, KEEP_DIMS)."""
    wanted = attribute.lower().replace("-", "_")
    return any(wanted == spelled.lower().replace("-", "_") for spelled in attributes)


def _undefined(args: argparse.Namespace, dialect: IndexedDialect) -> list[Entry]:
    opset, words = _opset(args.opset, dialect, required=True), (args.text or "").lower().split()
    return [
        Entry(op, category, tuple(opsets), "", defined=False)
        for op, category, opsets in part("listed", dialect.name, opset or "")
        if op not in dialect.versions
        and args.category in (None, category)
        and all(word in op.lower() for word in words)
    ]


def _opset(text: str | None, dialect: IndexedDialect, *, required: bool = False) -> str | None:
    """The opset with a name. required: whether the dialect must have opsets even if none is named."""
    if not dialect.opsets and (required or text is not None):
        raise Refusal(f"{dialect.name} has no opsets; --opset and --undefined are not available")
    if text is None:
        return None
    try:
        return opset_named(text, dialect.title, dialect.opsets)
    except ValueError as error:
        raise Refusal(str(error)) from None


def _covered(args: argparse.Namespace, dialect: IndexedDialect) -> str:
    """How many types of another dialect are defined, where all of its ops are listed; else empty."""
    chosen = (args.category, args.opset, args.text, args.attribute)
    if args.undefined or any(chosen) or not dialect.coverage:
        return ""
    return f"; {dialect.coverage}; --undefined lists the others"


def _show(entries: list[Entry], covered: str = "") -> None:
    if not entries:
        say("0 ops")
        return
    rows = [(entry.op, entry.category, _range(entry.opsets), entry.summary) for entry in entries]
    show_table(("op", "category", "opsets", "summary"), rows, plural(len(entries), "op") + covered)


def _range(names: tuple[str, ...]) -> str:
    """The first and the last opset: 1-16."""
    numbers = [name.removeprefix("opset") for name in names]
    return "-".join(dict.fromkeys(numbers[:1] + numbers[-1:]))


# Search by the names of ops, by the names that other libraries give them, and by attribute.


def rank(texts: Sequence[str], words: Sequence[str]) -> int | None:
    """The first of some texts with which all words have occurred; None if a word is in none of them."""
    read = ""
    for place, text in enumerate(texts):
        read += text
        if all(word in read for word in words):
            return place
    return None


def words_of(text: str) -> tuple[str, ...]:
    """The words to look for: in lower case, without hyphens and underscores."""
    return tuple(normal([text]).split())


def with_attribute(attributes: Iterable[str], attribute: str) -> bool:
    """Whether an op has an attribute, by any spelling (keep-dims, KEEP_DIMS)."""
    wanted = attribute.lower().replace("-", "_")
    return any(wanted == spelled.lower().replace("-", "_") for spelled in attributes)
