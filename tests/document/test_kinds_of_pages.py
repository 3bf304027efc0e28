"""A page of each kind, built by Sphinx without a warning. The whole site is tested by test_built_site.py."""

import re
from pathlib import Path

import pytest
from libraries import needs
from tables import table

from irops.cli.docs import command_pages
from irops.document.site import Site
from irops.document.sphinx.build import BuildOptions, build_html

DOCS = Path(__file__).resolve().parents[2] / "docs"
KINDS = table(__file__, "kinds")
"""A page of each kind, and a word that is on it."""
pytestmark = [needs("sphinx"), pytest.mark.slow("Sphinx builds pages; .ci/run does it, too")]


def without_links(text):
    """The text of a page whose links to other pages are plain text."""
    return re.sub(r"\[([^\]\n]*)\]\([^)\n:]+\.md(?:#[^)\n]*)?\)", r"\1", text)


def test_a_page_of_each_kind_is_built(tmp_path):
    sources, output = tmp_path / "sources", tmp_path / "html"
    pages = dict(Site(guide=DOCS, more=command_pages()).pages())
    for name in KINDS:
        file = sources / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(without_links(pages[f"{name}.md"]))
    names = "\n".join(KINDS)
    (sources / "index.md").write_text(f"# Pages\n\n```{{toctree}}\n{names}\n```\n")
    build_html(sources, output, BuildOptions(api=True))
    for name, word in KINDS.items():
        assert word in (output / f"{name}.html").read_text(), name
