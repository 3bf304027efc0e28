"""The pages of the documentation: Markdown, or HTML that Sphinx builds from it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from irops.document.environment import environment
from irops.document.extras import FOR_HTML, require_libraries
from irops.document.guide import copy_pictures, guide_pages
from irops.document.op_pages import OpPages
from irops.document.publishing import publish
from irops.document.rule_pages import rule_pages
from irops.document.sphinx.build import BuildOptions, build_html
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
