"""The entry of a new op in schemas/opsets.xml, which states the opsets that contain it."""

from __future__ import annotations

import re

from irops.cli.main import Refusal
from irops.spec.opsets import opsets

_OP = re.compile(r'  <op type="([^"]+)"[^>]*>\n(?:    .*\n)*  </op>\n')


def refuse_opset(type: str, version: str) -> None:
    """Raise Refusal if an opset contains a type already."""
    found = opsets().find(type, version)
    if found is not None:
        raise Refusal(f"{version} already has {found.id}; a newer version of the op needs a newer opset")


def with_entry(table: str, type: str, version: str, category: str) -> str:
    """The text of opsets.xml with one more version of an op, which one opset contains."""
    number = version.removeprefix("opset")
    line = f'    <version since="{version}" in="{number}" page="{type}-{number}"/>\n'
    end = 0
    for entry in _OP.finditer(table):
        if entry[1].lower() == type.lower():
            place = entry.end() - len("  </op>\n")
            return table[:place] + line + table[place:]
        if entry[1].lower() < type.lower():
            end = entry.end()
    end = end or next((entry.start() for entry in _OP.finditer(table)), table.rindex("</opsets>"))
    return f'{table[:end]}  <op type="{type}" category="{category}">\n{line}  </op>\n{table[end:]}'
