"""Pages of definitions in an editor, and custom ops whose files change while they are open."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import pytest_asyncio
from editor import ROOT, Editor, server_config
from lsprotocol import types

pytestmark = pytest.mark.asyncio
EXAMPLE = ROOT / "examples" / "my_reverse"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "ops"))


@pytest_asyncio.fixture
async def author(folder: Path):
    """An editor whose server may run the functions in the copy."""
    editor = await server_config("--definitions", str(folder)).start()
    assert isinstance(editor, Editor)
    await editor.start_session()
    yield editor
    await editor.shutdown_session()
    await editor.stop()


async def page_of(editor: Editor, uri: str, command: str = "irops.preview") -> str:
    params = types.ExecuteCommandParams(command, arguments=[uri])
    page = await editor.workspace_execute_command_async(params)
    assert isinstance(page, str)
    return page


async def becomes(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(2000):
        if holds():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("this does not become true")


async def test_a_page_that_is_shown_follows_the_text(author: Editor, folder: Path):
    path = folder / "MyReverse-extension.xml"
    uri, text = author.open(path), path.read_text()
    assert "[2 1 4 3 6 5]" in await page_of(author, uri)  # the example was run
    (shown,) = author.shown_documents
    file = Path(shown.uri.removeprefix("file://"))
    author.edit(uri, 2, text.replace("Reverse the last axis", "Turn the last axis"))
    await becomes(lambda: "Turn the last axis" in file.read_text())
    author.edit(uri, 3, text[:300])
    await becomes(lambda: file.read_text().startswith("# Not a definition yet\n\n- line "))


@pytest.mark.slow
async def test_the_page_as_html_has_the_look_of_the_site(author: Editor, folder: Path):
    pytest.importorskip("sphinx")
    pytest.importorskip("furo")
    uri = author.open(folder / "MyReverse-extension.xml")
    file = Path(await page_of(author, uri, "irops.previewHtml"))
    content = file.read_text()
    assert "MyReverse-extension" in content
    assert 'figure class="movement"' in content
    assert (file.parent / "_static" / "irops.css").is_file()
    (shown,) = author.shown_documents
    assert (shown.uri, shown.external) == (file.as_uri(), True)


async def test_functions_of_strangers_are_not_run_for_a_page(author: Editor, tmp_path: Path):
    stranger = Path(shutil.copytree(EXAMPLE, tmp_path / "stranger"))
    mark = tmp_path / "imported"
    code = stranger / "my_reverse.py"
    code.write_text(f"open({str(mark)!r}, 'w').close()\n{code.read_text()}")
    page = await page_of(author, author.open(stranger / "MyReverse-extension.xml"))
    assert "> The examples of this page are not run" in page
    assert "-> output: i32[6]\n[2 1 4 3 6 5]" in page  # as the definition expects it
    assert not mark.exists()


@pytest.mark.slow
async def test_a_page_says_why_its_functions_cannot_be_used(author: Editor, folder: Path):
    (folder / "my_reverse.py").write_text("")
    page = await page_of(author, author.open(folder / "MyReverse-extension.xml"))
    assert "> The examples of this page are not run: " in page
    assert "has no kernel in" in page


@pytest.mark.slow
async def test_there_is_no_page_of_what_is_no_op(author: Editor, folder: Path):
    for name in ("typo", author.open(folder / "model.xml"), (folder / "absent.xml").as_uri()):
        params = types.ExecuteCommandParams("irops.preview", arguments=[name])
        assert await author.workspace_execute_command_async(params) is None
    assert [one.message for one in author.messages] == ["no op is called 'typo'"]


@pytest.mark.slow
async def test_functions_that_change_on_disk_are_compared_at_once(author: Editor, folder: Path):
    await becomes(lambda: author.watched == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES])
    uri = author.open(folder / "MyReverse-extension.xml")
    assert await author.checked(uri) == []
    code = folder / "my_reverse.py"
    code.write_text(code.read_text().replace('"C1"', '"C2"'))
    change = types.FileEvent(code.as_uri(), types.FileChangeType.Changed)
    author.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    await becomes(lambda: len(author.diagnostics[uri]) == 2)
    messages = sorted((one.code, one.message) for one in author.diagnostics[uri])
    assert messages[0][1].startswith("MyReverse-extension:C1 is defined, but no code cites it")
    assert messages[1][1].startswith("MyReverse-extension:C2 is cited by code, but not defined")


@pytest.mark.slow
async def test_models_are_checked_with_the_definitions_as_they_are_now(author: Editor, folder: Path):
    model, path = author.open(folder / "model.xml"), folder / "MyReverse-extension.xml"
    assert await author.checked(model) == []
    path.write_text(path.read_text().replace('min="1"', 'min="100"'))
    definition = author.open(path)
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(definition))
    author.text_document_did_save(saved)
    await becomes(lambda: [one.code for one in author.diagnostics[model]] == ["IR315"])


async def test_weights_that_appear_are_used(author: Editor, tmp_path: Path):
    text = (ROOT / "examples" / "digit_classifier" / "model.xml").read_text()
    path = tmp_path / "model.xml"
    uri = author.open(path, text)
    assert {one.code for one in await author.checked(uri)} != set()
    shutil.copy(ROOT / "examples" / "digit_classifier" / "model.bin", path.with_suffix(".bin"))
    change = types.FileEvent(path.with_suffix(".bin").as_uri(), types.FileChangeType.Created)
    author.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    await becomes(lambda: author.diagnostics[uri] == [])
