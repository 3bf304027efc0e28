"""Generate and write the pages of the documentation."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irops.conformance.odd_inputs.table import COMPARISONS
from irops.diagnostics.rule import BANDS
from irops.diagnostics.rules import all_rules
from irops.dialects import others
from irops.document.comparisons import comparison_view
from irops.document.views import op_view, opsets_text
from irops.ir.abandoned import claim, remove_abandoned
from irops.ir.pending import signals_blocked
from irops.registry import Registry, default_registry
from irops.spec.op import Op
from irops.spec.opsets import OPSETS, opsets

if TYPE_CHECKING:
    import jinja2

Progress = Callable[[int, int, str], None]
SUFFIXES = {"html": ".html", "markdown": ".md"}


class MissingExtraError(RuntimeError):
    """A library of an extra is not installed."""


def _environment(format: str) -> jinja2.Environment:
    try:
        import jinja2
    except ModuleNotFoundError:
        raise MissingExtraError(
            "the documentation generator needs Jinja2: pip install 'irops[docs]'"
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("irops.document"),
        autoescape=format == "html",
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters["opsets"] = opsets_text
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ")
    environment.globals.update(suffix=SUFFIXES[format], bands=BANDS)
    return environment


class Site:
    """Pages of all ops and rules: pages() generates them, write() writes them to a folder.

    with_runtimes: run the installed runtimes for the pages that compare dialects.
    """

    def __init__(
        self, registry: Registry | None = None, format: str = "html", *, with_runtimes: bool = True
    ) -> None:
        self.registry, self.format, self.with_runtimes = registry or default_registry(), format, with_runtimes
        self.environment = _environment(format)
        self.ids = self.registry.ids()
        self.definitions = [self.registry.op(op).definition for op in self.ids]
        self.others = {dialect.name: self._newest(dialect.name) for dialect in others()}

    def _newest(self, dialect: str) -> list[Op]:
        """The ops of another dialect; if a definition covers several versions, the newest one."""
        return [self.registry.op(self.registry.newest(op)) for op in self.registry.ids(dialect)]

    def pages(self, progress: Progress | None = None) -> Iterator[tuple[str, str]]:
        """Relative path and text of each page."""
        suffix, total = (
            SUFFIXES[self.format],
            len(self.ids) + len(all_rules()) + len(OPSETS) + len(COMPARISONS) + 2,
        )
        total += sum(map(len, self.others.values()))
        for number, (path, text) in enumerate(self._all(suffix)):
            if progress is not None:
                progress(number + 1, total, path)
            yield path, text

    def _all(self, suffix: str) -> Iterator[tuple[str, str]]:
        yield (
            f"index{suffix}",
            self._page(
                "index",
                "",
                definitions=self.definitions,
                categories=self._categories(),
                opsets=OPSETS,
                others=self.others,
                names=_names(),
                comparisons=COMPARISONS,
            ),
        )
        for op in (*map(self.registry.op, self.ids), *(op for ops in self.others.values() for op in ops)):
            yield (
                f"ops/{op.definition.page}{suffix}",
                self._page("op", "../", view=op_view(self.registry, op), names=_names()),
            )
        for comparison in COMPARISONS:
            view = comparison_view(self.registry, comparison, with_runtimes=self.with_runtimes)
            yield f"comparisons/{comparison.name}{suffix}", self._page("comparison", "../", view=view)
        yield f"rules/index{suffix}", self._page("rules", "../", rules=all_rules())
        for rule in all_rules():
            yield f"rules/{rule.code}{suffix}", self._page("rule", "../", rule=rule)
        for opset in OPSETS:
            page = self._page(
                "opset", "../", opset=opset, opsets=OPSETS, categories=self._versions_in(opset), ids=self.ids
            )
            yield f"opsets/{opset}{suffix}", page
        if self.format == "html":
            yield "search.js", self._search()
            yield "style.css", self.environment.get_template("style.css").render()

    def write(self, folder: str | os.PathLike[str], progress: Progress | None = None) -> int:
        """Write all pages and return their number. The folder is replaced after all pages are generated.

        Raises:  FileExistsError if the folder contains anything but documentation of irops
        """
        target = Path(folder)
        if target.exists() and (
            not target.is_dir() or (any(target.iterdir()) and not (target / MARK).exists())
        ):
            raise FileExistsError(
                f"{target} exists and is not a folder of irops documentation; choose another, or remove it"
                " first"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(target.parent, PREFIX)
        new_folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=target.parent))
        handle = os.open(new_folder, os.O_RDONLY)
        claim(handle)
        try:
            count = self._write_pages(new_folder, progress)
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

    def _write_pages(self, folder: Path, progress: Progress | None) -> int:
        count = 0
        for path, text in self.pages(progress):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            count += 1
        (folder / MARK).write_text("written by irops docs\n")
        folder.chmod(0o755)
        return count

    def _page(self, name: str, root: str, **values: Any) -> str:
        extension = "html" if self.format == "html" else "md"
        return self.environment.get_template(f"{name}.{extension}").render(root=root, **values)

    def _categories(self) -> dict[str, list[Any]]:
        by_category: dict[str, list[Any]] = {}
        for definition in self.definitions:
            by_category.setdefault(definition.category, []).append(definition)
        return dict(sorted(by_category.items()))

    def _versions_in(self, opset: str) -> dict[str, list[Any]]:
        by_category: dict[str, list[Any]] = {}
        for version in opsets().all():
            if opset in version.opsets:
                by_category.setdefault(version.category, []).append(version)
        return dict(sorted(by_category.items()))

    def _search(self) -> str:
        definitions = (*self.definitions, *(op.definition for ops in self.others.values() for op in ops))
        entries = [
            {
                "name": d.file_id,
                "text": d.summary,
                "keywords": ", ".join(d.keywords),
                "path": f"ops/{d.page}.html",
                "kind": d.category,
            }
            for d in definitions
        ]
        entries += [
            {"name": c.title, "text": c.text, "path": f"comparisons/{c.name}.html", "kind": "comparison"}
            for c in COMPARISONS
        ]
        entries += [
            {"name": f"{r.code} {r.name}", "text": r.summary, "path": f"rules/{r.code}.html", "kind": "rule"}
            for r in all_rules()
        ]
        return self.environment.get_template("search.js").render(entries=json.dumps(entries))


MARK = ".irops-docs"
PREFIX = ".irops-docs-"
"""Of the name of a folder of pages that are being written."""


def _names() -> dict[str, str]:
    """The titles of the other dialects."""
    return {dialect.name: dialect.title for dialect in others()}
