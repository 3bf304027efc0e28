"""Libraries that some tests need: loaded when a test uses them, and not when tests are collected."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


def needs(*names: str) -> pytest.MarkDecorator:
    """A mark for a module whose tests are skipped where a library is not installed."""
    missing = [name for name in names if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


class Late:
    """A module by its name; it is imported when something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest asks every name of a test module for such
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)
