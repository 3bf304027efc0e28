"""Pages of rules, shown by a command of the editor. They are those of `irops docs`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from irops.diagnostics.rules import rule
from irops.document.rule_pages import rule_page
from irops.server.options import ServerOptions


class Pages:
    """Makes the pages, and shows them. show: shows a file in the editor"""

    def __init__(self, options: ServerOptions, show: Callable[[Path], Awaitable[None]]) -> None:
        self._site = (options.docs or "").rstrip("/")
        self._show = show

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        """For the pages that are shown; removed when the server ends."""
        return tempfile.TemporaryDirectory(prefix="irops-pages-")

    async def explain(self, arguments: Sequence[Any]) -> str | None:
        """Show the page of the rule with a code or a name, and return it; None if there is none."""
        name = arguments[0] if arguments else None
        try:
            found = rule(name) if isinstance(name, str) else None
        except KeyError:
            return None
        if found is None:
            return None
        page = await asyncio.to_thread(rule_page, found, site=self._site)
        file = Path(self._folder.name) / f"{found.code}.md"
        with suppress(OSError):  # the page is also returned
            file.write_text(page, "utf-8")
        await self._show(file)
        return page
