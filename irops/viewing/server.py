"""Starts the server of Model Explorer for one model."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from io import StringIO

from irops.files.extras import missing_libraries
from irops.viewing.graphs import Json

HOST = "localhost"
"""Other machines must not reach the server: it gives out any file that the user may read."""
DEFAULT_PORT = 8080


class ServerError(RuntimeError):
    """The server cannot start: Model Explorer is not installed, or the port is in use."""


def require_model_explorer() -> None:
    """Raises: ServerError, which names the extra, if Model Explorer is not installed"""
    reason = missing_libraries("view", "model_explorer")
    if reason is not None:
        raise ServerError(reason)


def serve(
    name: str,
    graphs: Sequence[Json],
    overlays: Mapping[str, Json],
    *,
    port: int,
    open_page: bool,
    quiet: bool = False,
) -> None:
    """Serve the page of a model until an interruption (Ctrl-C).

    name: of the model; overlays: node data by name. Of the default port and the next ones, the first that is
    free is used. quiet: drop what Model Explorer prints. Raises: ServerError
    """
    require_model_explorer()
    if port != DEFAULT_PORT and _is_in_use(port):
        raise ServerError(f"port {port} is in use")
    import model_explorer

    config = model_explorer.config()
    config.graphs_list.append(json.dumps({"graphs": list(graphs)}))
    config.model_sources.append({"url": f"graphs://{name}/0"})
    for title, data in overlays.items():
        config.add_node_data(title, json.dumps(data))
    with redirect_stdout(StringIO()) if quiet else nullcontext():
        model_explorer.visualize_from_config(
            config, host=HOST, port=port, extensions=["irops.viewing"], no_open_in_browser=not open_page
        )


def _is_in_use(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        return probe.connect_ex((HOST, port)) == 0
