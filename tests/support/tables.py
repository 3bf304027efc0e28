"""Tables of cases that stand beside a test, in the TOML file of its name."""

import tomllib
from pathlib import Path
from typing import Any


def table(test: str, name: str) -> list[Any]:
    """The rows of a table. test: the file of the test; name: that of the test without test_"""
    rows: list[Any] = tomllib.loads(Path(test).with_suffix(".toml").read_text("utf-8"))[name]
    return rows
