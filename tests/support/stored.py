"""Texts that stand in files beside tests, as people see them."""

import os
import re
from pathlib import Path

_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)")


def assert_stored(text: str, file: Path, *, within: float = 0.0) -> None:
    """Compare a text with that of a file. With STORE=1 in the environment, the file is written anew.

    within: how far numbers in the text may be from those of the file
    """
    if os.environ.get("STORE") == "1":
        file.write_text(text, "utf-8")
    stored = file.read_text("utf-8")
    if within:
        (words, numbers), (others, near) = (_parts(one) for one in (text, stored))
        if len(numbers) == len(near) and all(abs(a - b) <= within for a, b in zip(numbers, near)):
            text, stored = words, others
    assert text.splitlines(keepends=True) == stored.splitlines(keepends=True)


def check_stored(test: str, name: str, text: str) -> None:
    """Compare a text with that in the .txt file of a test, after a line "== NAME", likewise."""
    path = Path(test).with_suffix(".txt")
    parts = path.read_text("utf-8").split("\n== ")[1:] if path.exists() else []
    stored = {title: rest for title, _, rest in (part.partition("\n") for part in parts)}
    text = f"{text.strip()}\n"
    if os.environ.get("STORE") == "1":
        stored[name] = text
        path.write_text("".join(f"\n== {title}\n{rest}" for title, rest in stored.items()), "utf-8")
    assert text == stored.get(name, "")


def _parts(text: str) -> tuple[str, list[float]]:
    """A text without its numbers, and these."""
    return _NUMBER.sub("#", text), [float(number) for number in _NUMBER.findall(text)]
