"""The option --no-cache of the commands whose results are kept."""

from __future__ import annotations

import argparse


def add_cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="neither use nor keep results in the cache; irops cache describes it",
    )
