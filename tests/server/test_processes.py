"""Servers as processes: sessions over TCP, several editors, and what remains when something is killed."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from editor import make_editor
from lsprotocol import types
from server_process import COMMAND, ServerProcess, is_alive, kill, wait_until

pytestmark = [
    pytest.mark.slow("kills servers"),
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc to find the processes of a server"),
]
ROOT = Path(__file__).parents[2]
MODEL = ROOT / "examples" / "reversing" / "model.xml"
BROKEN = MODEL.read_text().replace('batch_axis="0"', 'batch_axis="zero"')


async def connected(server):
    """An editor that is connected to a server, in a session."""
    editor = make_editor()
    await editor.start_tcp(*server.address)
    await editor.start_session()
    return editor


async def disconnect(editor):
    """Close the connection of an editor without ending its session."""
    editor.protocol.writer.close()
    await editor.stop()


async def test_a_session_over_tcp_is_one_over_standard_streams(tmp_path):
    with ServerProcess() as server:
        editor = await connected(server)
        uri = editor.open(tmp_path / "model.xml", BROKEN)
        assert [one.code for one in await editor.checked(uri)] == ["IR314"]
        editor.edit(uri, 2, MODEL.read_text())
        assert await editor.checked(uri, 2) == []
        line = next(k for k, one in enumerate(MODEL.read_text().splitlines()) if 'name="turned"' in one)
        assert "ReverseSequence-1" in (await editor.hover(uri, line, 6) or "")
        await editor.shutdown_session()
        assert await asyncio.to_thread(server.process.wait, 60) == 0
        await editor.stop()


async def test_a_server_takes_one_editor(tmp_path):
    with ServerProcess() as server:
        editor = await connected(server)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(server.address).close()
        uri = editor.open(tmp_path / "model.xml", BROKEN)
        assert [one.code for one in await editor.checked(uri)] == ["IR314"]
        await disconnect(editor)


async def test_two_editors_with_servers_of_their_own_see_their_own_texts(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(MODEL.read_text())
    with ServerProcess() as one, ServerProcess() as other:
        first, second = await connected(one), await connected(other)
        uri = first.open(path)
        second.open(path, BROKEN)
        assert await first.checked(uri) == []
        assert [found.code for found in await second.checked(uri)] == ["IR314"]
        await disconnect(first)
        await disconnect(second)


async def test_a_server_ends_when_its_editor_is_gone(tmp_path):
    with ServerProcess() as server:
        editor = await connected(server)
        await editor.checked(editor.open(tmp_path / "model.xml", BROKEN))
        family = [server.process.pid, *server.descendants()]
        assert len(family) > 1  # the server, and its process for checks
        await disconnect(editor)
        assert await asyncio.to_thread(wait_until, lambda: not any(map(is_alive, family)))


async def test_no_process_outlives_a_server_that_is_killed(tmp_path):
    with ServerProcess() as server:
        editor = await connected(server)
        await editor.checked(editor.open(tmp_path / "model.xml", BROKEN))
        family = server.descendants()
        kill(server.process.pid)
        assert await asyncio.to_thread(wait_until, lambda: not any(map(is_alive, family)))
        await disconnect(editor)


async def test_a_check_whose_process_is_killed_is_made_again(tmp_path):
    with ServerProcess() as server:
        editor = await connected(server)
        uri = editor.open(tmp_path / "model.xml", BROKEN)
        await editor.checked(uri)
        worker = server.descendants()[-1]
        kill(worker)
        editor.edit(uri, 2, MODEL.read_text())
        assert await editor.checked(uri, 2) == []
        assert not is_alive(worker)
        await disconnect(editor)


def refused(address):
    done = subprocess.run(
        [*COMMAND, "--tcp", address], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 2
    assert done.stdout == ""
    return done.stderr.splitlines()[-1]


async def test_an_address_that_cannot_be_used_is_refused_with_a_reason():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        expected = f"irops server: cannot listen on 127.0.0.1:{port}: Address already in use"
        assert await asyncio.to_thread(refused, f"127.0.0.1:{port}") == expected


async def test_files_that_are_deleted_or_renamed_while_they_are_open_stay_checked(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(BROKEN)
    with ServerProcess() as server:
        editor = await connected(server)
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
