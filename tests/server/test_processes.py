"""Servers as processes: sessions over TCP, several editors, and what remains when something is killed."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from editor import Editor, make_editor
from lsprotocol import types
from server_process import COMMAND, ServerProcess, is_alive, kill, wait_until

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc to find the processes of a server"),
]
ROOT = Path(__file__).parents[2]
MODEL = ROOT / "examples" / "reversing" / "model.xml"
BROKEN = MODEL.read_text().replace('batch_axis="0"', 'batch_axis="zero"')


async def connected(server: ServerProcess) -> Editor:
    """An editor that is connected to a server, in a session."""
    editor = make_editor()
    await editor.start_tcp(*server.address)
    await editor.start_session(token=server.token)
    return editor


async def disconnect(editor: Editor) -> None:
    """Close the connection of an editor without ending its session."""
    editor.protocol.writer.close()
    await editor.stop()


@pytest.mark.slow
async def test_a_session_over_tcp_is_one_over_standard_streams(tmp_path: Path):
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


@pytest.mark.slow
async def test_a_server_takes_one_editor(tmp_path: Path):
    with ServerProcess() as server:
        editor = await connected(server)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(server.address).close()
        uri = editor.open(tmp_path / "model.xml", BROKEN)
        assert [one.code for one in await editor.checked(uri)] == ["IR314"]
        await disconnect(editor)


@pytest.mark.slow
async def test_two_editors_with_servers_of_their_own_see_their_own_texts(tmp_path: Path):
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


@pytest.mark.slow
async def test_a_server_ends_when_its_editor_is_gone(tmp_path: Path):
    with ServerProcess() as server:
        editor = await connected(server)
        await editor.checked(editor.open(tmp_path / "model.xml", BROKEN))
        family = [server.process.pid, *server.descendants()]
        assert len(family) > 1  # the server, and its process for checks
        await disconnect(editor)
        assert await asyncio.to_thread(wait_until, lambda: not any(map(is_alive, family)))


async def test_no_process_outlives_a_server_that_is_killed(tmp_path: Path):
    with ServerProcess() as server:
        editor = await connected(server)
        await editor.checked(editor.open(tmp_path / "model.xml", BROKEN))
        family = server.descendants()
        kill(server.process.pid)
        assert await asyncio.to_thread(wait_until, lambda: not any(map(is_alive, family)))
        await disconnect(editor)


async def test_a_check_whose_process_is_killed_is_made_again(tmp_path: Path):
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


def first_message(token: object, method: str = "initialize") -> bytes:
    params = {"processId": None, "capabilities": {}, "initializationOptions": {"token": token}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


HTTP = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 300\r\n\r\n"


def answer_to(server: ServerProcess, sent: bytes) -> bytes:
    """What the server answers until it closes the connection."""
    with socket.create_connection(server.address, timeout=60) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(1 << 16)
        except ConnectionError:  # closed with bytes unread
            return b""


async def test_a_connection_without_the_token_gets_no_answer_and_keeps_no_editor_away(tmp_path: Path):
    with ServerProcess() as server:
        assert len(server.token) >= 32
        strangers = [
            HTTP + first_message(server.token),
            b"GET / HTTP/1.1\r\n\r\n",
            b"Content-Length: 5\r\n\r\nhello",
            b"Content-Length: 99999999999\r\n\r\n{}",
            first_message("wrong"),
            first_message(None),
            first_message(["x"]),
            first_message(server.token, "textDocument/didOpen"),
            b"",
        ]
        for sent in strangers:
            assert await asyncio.to_thread(answer_to, server, sent) == b"", sent
        assert b'"capabilities"' in await asyncio.to_thread(answer_to, server, first_message(server.token))
        assert await asyncio.to_thread(server.process.wait, 60) == 0


@pytest.mark.slow
async def test_two_servers_have_two_tokens_and_the_environment_can_set_one(monkeypatch: pytest.MonkeyPatch):
    with ServerProcess() as one, ServerProcess() as other:
        assert one.token != other.token
    monkeypatch.setenv("IROPS_SERVER_TOKEN", "that of the test")
    with ServerProcess() as server:
        assert server.token == ""
        server.token = "that of the test"
        await disconnect(await connected(server))


def refused(address: str) -> str:
    done = subprocess.run(
        [*COMMAND, "--tcp", address], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 2
    assert done.stdout == ""
    return done.stderr.splitlines()[-1]


@pytest.mark.slow
async def test_an_address_that_cannot_be_used_is_refused_with_a_reason():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        expected = f"irops server: cannot listen on 127.0.0.1:{port}: Address already in use"
        assert await asyncio.to_thread(refused, f"127.0.0.1:{port}") == expected
    for address in ("localhost", "localhost:65536", "localhost:port", ":80"):
        assert f"{address!r} is not an address, must be HOST:PORT" in await asyncio.to_thread(
            refused, address
        )


async def test_an_address_that_other_machines_reach_needs_an_option():
    for host in ("0.0.0.0", "[::]"):
        refusal = await asyncio.to_thread(refused, f"{host}:0")
        assert refusal == (
            f"irops server: --tcp: other machines reach {host.strip('[]')}; --allow-remote allows it"
        )
    command = [*COMMAND, "--tcp", "0.0.0.0:0", "--allow-remote"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("warning: other machines reach 0.0.0.0")
        assert process.stderr.readline().startswith("listening on 0.0.0.0:")
        process.kill()


async def test_standard_streams_and_an_address_exclude_each_other():
    done = await asyncio.to_thread(
        subprocess.run, [*COMMAND, "--stdio", "--tcp", "localhost:0"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (2, "irops server: --stdio cannot be combined with --tcp\n")


@pytest.mark.slow
async def test_files_that_are_deleted_or_renamed_while_they_are_open_stay_checked(tmp_path: Path):
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
