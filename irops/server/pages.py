"""Pages of rules and ops, as Markdown, shown by commands of the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from irops.diagnostics.diagnostic import DefinitionError
from irops.diagnostics.rules import rule
from irops.server.encoding import stored_bytes
from irops.server.kinds import Kind
from irops.server.language_server import IropsServer
from irops.server.markdown import op_page, rule_page
from irops.spec.load import load_definition

PREVIEW = "irops.preview"


async def explain(ls: IropsServer, arguments: Sequence[Any]) -> str | None:
    """The page of the rule with a code or a name, which is also shown; None if there is none."""
    name = arguments[0] if arguments else None
    if not isinstance(name, str):
        return None
    try:
        explained = rule(name)
    except KeyError:
        return None
    return await _shown(ls, explained.code, rule_page(explained))


async def preview(ls: IropsServer, arguments: Sequence[Any]) -> str | None:
    """The page of an op: of the definition that is open under a URI, or of an id or a type."""
    name = arguments[0] if arguments else None
    if not isinstance(name, str):
        return None
    document = ls.document(name)
    if document is not None and document.kind is Kind.DEFINITION:
        text = stored_bytes(document.text.source)
        try:
            definition = await asyncio.to_thread(load_definition, document.path, text=text)
        except DefinitionError as error:
            return await _shown(
                ls, "definition", f"# Not a definition yet\n\n{error.diagnostics[0].message}\n"
            )
        return await _shown(ls, definition.page, op_page(definition))
    op = await asyncio.to_thread(ls.ops.page_of, name)
    return None if op is None else await _shown(ls, op.definition.page, op_page(op.definition))


async def _shown(ls: IropsServer, name: str, page: str) -> str:
    """Show a page in the editor, if it shows documents on request, and return it."""
    window = ls.client_capabilities.window
    if window is not None and window.show_document is not None and window.show_document.support:
        file = ls.pages_folder / f"{name}.md"
        with suppress(OSError, JsonRpcException):  # the page is also returned
            file.write_text(page, "utf-8")
            await ls.window_show_document_async(types.ShowDocumentParams(file.as_uri(), take_focus=False))
    return page
