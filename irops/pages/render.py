"""Fill templates of pages: every value is shown as escaped text on one line, without control characters."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from irops.diagnostics.printable import abridged, printable
from irops.environment import require_extra

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

MAX_TEXT = 2000
"""The greatest number of characters of a text in a page."""
MAX_NAME = 100
"""The same of a name in a table."""


def require_templates() -> None:
    """Raises:  MissingExtraError, with what installs it, if the library of templates is missing"""
    require_extra("html", "jinja2", purpose="the page cannot be made")


def render(template: str, **values: Any) -> str:
    """A page, which needs no network. template: the name of a file in templates/

    Raises:  MissingExtraError
    """
    require_templates()
    return _environment().get_template(template).render(values)


def resource(name: str) -> str:
    """The text of a style or a script in templates/."""
    return (files("irops.pages") / "templates" / name).read_text(encoding="utf-8")


def plain(value: object, width: int = MAX_TEXT) -> str:
    """A value as text on one line without control characters, of at most width characters."""
    return printable(abridged(str(value), width))


@cache
def _environment() -> "jinja2.Environment":
    import jinja2
    from markupsafe import Markup

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("irops.pages"),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else plain(value),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    made.filters.update(shown=plain, name=lambda value: plain(value, MAX_NAME), breakable=_breakable)
    made.globals.update(resource=lambda name: Markup(resource(name)), digest=_digest)
    return made


def _breakable(value: object) -> "Markup":
    """A task, with places where lines may break after its punctuation."""
    from markupsafe import Markup

    return Markup(re.sub("(?<=[:,])", "<wbr>", escape(plain(value))))


def _digest(script: str) -> str:
    """How a policy names the only script that a page may run."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"
