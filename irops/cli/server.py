"""Serve editors: diagnostics, fixes, hovers, navigation and completion for IR
files, by the Language Server Protocol.

An editor starts the command itself and talks to it by standard input and
output; docs/editors.md has the settings for VS Code, Neovim, Helix and Emacs.
Functions of custom ops run only if --definitions or --module names them.

example:
  irops server
  irops server --definitions ops/ --limit seconds=20
  irops server --tcp localhost:2087
"""

from __future__ import annotations

import argparse

from irops.cli.main import Refusal
from irops.cli.models import registry_of
from irops.cli.options import add_option, add_settings, limits_of
from irops.cli.parser import CLEAN
from irops.cli.settings import settings
from irops.environment import missing_libraries
from irops.server.records import ServerOptions

EXIT_1 = None


def configure(parser: argparse.ArgumentParser) -> None:
    add_option(
        parser,
        "--tcp HOST:PORT",
        "listen on an address instead of standard input, for one connection; port 0 lets the system"
        " choose one, which is printed",
        type=_address,
    )
    docs = "the address of a site that irops docs wrote; codes of findings link to its pages"
    add_option(parser, "--docs URL", docs)
    add_option(parser, "--stdio", "use standard input and output (default)")
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    if args.stdio and args.tcp is not None:
        raise Refusal("--stdio cannot be combined with --tcp")
    reason = missing_libraries("server", "pygls", "lsprotocol")
    if reason is not None:
        raise Refusal(reason)
    config = settings(args.config)
    registry_of(args)  # refuses folders and modules that do not exist
    from irops.server.features import listening, serve

    options = ServerOptions(
        limits_of(args, config.limits),
        tuple(config.select),
        tuple(config.ignore),
        config.target,
        tuple(config.rules),
        tuple(args.definitions),
        tuple(args.modules),
        args.docs,
    )
    try:
        listener = None if args.tcp is None else listening(*args.tcp)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise Refusal(f"cannot listen on {args.tcp[0]}:{args.tcp[1]}: {reason}") from None
    serve(options, listener)
    return CLEAN


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 <= int(port) < 65536:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an address, must be HOST:PORT such as localhost:2087"
        )
    return host.strip("[]"), int(port)
