"""docs/hardening.md says of the limits what they are."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from irops.limits import Limits

PAGE = Path(__file__).parents[2] / "docs" / "hardening.md"


def test_the_page_has_every_limit_with_its_default():
    defaults = asdict(Limits())
    said = {name: what.replace("<dim>", "`<dim>`") for name, what in Limits.described().items()}
    rows = [f"| `{name}` | {defaults[name]:,} | {what} |" for name, what in said.items()]
    lines = PAGE.read_text().splitlines()
    start = lines.index("| limit | default | of what |")
    assert lines[start + 2 : start + 2 + len(rows) + 1] == [*rows, ""]
