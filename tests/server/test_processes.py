"""Servers as processes: several editors, and what remains when something is killed."""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from editor import make_editor
from lsprotocol import types
from waiting import wait_until

pytestmark = [pytest.mark.slow("kills servers"), pytest.mark.asyncio]
ROOT = Path(__file__).parents[2]
MODEL = ROOT / "examples" / "reversing" / "model.xml"
BROKEN = MODEL.read_text().replace('batch_axis="0"', 'batch_axis="zero"')


async def connected(folder=ROOT):
    """An editor in a session with a server that it started in a folder, and the process of the server."""
    editor, environment = make_editor(), {**os.environ, "PYTHONPATH": str(ROOT)}
    await editor.start_io(sys.executable, "-P", "-m", "irops", "server", cwd=folder, env=environment)
    await editor.start_session()
    return editor, psutil.Process(editor._server.pid)


async def disconnect(editor):
    """Close the streams of an editor without ending its session."""
    editor._server.stdin.close()
    await editor.stop()


def has_ended(process):
    """Whether a process does not run; one that ended and that nobody has waited for does not."""
    with suppress(psutil.NoSuchProcess):
        return process.status() == psutil.STATUS_ZOMBIE
    return True


async def test_two_editors_with_servers_of_their_own_see_their_own_texts(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(MODEL.read_text())
    (first, _), (second, _) = await connected(), await connected()
    uri = first.open(path)
    second.open(path, BROKEN)
    assert await first.checked(uri) == []
    assert [found.code for found in await second.checked(uri)] == ["IR314"]
    await disconnect(first)
    await disconnect(second)


async def test_a_server_ends_when_its_editor_is_gone(tmp_path):
    editor, server = await connected()
    await editor.checked(editor.open(tmp_path / "model.xml", BROKEN))
    family = [server, *server.children(recursive=True)]
    assert len(family) > 1  # the server, and its process for checks
    await disconnect(editor)
    await asyncio.to_thread(wait_until, lambda: all(map(has_ended, family)))


async def test_nothing_in_a_folder_that_is_opened_is_run(tmp_path):
    (tmp_path / "irops.toml").write_text('rules = ["team.py"]\n')
    for name in ("team", "numpy", "string"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')")
    editor, _ = await connected(tmp_path)
    assert await editor.checked(editor.open(tmp_path / "model.xml", BROKEN)) != []
    assert not (tmp_path / "sprung").exists()
    await disconnect(editor)


async def test_no_process_outlives_a_server_that_is_killed(tmp_path):
    editor, server = await connected()
    await editor.checked(editor.open(tmp_path / "model.xml", BROKEN))
    family = server.children(recursive=True)
    server.kill()
    await asyncio.to_thread(wait_until, lambda: all(map(has_ended, family)))
    await disconnect(editor)


async def test_a_check_whose_process_is_killed_is_made_again(tmp_path):
    editor, server = await connected()
    uri = editor.open(tmp_path / "model.xml", BROKEN)
    await editor.checked(uri)
    worker = server.children(recursive=True)[-1]
    worker.kill()
    editor.edit(uri, 2, MODEL.read_text())
    assert await editor.checked(uri, 2) == []
    assert has_ended(worker)
    await disconnect(editor)


async def test_files_that_are_deleted_or_renamed_while_they_are_open_stay_checked(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(BROKEN)
    editor, _ = await connected()
    uri = editor.open(path)
    await editor.checked(uri)
    path.unlink()
    editor.edit(uri, 2, BROKEN + " ")
    assert [one.code for one in await editor.checked(uri, 2)] == ["IR314"]
    identifier = types.TextDocumentIdentifier(uri)
    editor.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
    renamed = editor.open(tmp_path / "renamed.xml", MODEL.read_text())
    assert await editor.checked(renamed) == []
    assert editor.diagnostics[uri] == []
    tmp_path.joinpath("gone").mkdir()
    absent = editor.open(tmp_path / "gone" / "m.xml", BROKEN)
    tmp_path.joinpath("gone").rmdir()
    editor.edit(absent, 2, BROKEN)
    assert [one.code for one in await editor.checked(absent, 2)] == ["IR314"]
    await disconnect(editor)
