"""The page of one op or one rule, without the others: what an editor shows."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from irops.diagnostics.rule import Rule
from irops.dialects import others
from irops.document.environment import environment
from irops.document.extras import FOR_HTML, require_libraries
from irops.document.sphinx.build import BuildOptions, build_html
from irops.document.views import op_view
from irops.registry import Registry
from irops.spec.op import Op

_LINK = re.compile(r"\[((?:\\.|[^\\\[\]\n])*)\]\((?![a-z]+:)([^()\s]+)\.md(#[^()\s]*)?\)")


def op_page(registry: Registry, op: Op, *, myst: bool = False, site: str = "") -> str:
    """The page of an op. myst: for Sphinx; site: the address of a site of `irops docs`, to which links lead;
    '' for no links to other pages.

    Raises:  MissingExtraError
    """
    template = environment(myst=myst).get_template("op.md")
    names = {dialect.name: dialect.title for dialect in others()}
    page = template.render(view=op_view(registry, op), names=names, has_others=True, conformance="")
    return _linked(page if myst else page.lstrip(), f"{site}/ops" if site else "")


def rule_page(rule: Rule, *, site: str = "") -> str:
    """The page of a rule. site: see op_page.

    Raises:  MissingExtraError
    """
    page = environment(myst=False).get_template("rule.md").render(rule=rule)
    return _linked(page.lstrip(), f"{site}/rules" if site else "")


def write_html(page: str, title: str, folder: Path) -> Path:
    """Build the page of an op, made for Sphinx, as HTML in an empty folder, and return its file.

    Raises:  MissingExtraError, BuildError
    """
    require_libraries(*FOR_HTML)
    with tempfile.TemporaryDirectory(prefix="irops-page-") as place:
        sources = Path(place) / "sources"
        sources.mkdir()
        (sources / "index.md").write_text(page, "utf-8")
        build_html(sources, folder, BuildOptions(title))
    return folder / "index.html"


def _linked(page: str, folder: str) -> str:
    """A page whose links to other pages lead to a site; without one, the words of the links alone.

    folder: the address of the folder that the page has on the site
    """

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        return f"[{words}]({folder}/{target}.html{anchor})" if folder else words

    return _LINK.sub(link, page)
