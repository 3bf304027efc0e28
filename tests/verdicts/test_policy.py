"""Numbers that decide verdicts are in one place, with their reasons, and the page shows them."""

import ast
import re
from pathlib import Path

from irops.verdicts import policy

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "comparing.md"


def rows() -> list[str]:
    """The rows of the table: name, value and reason of each number."""
    body = ast.parse(Path(policy.__file__).read_text("utf-8")).body[1:]
    named = zip(body[::2], body[1::2], strict=True)
    return [
        f"| {a.targets[0].id} | {ast.unparse(a.value)} | {' '.join(reason.value.value.split())} |"
        for a, reason in named
    ]


def test_the_page_has_every_number_with_its_reason():
    shown = re.findall(r"^\| [A-Z_]+ \|.*$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert shown == rows()


if __name__ == "__main__":
    print(*rows(), sep="\n")
