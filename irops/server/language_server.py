"""The server: its documents, their checks, and what it says to the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

import irops
from irops.server.checks import Checks
from irops.server.documents import Document, Documents
from irops.server.findings import diagnostic
from irops.server.op_lookup import OpLookup
from irops.server.options import ServerOptions
from irops.server.pages import Pages
from irops.server.records import Checked
from irops.server.text import Text


class Utf16Protocol(LanguageServerProtocol):
    """The protocol with positions in UTF-16 units, which every editor offers."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Drop what the editor says of other units before pygls chooses one."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class IropsServer(LanguageServer):
    """A language server for IR files. One serves one editor."""

    def __init__(self, options: ServerOptions) -> None:
        super().__init__("irops", irops.__version__, protocol_cls=Utf16Protocol)
        self.options = options
        self.ops = OpLookup(options)
        self.checks = Checks(options, self._publish)
        self.pages = Pages(options, self.show_file)

    def shutdown(self) -> None:
        """End the worker process, and the server."""
        self.stop()
        super().shutdown()  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """End the worker process."""
        self.checks.stop()

    def use_documents(self) -> None:
        """Let the workspace hold documents of irops; called when the editor has initialized it."""
        before = self.protocol.workspace
        folders = list(before.folders.values())
        self.protocol._workspace = Documents(before.root_uri, workspace_folders=folders)

    def document(self, uri: str) -> Document | None:
        """An open document."""
        workspace = self.workspace
        return workspace.opened(uri) if isinstance(workspace, Documents) else None

    def documents(self) -> list[Document]:
        """The open documents."""
        workspace = self.workspace
        return list(workspace.all_opened()) if isinstance(workspace, Documents) else []

    @property
    def snippets(self) -> bool:
        """Whether the editor can place the cursor within a text that it inserts."""
        described = self.client_capabilities.text_document
        completion = None if described is None else described.completion
        item = None if completion is None else completion.completion_item
        return item is not None and bool(item.snippet_support)

    def reload(self) -> None:
        """Use the definitions of custom ops as they are now."""
        self.ops = OpLookup(self.options)
        self.checks.reload(self.documents())

    async def show_file(self, file: Path) -> None:
        """Show a file, if the editor shows documents on request."""
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            params = types.ShowDocumentParams(file.as_uri(), take_focus=False)
            with suppress(JsonRpcException):  # the editor could not; the command also returns the page
                await self.window_show_document_async(params)

    async def _publish(self, document: Document, text: Text, checked: Checked) -> None:
        shown = await asyncio.to_thread(
            lambda: [diagnostic(one, text, self.options) for one in checked.findings]
        )
        params = types.PublishDiagnosticsParams(document.uri, shown, version=text.version)
        self.text_document_publish_diagnostics(params)
        workspace = self.client_capabilities.workspace
        if (
            workspace is not None
            and workspace.inlay_hint is not None
            and workspace.inlay_hint.refresh_support
        ):
            await self.workspace_inlay_hint_refresh_async(None)
