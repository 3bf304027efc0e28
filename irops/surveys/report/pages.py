"""The names of the pages of models: safe on all systems, and different for models of equal names."""

from __future__ import annotations

import re

MAX_STEM = 60
"""The greatest number of characters of a model's name in that of its page."""
_PAGE = re.compile(r"\d+-[A-Za-z0-9._-]+\.html")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def page_name(index: int, model: str) -> str:
    """The name of the page of a model. index: its place among all models, which makes the name unique"""
    last = re.split(r"[/\\]", model.rstrip("/\\"))[-1]
    stem = _UNSAFE.sub("-", last[: 4 * MAX_STEM])[-MAX_STEM:].strip(".-")
    return f"{index + 1}-{stem or 'model'}.html"


def is_page_name(name: str) -> bool:
    """Whether a file has a name that page_name gives."""
    return _PAGE.fullmatch(name) is not None
