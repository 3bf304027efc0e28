"""The process that makes pages: it runs examples, so neither their time nor a crash holds up the server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from irops.diagnostics.diagnostic import DefinitionError, DiagnosticError
from irops.diagnostics.rules import rule
from irops.document.site import op_page, rule_page, write_html
from irops.document.sphinx.build import BuildError
from irops.files.extras import MissingExtraError
from irops.registry import Registry, default_registry
from irops.server.definitions.checks import modules_of
from irops.server.markdown import plain
from irops.server.options import ServerOptions
from irops.server.records import ServedPage
from irops.spec.binding import Functions, functions_of
from irops.spec.definition import Definition
from irops.spec.extension import load_rules
from irops.spec.load import load_definition
from irops.spec.op import Op
from irops.spec.types import OPENVINO

NOT_RUN = (
    "The examples of this page are not run: functions are imported only from folders that the option"
    " `--definitions` of the server names."
)
Note = str
"""A sentence at the top of a page; '' for none."""


class PageWorker:
    """Answers ("rule", code), ("op", name) and ("definition", path, text, folder).

    folder: where the page is written as HTML, too; '' for Markdown alone
    """

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        for source in options.rules:
            load_rules(source)

    def __call__(self, request: tuple[Any, ...]) -> ServedPage:
        match request:
            case (("rule" | "op" | "definition"), str(name), *_):
                try:
                    return self._page(request)
                except KeyError as error:
                    return ServedPage(name, problem=str(error.args[0]))
                except (MissingExtraError, BuildError, DiagnosticError) as error:
                    return ServedPage(name, problem=str(error))
        raise ValueError(f"unknown request {request[:1]!r}")

    @property
    def _site(self) -> str:
        return (self._options.docs or "").rstrip("/")

    def _page(self, request: tuple[Any, ...]) -> ServedPage:
        match request:
            case ("rule", str(code)):
                return ServedPage(code, rule_page(rule(code), site=self._site))
            case ("op", str(name)):
                registry = self._registry()
                op = registry.named(name)
                return ServedPage(op.definition.page, op_page(registry, op, site=self._site))
            case ("definition", str(path), bytes(text), str(folder)):
                return self._definition_page(path, text, folder)
        raise ValueError(f"unknown request {request[:1]!r}")

    def _registry(self) -> Registry:
        options = self._options
        has_custom = options.definitions or options.modules
        return Registry(options.definitions, options.modules) if has_custom else default_registry()

    def _definition_page(self, path: str, text: bytes, folder: str) -> ServedPage:
        try:
            definition = load_definition(path, text=text)
        except DefinitionError as error:
            faults = "\n".join(
                f"- line {d.location.line or 1}: {plain(d.message)}" for d in error.diagnostics
            )
            return ServedPage(Path(path).stem, f"# Not a definition yet\n\n{faults}\n")
        registry = self._registry()
        op, note = self._op(definition, registry)
        page = ServedPage(definition.page, _noted(op_page(registry, op, site=self._site), note))
        if not folder:
            return page
        html = write_html(op_page(registry, op, myst=True, site=self._site), definition.id, Path(folder))
        return replace(page, html=str(html))

    def _op(self, definition: Definition, registry: Registry) -> tuple[Op, Note]:
        """The op of a definition, with its functions if they may be imported, and a note if it has none."""
        try:
            if definition.dialect != OPENVINO:
                known = registry.op(definition.id)
                return replace(known, definition=definition), ""
            modules = modules_of(definition, self._options)
            if modules:
                return Op(definition, functions_of(definition, modules), modules[0]), ""
            note = NOT_RUN
        except (KeyError, DiagnosticError) as error:
            note = f"The examples of this page are not run: {plain(str(error))}"
        return Op(definition, Functions(), ""), note


def _noted(page: str, note: Note) -> str:
    """A page with a note below its title."""
    title, rest = page.split("\n", 1)
    return f"{title}\n\n> {note}\n{rest}" if note else page
