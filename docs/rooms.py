"""Draws docs/rooms.svg, the picture of docs/architecture.md: the parts of irops by level, what each is for,
and which of them a command loads.

usage: python docs/rooms.py
"""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
MODEL = "examples/digit_classifier/model.xml"
COMMANDS = {
    "check": ("check", MODEL),
    "infer": ("infer", MODEL),
    "run": ("run", MODEL, "--fill", "ones"),
    "compare": ("compare", MODEL, "--fill", "ones", "--b", "reference"),
    "diff": ("diff", MODEL, MODEL),
    "draw": ("draw", MODEL, "-o", "-"),
}
LOADED = """
import contextlib, io, sys
from irops.cli.main import main
with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(io.StringIO()):
    with contextlib.suppress(SystemExit):
        main(sys.argv[1:])
print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("irops.")}))
"""
HEADING = "a part imports parts of the groups below its own, and no others"
ROW, TOP, LEFT, COLUMN = 24, 56, 800, 62
INK = {"name": "#1f4e8c", "text": "#444", "dot": "#1f4e8c", "line": "#e4e4e4"}


def levels() -> dict[str, int]:
    """The level of each part, from the test that holds imports to them."""
    tree = ast.parse((ROOT / "tests" / "house" / "test_layers.py").read_text("utf-8"))
    found = next(n for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "LEVELS")
    table: dict[str, int] = ast.literal_eval(found.value)
    return table


def sentence(part: str) -> str:
    """What a part is for: the beginning of its docstring."""
    path = ROOT / "irops" / part / "__init__.py"
    path = path if path.is_file() else ROOT / "irops" / f"{part}.py"
    first = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n\n")[0]
    return textwrap.shorten(" ".join(first.replace("`", "").split()), 106, placeholder=" …")


def loaded(words: tuple[str, ...]) -> set[str]:
    """The parts that a command loads."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def picture() -> str:
    """The picture: a row for each part, the commands at the top, what stands on nothing at the bottom."""
    parts = sorted(levels().items(), key=lambda part: (-part[1], part[0]))
    columns = {name: loaded(words) for name, words in COMMANDS.items()}
    width, height = LEFT + COLUMN * len(columns) + 10, TOP + ROW * len(parts) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="34" fill="{INK["text"]}">{HEADING}</text>',
    ]
    for number, name in enumerate(columns):
        x = LEFT + COLUMN * number + COLUMN // 2
        lines.append(f'<text x="{x}" y="34" text-anchor="middle" font-weight="bold">{name}</text>')
    level = parts[0][1]
    for row, (part, at) in enumerate(parts):
        y = TOP + ROW * row
        if at != level:
            lines.append(f'<path d="M10 {y} H{width - 10}" stroke="{INK["line"]}"/>')
            level = at
        lines.append(f'<text x="16" y="{y + 16}" fill="{INK["name"]}" font-weight="bold">{part}</text>')
        lines.append(f'<text x="118" y="{y + 16}" fill="{INK["text"]}">{escape(sentence(part))}</text>')
        for number, rooms in enumerate(columns.values()):
            if part in rooms:
                x = LEFT + COLUMN * number + COLUMN // 2
                lines.append(f'<circle cx="{x}" cy="{y + 12}" r="5" fill="{INK["dot"]}"/>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    (ROOT / "docs" / "rooms.svg").write_text(picture(), "utf-8")
