"""The templates of pages, and the filters that they use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irops.diagnostics.rule import BANDS
from irops.document.extras import FOR_MARKDOWN, require_libraries
from irops.document.markdown import cell, code, prose
from irops.document.views import opsets_text

if TYPE_CHECKING:
    import jinja2


def environment(*, myst: bool) -> jinja2.Environment:
    """The environment of the templates. myst: for Sphinx, with the directives of MyST; otherwise plain
    Markdown.
    """
    require_libraries(*FOR_MARKDOWN)
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("irops.document"),
        autoescape=jinja2.select_autoescape(("html",), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    made.filters.update(opsets=opsets_text, prose=prose, cell=cell, code=code)
    tensors = vars(made.get_template("tensors.html").module)["figure"]
    made.globals.update(bands=BANDS, myst=myst, tensors_html=tensors)
    return made
