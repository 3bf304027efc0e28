"""A client of `irops server`, in a process of its own, with short words for what an editor does."""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, default_converter, register_lsp_features

ROOT = Path(__file__).parents[2]
SECONDS = 100
"""How long a test waits for an answer; a machine under load is slow."""


CONVERTER = get_converter()
RANGE = r'{"start": {"line": (\d+), "character": (\d+)}, "end": {"line": (\d+), "character": (\d+)}}'


def shown(answer: Any, document: str = "model.xml") -> str:
    """An answer as JSON, its ranges as 4:4-9:12, and of the places in files of irops the names."""
    text = json.dumps(CONVERTER.unstructure(answer), ensure_ascii=False).replace(document, "model.xml")
    text = re.sub(r'"\w+": null, ', "", text)
    text = re.sub(RANGE, r"\1:\2-\3:\4", text)
    return re.sub(r'"file:[^"]*/([^/"]*)", "range": [\d:-]*', r"\1", text).replace("\\n", "\n    ")


class Editor(LanguageClient):
    """An editor with the diagnostics of the newest version of each document."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.versions: dict[str, int] = {}
        self.watched: list[str] = []

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, with a text in place of its content, and return its URI."""
        uri = path.as_uri()
        content = path.read_text() if text is None else text
        item = types.TextDocumentItem(uri, "xml", 1, content)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def edit(self, uri: str, version: int, text: str, where: types.Range | None = None) -> None:
        """Replace a range, or the whole text."""
        change = (
            types.TextDocumentContentChangeWholeDocument(text)
            if where is None
            else types.TextDocumentContentChangePartial(where, text)
        )
        identifier = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        self.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    async def checked(self, uri: str, version: int = 1) -> list[types.Diagnostic]:
        """The diagnostics of a version of a document, once they come."""
        for _ in range(SECONDS * 50):
            if self.versions.get(uri, 0) >= version:
                return list(self.diagnostics.get(uri, ()))
            await asyncio.sleep(0.02)
        raise AssertionError(f"no diagnostics of version {version} of {uri}")

    async def hover(self, uri: str, line: int, character: int) -> str | None:
        """The text of a hover."""
        result = await self.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )
        if result is None:
            return None
        assert isinstance(result.contents, types.MarkupContent)
        return result.contents.value

    async def labels(self, uri: str, line: int, character: int) -> list[str]:
        """The labels of the completions at a position."""
        result = await self.text_document_completion_async(
            types.CompletionParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )
        assert isinstance(result, types.CompletionList)
        return [item.label for item in result.items]

    async def start_session(self) -> None:
        folder = types.WorkspaceFolder(uri=ROOT.as_uri(), name="irops")
        await self.initialize_session(
            types.InitializeParams(
                capabilities=client_capabilities("visual-studio-code"), workspace_folders=[folder]
            )
        )


def published(editor: Editor, params: types.PublishDiagnosticsParams) -> None:
    editor.diagnostics[params.uri] = list(params.diagnostics)
    if params.version is not None:
        editor.versions[params.uri] = params.version


def registered(editor: Editor, params: types.RegistrationParams) -> None:
    editor.watched.extend(one.method for one in params.registrations)


def make_editor() -> Editor:
    editor = Editor(converter_factory=default_converter)
    own = {types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: published, types.CLIENT_REGISTER_CAPABILITY: registered}
    register_lsp_features(editor, DEFAULT_CLIENT_FEATURES | own)
    return editor


def server_config(*options: str) -> ClientServerConfig:
    """The configuration of a server with options."""
    command = [sys.executable, "-m", "irops", "server", *options]
    return ClientServerConfig(server_command=command, client_factory=make_editor)
