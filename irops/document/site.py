"""The site of all ops: the environment of templates, its parts, and the folder in which Sphinx builds it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irops.diagnostics.rule import BANDS, Rule
from irops.diagnostics.rules import all_rules
from irops.dialects import others
from irops.document.markdown import cell, code, lines, prose
from irops.document.op_pages import OpPages
from irops.document.sphinx.build import BuildOptions, build_html
from irops.document.views import op_view, opsets_text, repository_url
from irops.files import extras
from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.folders import replace_folder
from irops.registry import Registry, default_registry
from irops.spec.op import Op

if TYPE_CHECKING:
    import jinja2


FOR_MARKDOWN = ("jinja2",)
FOR_HTML = ("jinja2", "sphinx", "myst_parser", "furo", "sphinx_copybutton", "sphinx_sitemap")


def require_libraries(*modules: str) -> None:
    """Raise MissingExtraError, with what installs them, if one of the modules is missing."""
    extras.require_libraries("docs", *modules, purpose="the pages cannot be made")


# The templates of pages, and the filters that they use.


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
    made.filters.update(opsets=opsets_text, prose=prose, cell=cell, code=code, lines=lines)
    tensors = vars(made.get_template("tensors.html").module)["figure"]
    made.globals.update(bands=BANDS, myst=myst, tensors_html=tensors)
    return made


# Writes a folder of pages: completely, or not at all.

MARK = ".irops-docs"
"""The file that says that irops wrote a folder."""
PREFIX = ".irops-docs-"
"""Of the name of a folder of pages that are being written."""
_UNFINISHED = re.compile(rf"{re.escape(PREFIX)}[a-z0-9_]{{8}}(\.replaced)?")


def publish(folder: str | os.PathLike[str], fill: Callable[[Path], int]) -> int:
    """Let a function write files into a new folder, which then replaces the folder; return its result.

    Raises:  FileExistsError if the folder contains anything but documentation of irops
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / MARK).exists())):
        raise FileExistsError(
            f"{target} exists and is not a folder of irops documentation; choose another, or remove it first"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target.parent, _UNFINISHED, folders=True)
    new_folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=target.parent))
    handle = os.open(new_folder, os.O_RDONLY)
    claim(handle)
    try:
        count = fill(new_folder)
        (new_folder / MARK).write_text("written by irops docs\n")
        new_folder.chmod(0o755)
        replace_folder(new_folder, target)
    finally:
        shutil.rmtree(new_folder, ignore_errors=True)  # which the earlier pages are in, if all went well
        os.close(handle)
    return count


# The pages of rules: one for each, one for each band, and one that lists all.


def rule_pages(page: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. page: renders a template"""
    bands = [
        (band, BANDS.get(band, "custom rules"), list(members))
        for band, members in groupby(all_rules(), key=lambda rule: rule.band)
    ]
    yield "rules/index.md", page("rules", bands_of_rules=bands)
    for band, title, members in bands:
        yield f"rules/{band}.md", page("band", band=band, title=title, members=members)
        for rule in members:
            yield f"rules/{rule.code}.md", page("rule", rule=rule)


# The pages of a folder that are written by hand, as pages of the site.

PICTURES = (".svg", ".png", ".jpg", ".gif")
_LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
_FENCE = re.compile(r"(^```.*?^```[ \t]*$)", re.DOTALL | re.MULTILINE)
_INCLUDED = {"CHANGELOG.md": "changelog.md"}
"""Files beside the folder that are pages of the site."""


def guide_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. Links to files outside of the folder lead to REPOSITORY."""
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder)
        yield path.as_posix(), with_links(file.read_text("utf-8"), file.parent, folder)
    for name, page in _INCLUDED.items():
        file = folder.parent / name
        if file.is_file():
            yield page, with_links(file.read_text("utf-8"), file.parent, folder, page_in=folder)


