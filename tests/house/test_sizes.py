"""Files stay small enough to be read at once."""

from __future__ import annotations

from pathlib import Path

import irops

PACKAGE = Path(irops.__file__).parent


def lengths():
    return {p.relative_to(PACKAGE).as_posix(): len(p.read_text().splitlines()) for p in PACKAGE.rglob("*.py")}


def test_no_file_is_long():
    assert {name: n for name, n in lengths().items() if n > 300} == {}


def test_most_files_are_short():
    counts = lengths().values()
    assert sum(n <= 150 for n in counts) / len(counts) > 0.8


def test_no_module_is_named_for_nothing():
    assert [
        p.name
        for p in PACKAGE.rglob("*.py")
        if p.stem in ("utils", "util", "helpers", "helper", "common", "manager", "misc")
    ] == []
