"""What the server is started with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from irops.files.limits import Limits


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of `irops server`; those that select findings come from the settings of the folder.

    definitions, modules: custom ops, whose code the server may run; docs: the address of a site that
    `irops docs` wrote, for links to the pages of rules; delay: seconds without typing before a check.
    """

    limits: Limits = field(default_factory=Limits)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    target: str | None = None
    rules: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    docs: str | None = None
    delay: float = 0.15


@dataclass(frozen=True, slots=True)
class CustomRules:
    """Custom rules that the settings of a folder name, which are code of that folder.

    folder, sources: of the rules; is_trusted: whether the user trusts the folder already; trust: adds it to
    the list of the user; load: loads the rules, and gives the options with them
    """

    folder: str
    sources: tuple[str, ...]
    is_trusted: Callable[[], bool]
    trust: Callable[[], object]
    load: Callable[[], ServerOptions]
