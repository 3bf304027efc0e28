"""Custom ops and weights whose files change while a model is open."""

import asyncio
import shutil
from pathlib import Path

import pytest
import pytest_asyncio
from editor import ROOT, Editor, server_config
from lsprotocol import types

pytestmark = [pytest.mark.slow("starts servers"), pytest.mark.asyncio]
EXAMPLE = ROOT / "examples" / "my_reverse"


@pytest.fixture
def folder(tmp_path):
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "ops"))


@pytest_asyncio.fixture
async def author(folder):
    """An editor whose server may run the functions in the copy."""
    editor = await server_config("--definitions", str(folder)).start()
    assert isinstance(editor, Editor)
    await editor.start_session()
    yield editor
    await editor.shutdown_session()
    await editor.stop()


async def becomes(holds):
    """Wait until something holds."""
    for _ in range(2000):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("this does not become true")


async def test_a_change_of_the_functions_of_custom_ops_checks_models_again(author, folder):
    await becomes(lambda: author.watched == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES])
    uri = author.open(folder / "model.xml")
    assert await author.checked(uri) == []
    code = folder / "my_reverse.py"
    code.write_text("")
    change = types.FileEvent(code.as_uri(), types.FileChangeType.Changed)
    author.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    await becomes(lambda: [one.code for one in author.diagnostics[uri]] == ["OD104"])


async def test_models_are_checked_with_the_definitions_as_they_are_now(author, folder):
    model, path = author.open(folder / "model.xml"), folder / "MyReverse-extension.xml"
    assert await author.checked(model) == []
    line = next(
        k for k, one in enumerate((folder / "model.xml").read_text().splitlines()) if '"MyReverse"' in one
    )
    assert "MyReverse-extension" in (await author.hover(model, line, 6) or "")
    path.write_text(path.read_text().replace('min="1"', 'min="4"').replace('block="2"', 'block="4"'))
    definition = author.open(path)
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(definition))
    author.text_document_did_save(saved)
    await becomes(lambda: [one.code for one in author.diagnostics[model]] == ["IR315"])


async def test_weights_that_appear_are_used(author, tmp_path):
    text = (ROOT / "examples" / "digit_classifier" / "model.xml").read_text()
    path = tmp_path / "model.xml"
    uri = author.open(path, text)
    assert {one.code for one in await author.checked(uri)} != set()
    shutil.copy(ROOT / "examples" / "digit_classifier" / "model.bin", path.with_suffix(".bin"))
    change = types.FileEvent(path.with_suffix(".bin").as_uri(), types.FileChangeType.Created)
    author.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    await becomes(lambda: author.diagnostics[uri] == [])
