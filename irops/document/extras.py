"""The libraries of the extra irops[docs]."""

from __future__ import annotations

from irops.backends.extras import missing_libraries

FOR_MARKDOWN = ("jinja2",)
FOR_HTML = ("jinja2", "sphinx", "myst_parser", "furo", "sphinx_copybutton", "sphinx_sitemap")


class MissingExtraError(RuntimeError):
    """A library of an extra is not installed."""


def require_libraries(*modules: str) -> None:
    """Raise MissingExtraError, with what installs them, if one of the modules is missing."""
    reason = missing_libraries("docs", *modules)
    if reason is not None:
        raise MissingExtraError(f"the pages cannot be made: {reason}")
