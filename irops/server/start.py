"""Starts the server."""

from __future__ import annotations

import os

from irops.server.features import add_features
from irops.server.language_server import IropsServer
from irops.server.options import ServerOptions


def serve(options: ServerOptions, address: tuple[str, int] | None = None) -> None:
    """Serve one editor until it ends the session. address: host and port to listen on; by default the server
    uses standard input and output.

    Raises:  OSError if the address cannot be used
    """
    server = IropsServer(options)
    add_features(server)
    try:
        if address is None:
            source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
            os.dup2(2, 1)  # what a library prints must not reach the editor
            server.start_io(source, target)
        else:
            server.start_tcp(*address)
    finally:
        server.stop()