def copy_pictures(folder: Path, target: Path) -> None:
    """Copy the pictures that the pages show."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in PICTURES:
            copy = target / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def with_links(text: str, place: Path, folder: Path, page_in: Path | None = None) -> str:
    """A page with links that work in the site; what leads to files of the repository is text without one.

    place: the folder that the links of the page are relative to; page_in: where the page is in the site, if
    that is elsewhere.
    """
    home = page_in or place

    def rewritten(match: re.Match[str]) -> str:
        target = _target(match[2], place, folder, home)
        return f"{match[1]}{target}{match[3]}" if target else match[1].lstrip("!")[1:-2]

    parts = _FENCE.split(text)
    return "".join(part if k % 2 else _LINK.sub(rewritten, part) for k, part in enumerate(parts))


def _target(link: str, place: Path, folder: Path, home: Path) -> str:
    file, mark, anchor = link.partition("#")
    if not file or re.match(r"[a-z]+:", file):
        return link
    target = (place / file).resolve()
    if not target.is_relative_to(folder.resolve()):
        if target.name in _INCLUDED and target.parent == folder.resolve().parent:
            return f"{_up(home, folder)}{_INCLUDED[target.name]}{mark}{anchor}"
        if not target.is_relative_to(folder.resolve().parent):
            return link
        inside = target.relative_to(folder.resolve().parent).as_posix()
        url = repository_url(f"{inside}/" if target.is_dir() else inside)
        return f"{url}{mark}{anchor}" if url else ""
    inside = target.relative_to(folder.resolve()).as_posix()
    page = f"{inside}/index.md" if target.is_dir() else inside
    return f"{_up(home, folder)}{page}{mark}{anchor}"


def _up(home: Path, folder: Path) -> str:
    return "../" * len(home.resolve().relative_to(folder.resolve()).parts)


Progress = Callable[[int, int, str], None]
CONFORMANCE = "conformance.md"
"""The page of a guide that has the results of backends."""
Page = tuple[str, str]
"""The path of a page, relative to the folder of all, and its text."""


class Site:
    """Pages of all ops and rules: pages() generates them, write() writes them to a folder.

    format: "html" or "markdown"; with_runtimes: run the installed runtimes for the pages that compare
    dialects; folders: of custom definitions; custom_only: leave out the ops and rules of irops; guide: a
    folder with further pages, whose index.md is the first page; more: further pages, by title of their part.
    """

    def __init__(
        self,
        registry: Registry | None = None,
        format: str = "html",
        *,
        with_runtimes: bool = True,
        custom_only: bool = False,
        guide: Path | None = None,
        more: Iterable[Page] = (),
        options: BuildOptions | None = None,
    ) -> None:
        self.format, self.guide, self.more = format, guide, tuple(more)
        self.options = options or BuildOptions()
        self.custom_only = custom_only
        if format == "html":
            require_libraries(*FOR_HTML)
        self.environment = environment(myst=format == "html")
        has_results = guide is not None and (guide / CONFORMANCE).is_file()
        self.ops = OpPages(
            registry or default_registry(),
            self._page,
            with_runtimes=with_runtimes,
            custom_only=custom_only,
            conformance=f"../{CONFORMANCE}" if has_results else "",
        )

    def pages(self, progress: Progress | None = None) -> Iterator[Page]:
        """Relative path and text of each page, as Markdown."""
        total = self.ops.count
        for number, page in enumerate(self._all()):
            if progress is not None:
                progress(min(number + 1, total), total, page[0])
            yield page

    def _all(self) -> Iterator[Page]:
        own_index = self.guide is not None and (self.guide / "index.md").is_file()
        if not own_index:
            yield "index.md", self._page("index", title=self.options.title, parts=self._parts())
        if self.guide is not None:
            yield from guide_pages(self.guide)
        yield from self.ops.pages()
        if not self.custom_only:
            yield from rule_pages(self._page)
        yield from self.more

    def _parts(self) -> list[tuple[str, str]]:
        parts = [("ops/index", "Ops")]
        if not self.custom_only:
            parts += [
                ("ops/faculties", "Ops and faculties"),
                ("differences/index", "Where OpenVINO differs"),
                ("opsets/index", "Opsets"),
                ("comparisons/index", "Comparisons"),
                ("rules/index", "Rules"),
            ]
        if self.more:
            parts.append(("commands/index", "Commands"))
        return parts

    def write(self, folder: str | os.PathLike[str], progress: Progress | None = None) -> int:
        """Write all pages and return their number. The folder is replaced after all pages are generated.

        Raises:  FileExistsError if the folder contains anything but documentation of irops; BuildError
        """
        if self.format != "html":
            return publish(folder, lambda new_folder: self._write_sources(new_folder, progress))
        return publish(folder, lambda new_folder: self._write_html(new_folder, progress))

    def _write_html(self, folder: Path, progress: Progress | None) -> int:
        with tempfile.TemporaryDirectory(prefix="irops-docs-") as place:
            sources = Path(place) / "sources"
            count = self._write_sources(sources, progress)
            build_html(sources, folder, self.options)
        return count

    def _write_sources(self, folder: Path, progress: Progress | None) -> int:
        count = 0
        for path, text in self.pages(progress):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            count += 1
        if self.guide is not None:
            copy_pictures(self.guide, folder)
        return count

    def _page(self, name: str, **values: Any) -> str:
        return self.environment.get_template(f"{name}.md").render(**values)


# Single pages, as editors show them.

_LINK_OF_SINGLE_PAGE = re.compile(r"\[((?:\\.|[^\\\[\]\n])*)\]\((?![a-z]+:)([^()\s]+)\.md(#[^()\s]*)?\)")


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

    return _LINK_OF_SINGLE_PAGE.sub(link, page)
