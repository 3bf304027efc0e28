"""The tables of irops run --profile, and its option."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from irops.cli.streams import show
from irops.cli.tables import table
from irops.diagnostics.printable import printable, shown
from irops.runtime.profile import Profile, Total

if TYPE_CHECKING:
    from rich.table import Table

SLOWEST = 10
"""Number of layers shown."""


def trace_file(text: str) -> str:
    """The type of the option: a .json file, so that a model is never taken for it, and overwritten."""
    if text and not text.endswith(".json"):
        raise argparse.ArgumentTypeError(f"{text!r} is no .json file for the trace; write MODEL first")
    return text


def report_profile(profile: Profile, file: str, *, quiet: bool) -> None:
    """Show what a run takes, and write its trace if a file is named. Raises: OSError"""
    if file:
        profile.write(file)
        dropped = f", without {profile.dropped:,} events" if profile.dropped else ""
        print(f"the trace is saved as {printable(file)!r}{dropped}", file=sys.stderr)
    if not quiet:
        times = f"{profile.seconds * 1e3:,.1f} ms in all, {profile.planning * 1e3:,.1f} ms of them planning"
        by_op = _table(f"time by op: {times}", ("op", "backend"), profile, profile.ops)
        slowest = profile.layers[:SLOWEST]
        show("", by_op, "", _table("slowest layers", ("layer", "op", "backend"), profile, slowest))


def _table(title: str, names: Sequence[str], profile: Profile, totals: Sequence[Total]) -> Table:
    out = table(title, *names, ">calls", ">ms", ">share", ">bytes")
    for total in totals:
        layer = "/".join((*total.path, total.name))
        texts = {"layer": shown(layer), "op": shown(total.op), "backend": total.backend}
        out.add_row(
            *(texts[name] for name in names),
            f"{total.calls:,}",
            f"{total.seconds * 1e3:,.2f}",
            f"{profile.share(total):.1%}",
            f"{total.bytes:,}",
        )
    return out
