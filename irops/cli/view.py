"""View a model in Model Explorer, in the browser.

The parts of a layer's name are the groups of the graph. Nodes show attributes,
types, shapes and what irops check reports; a body is a graph of its own.
--node-data FILE colours layers by values of a JSON file, {"conv_1": 0.25}.
The command ends with Ctrl-C.

Model Explorer shows models with its own command as well:
model-explorer model.xml --extensions irops.viewing

example:
  irops view model.xml
  irops view model.xml --node-data times.json --port 8123 --no-open
"""

from __future__ import annotations

import argparse
from pathlib import Path

from irops.analysis.checks.run import check
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.cli.command import CLEAN, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal
from irops.cli.model_files import add_model
from irops.cli.options import add_limits, integer_at_least, limits_of
from irops.cli.settings import settings
from irops.dialects.reading import read
from irops.files.urls import name_of
from irops.ir.regular import open_regular
from irops.viewing.graphs import Json, graphs
from irops.viewing.overlays import NodeDataError, findings_overlay, node_data
from irops.viewing.server import DEFAULT_PORT, ServerError, require_model_explorer, serve

COMMAND = Command(
    "view a model in Model Explorer, in the browser",
    120,
    code_1="the model has errors that prevent reading it",
    completion={"--node-data": ".json"},
)

MAX_NODE_DATA = 1 << 28
"""The greatest number of bytes of a file of node data."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--node-data",
        metavar="FILE",
        action="append",
        default=[],
        help="a JSON file of values by names of layers, or in the format of Model Explorer; repeatable",
    )
    parser.add_argument(
        "--port",
        metavar="N",
        type=integer_at_least(1),
        default=DEFAULT_PORT,
        help=f"the port of the server; default: {DEFAULT_PORT}, or the next that is free",
    )
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")
    parser.add_argument("--quiet", "-q", action="store_true", help="do not print the address")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    if args.port > 65535:
        raise Refusal(f"--port is {args.port}, must be at most 65535")
    try:
        require_model_explorer()
        limits = limits_of(args, settings().limits)
        analysis = analyse(read(args.model, args.weights, limits=limits), registry_of(args), limits)
        report = check(analysis)
        overlays = {"irops check": findings_overlay(analysis, report)} if report else {}
        overlays |= {Path(path).name: _node_data(analysis, path) for path in args.node_data}
        overlays = {name: data for name, data in overlays.items() if data}
        shown = graphs(analysis, report)
        serve(
            name_of(args.model),
            shown,
            overlays,
            port=args.port,
            open_page=not args.no_open,
            quiet=args.quiet,
        )
    except ServerError as error:
        raise Refusal(str(error)) from None
    return CLEAN


def _node_data(analysis: ModelAnalysis, path: str) -> Json:
    try:
        with open_regular(path) as file:
            content = file.read(MAX_NODE_DATA + 1)
        if len(content) > MAX_NODE_DATA:
            raise Refusal(f"--node-data {path}: the file has more than {MAX_NODE_DATA} bytes")
        return node_data(analysis, content.decode())
    except OSError as error:
        raise Refusal(f"--node-data {path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, NodeDataError) as error:
        raise Refusal(f"--node-data {path}: {error}") from None
