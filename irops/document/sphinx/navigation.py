"""The navigation of a page shows its section only.

Furo shows the whole tree of pages beside every page, which makes a site of 600 pages 20 times as large and
its build as slow. Here a page shows the sections, and the pages of its section.
"""

from collections.abc import Callable
from typing import Any

BEFORE_FURO = 400
"""The priority of the handler: Furo's has 500."""


def show_section(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Collapse the sections that do not contain the page, and state the level of the captions."""
    toctree: Callable[..., str] | None = context.get("toctree")
    if toctree is None:
        return

    def collapsed(**options: Any) -> str:
        text = toctree(**{**options, "collapse": True})
        return text.replace('role="heading"', 'role="heading" aria-level="2"')

    context["toctree"] = collapsed


def setup(app: Any) -> dict[str, bool]:
    app.connect("html-page-context", show_section, priority=BEFORE_FURO)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
