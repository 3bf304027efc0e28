"""Starts the server."""

from __future__ import annotations

import os
import socket
import sys
from typing import BinaryIO

from irops.server.features import add_features
from irops.server.language_server import IropsServer
from irops.server.records import ServerOptions


def serve(options: ServerOptions, listener: socket.socket | None = None) -> None:
    """Serve one editor until it ends the session. listener: a socket for its connection; by default the
    server uses standard input and output.
    """
    if listener is None:
        streams: tuple[BinaryIO, BinaryIO] = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what a library prints must not reach the editor
    else:
        streams = _accepted(listener)
    server = IropsServer(options)
    add_features(server)
    try:
        server.start_io(*streams)
    finally:
        server.stop()


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on an address. port: 0 for one that the system chooses

    Raises:  OSError if the address cannot be used
    """
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    return socket.create_server(address[:2], family=family)


def _accepted(listener: socket.socket) -> tuple[BinaryIO, BinaryIO]:
    """The streams of the first connection. There is no second one: a server serves one editor."""
    host, port = listener.getsockname()[:2]
    print(f"listening on {f'[{host}]' if ':' in host else host}:{port}", file=sys.stderr, flush=True)
    with listener:
        connection = listener.accept()[0]
    return connection.makefile("rb"), connection.makefile("wb")
