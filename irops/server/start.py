"""Starts the server."""

from __future__ import annotations

import io
import ipaddress
import json
import os
import secrets
import socket
import sys
from contextlib import suppress
from time import monotonic
from typing import BinaryIO, cast

from irops.server.features import add_features
from irops.server.language_server import IropsServer
from irops.server.options import CustomRules, ServerOptions

TOKEN_VARIABLE = "IROPS_SERVER_TOKEN"
SECONDS = 10.0
"""How long a connection may take to send its first message, before the next connection is accepted."""
MAX_HEADER, MAX_MESSAGE = 4 << 10, 4 << 20
"""Bytes of the first message."""


class RemoteAddressError(ValueError):
    """Other machines reach the address."""


class NotAnEditorError(ConnectionError):
    """The first message of a connection is not that of an editor with the token."""


def serve(
    options: ServerOptions, rules: CustomRules | None = None, listener: socket.socket | None = None
) -> None:
    """Serve one editor until it ends the session. rules: those that the settings name; listener: a socket for
    its connection; by default the server uses standard input and output.

    Raises:  OSError if an answer could not be written, after the session has ended
    """
    if listener is None:
        streams: tuple[BinaryIO, BinaryIO] = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what a library prints must not reach the editor
    else:
        streams = _accepted(listener)
    server, answers = IropsServer(options, rules), _Answers(streams[1])
    add_features(server)
    try:
        server.start_io(streams[0], cast(BinaryIO, answers))
    finally:
        server.stop()
    if answers.fault is not None and listener is None:  # that an editor at a socket is gone ends its session
        raise answers.fault


def listening(host: str, port: int, *, remote: bool = False) -> socket.socket:
    """A socket that listens on an address. port: 0 for one that the system chooses; remote: whether other
    machines may reach the address

    Raises:  OSError if the address cannot be used; RemoteAddressError
    """
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback:
        if not remote:
            raise RemoteAddressError(f"other machines reach {host}")
        print(
            f"warning: other machines reach {host}; texts and the token are sent without encryption",
            file=sys.stderr,
        )
    return socket.create_server(address[:2], family=family)


def _accepted(listener: socket.socket) -> tuple[BinaryIO, BinaryIO]:
    """The streams of the first connection that has the token. No other gets an answer: a server serves one
    editor, and pages in a browser can connect to any port of this machine.
    """
    host, port = listener.getsockname()[:2]
    token = os.environ.get(TOKEN_VARIABLE, "")
    shown = "" if token else f" with the token {(token := secrets.token_urlsafe(32))}"
    print(f"listening on {f'[{host}]' if ':' in host else host}:{port}{shown}", file=sys.stderr, flush=True)
    with listener:
        while True:
            connection, (client, *_) = listener.accept()
            try:
                first = _first_message(connection, token)
            except OSError as error:
                connection.close()
                print(f"a connection from {client} was closed: {error}", file=sys.stderr, flush=True)
                continue
            replayed = io.BufferedReader(_Replayed(first, connection))
            return cast(BinaryIO, replayed), connection.makefile("wb")


def _first_message(connection: socket.socket, token: str) -> bytes:
    """The bytes of the first message, which must be an initialize request with the token.

    Raises:  NotAnEditorError; OSError if the connection ends or takes too long
    """
    until = monotonic() + SECONDS
    received = b""

    def receive(size: int) -> bytes:
        connection.settimeout(max(until - monotonic(), 0.001))
        chunk = connection.recv(size)
        if not chunk:
            raise NotAnEditorError("it ended before its first message")
        return chunk

    while b"\r\n\r\n" not in received:
        received += receive(MAX_HEADER)
        if not (b"Content-".startswith(received[:8]) or received.startswith(b"Content-")):
            raise NotAnEditorError("it does not speak the Language Server Protocol")
        if len(received) > MAX_MESSAGE:
            raise NotAnEditorError("its first message is too long")
    header, _, body = received.partition(b"\r\n\r\n")
    size = _content_length(header)
    while len(body) < size:
        body += receive(size - len(body))
    _require_token(body[:size], token)
    connection.settimeout(None)
    return header + b"\r\n\r\n" + body


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length" and value.strip().isdigit() and len(value) < 12:
            if int(value) > MAX_MESSAGE:
                raise NotAnEditorError("its first message is too long")
            return int(value)
    raise NotAnEditorError("it does not speak the Language Server Protocol")


def _require_token(body: bytes, token: str) -> None:
    try:
        message = json.loads(body)
        sent = message["params"]["initializationOptions"]["token"]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise NotAnEditorError("its first message has no token in initializationOptions") from None
    is_right = isinstance(sent, str) and secrets.compare_digest(
        sent.encode("utf-8", "replace"), token.encode("utf-8", "replace")
    )
    if message.get("method") != "initialize" or not is_right:
        raise NotAnEditorError("its token is not that of the server")


class _Answers(io.RawIOBase):
    """A stream that takes answers also when the editor is gone, where pygls would log each of them.

    fault: the first error of the stream; nothing is written after it
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.fault: OSError | None = None

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if self.fault is None:
            try:
                self._stream.write(data)
                self._stream.flush()
            except OSError as error:
                self.fault = error
        return len(data)

    def close(self) -> None:
        with suppress(OSError):  # what it could not write before
            self._stream.close()
        super().close()


class _Replayed(io.RawIOBase):
    """A connection of which some bytes were received already."""

    def __init__(self, first: bytes, connection: socket.socket) -> None:
        self._first, self._connection = first, connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._first:
            return self._connection.recv_into(buffer)
        size = min(len(self._first), len(buffer))
        buffer[:size], self._first = self._first[:size], self._first[size:]
        return size
