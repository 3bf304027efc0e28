"""The pages of the documentation: Markdown, or HTML that Sphinx builds from it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from irops.document.environment import environment
from irops.document.extras import FOR_HTML, require_libraries
from irops.document.op_pages import OpPages
from irops.document.rule_pages import rule_pages
from irops.document.sources import repository_url
from irops.document.sphinx.build import BuildOptions, build_html
from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.pending import signals_blocked
from irops.registry import Registry, default_registry

Progress = Callable[[int, int, str], None]
CONFORMANCE = "conformance.md"
"""The page of a guide that has the results of backends."""
Page = tuple[str, str]
"""The path of a page, relative to the folder of all, and its text."""


class Site:
    """Pages of all ops and rules: pages() generates them, write() writes them to a folder.

    format: "html" or "markdown"; folders: of custom definitions; custom_only: leave out the ops and rules of
    irops; guide: a folder with further pages, whose index.md is the first page; more: further pages, by title
    of their part.
    """

    def __init__(
        self,
        registry: Registry | None = None,
        format: str = "html",
        *,
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
                ("comparisons/ReverseSequence", "ReverseSequence in three dialects"),
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


# The pages of a folder that are written by hand, as pages of the site.

PICTURES = (".svg", ".png", ".jpg", ".gif")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```[ \t]*$)", re.DOTALL | re.MULTILINE)
_INCLUDED = {"CHANGELOG.md": "changelog.md"}
"""Files beside the folder that are pages of the site."""


def guide_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. Links to files outside of the folder lead to the repository; where
    that has no address, their text stays.
    """
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
    """A page with links that work in the site.

    place: the folder that the links of the page are relative to; page_in: where the page is in the site, if
    that is elsewhere.
    """
    home = page_in or place

    def rewritten(match: re.Match[str]) -> str:
        target = _target(match[3], place, folder, home)
        return f"{match[1]}[{match[2]}]({target})" if target else match[2]

    parts = _FENCE.split(text)
    return "".join(part if k % 2 else _LINK.sub(rewritten, part) for k, part in enumerate(parts))


def _target(link: str, place: Path, folder: Path, home: Path) -> str:
    """What a link leads to in the site; "" for a file of the repository, where that has no address."""
    file, mark, anchor = link.partition("#")
    if not file or re.match(r"[a-z]+:", file):
        return link
    target = (place / file).resolve()
    if not target.is_relative_to(folder.resolve()):
        if target.name in _INCLUDED and target.parent == folder.resolve().parent:
            return f"{_up(home, folder)}{_INCLUDED[target.name]}{mark}{anchor}"
        if not target.is_relative_to(folder.resolve().parent):
            return link
        url = repository_url(target.relative_to(folder.resolve().parent).as_posix())
        return f"{url}{mark}{anchor}" if url else ""
    inside = target.relative_to(folder.resolve()).as_posix()
    page = f"{inside}/index.md" if target.is_dir() else inside
    return f"{_up(home, folder)}{page}{mark}{anchor}"


def _up(home: Path, folder: Path) -> str:
    return "../" * len(home.resolve().relative_to(folder.resolve()).parts)


# Writes a folder of pages: completely, or not at all.

MARK = ".irops-docs"
"""The file that says that irops wrote a folder."""
PREFIX = ".irops-docs-"
"""Of the name of a folder of pages that are being written."""


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
    remove_abandoned(target.parent, PREFIX)
    new_folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=target.parent))
    handle = os.open(new_folder, os.O_RDONLY)
    claim(handle)
    try:
        count = fill(new_folder)
        (new_folder / MARK).write_text("written by irops docs\n")
        new_folder.chmod(0o755)
        replaced = new_folder.with_name(f"{new_folder.name}.replaced")
        with signals_blocked():
            if target.exists():
                target.rename(replaced)
            new_folder.rename(target)
        shutil.rmtree(replaced, ignore_errors=True)
    except BaseException:
        shutil.rmtree(new_folder, ignore_errors=True)
        raise
    finally:
        os.close(handle)
    return count
