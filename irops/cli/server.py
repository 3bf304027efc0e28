"""Serve editors: diagnostics, fixes, hovers, navigation and completion for IR
files and definitions of ops, by the Language Server Protocol.

An editor starts the command itself and talks to it by standard input and
output; docs/editors.md has the settings for VS Code, Neovim, Helix and Emacs.
Functions of custom ops run only if --definitions or --module names them;
custom rules that settings name, only in folders that you trust.

With --tcp, the first message must have the token that is printed, or that of
the environment variable IROPS_SERVER_TOKEN, in initializationOptions.token.

example:
  irops server
  irops server --definitions ops/ --limit seconds=20
  irops server --tcp localhost:2087
"""

from __future__ import annotations

import argparse

from irops.cli.command import CLEAN, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal
from irops.cli.options import add_limits, add_trust, limits_of
from irops.cli.settings import Settings, settings
from irops.files.extras import missing_libraries
from irops.files.trust import is_trusted, trust
from irops.server.options import CustomRules, ServerOptions

COMMAND = Command("serve editors: diagnostics, fixes, hovers, completion", 250, code_1=None)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        type=_address,
        help=(
            "listen on an address of this machine instead of standard input, for one connection; port 0 lets"
            " the system choose one, which is printed, with the token that the editor must send"
        ),
    )
    parser.add_argument(
        "--allow-remote",
        action="store_true",
        help="let --tcp listen on an address that other machines reach; nothing is encrypted, not the token",
    )
    parser.add_argument(
        "--docs",
        metavar="URL",
        help="the address of a site that irops docs wrote; codes of findings link to its pages",
    )
    parser.add_argument("--stdio", action="store_true", help="use standard input and output (default)")
    add_limits(parser)
    add_extensions(parser)
    add_trust(parser)


def execute(args: argparse.Namespace) -> int:
    if args.stdio and args.tcp is not None:
        raise Refusal("--stdio cannot be combined with --tcp")
    reason = missing_libraries("server", "pygls", "lsprotocol")
    if reason is not None:
        raise Refusal(reason)
    registry_of(args)  # refuses folders and modules that do not exist
    config = settings()
    from irops.server.start import RemoteAddressError, listening, serve

    try:
        listener = None if args.tcp is None else listening(*args.tcp, remote=args.allow_remote)
    except RemoteAddressError as error:
        raise Refusal(f"--tcp: {error}; --allow-remote allows it") from None
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise Refusal(f"cannot listen on {args.tcp[0]}:{args.tcp[1]}: {reason}") from None
    serve(_options(args, config), _custom_rules(args, config), listener)
    return CLEAN


def _options(args: argparse.Namespace, config: Settings) -> ServerOptions:
    return ServerOptions(
        limits_of(args, config.limits),
        tuple(config.select),
        tuple(config.ignore),
        config.target,
        tuple(config.rules),
        tuple(args.definitions),
        tuple(args.modules),
        args.docs,
    )


def _custom_rules(args: argparse.Namespace, config: Settings) -> CustomRules | None:
    """The rules that the settings name; whether to load them depends on what the editor says, too."""
    if not config.left_out or config.folder is None:
        return None
    folder = config.folder
    return CustomRules(
        str(folder),
        config.left_out,
        lambda: args.trust_settings or is_trusted(folder),
        lambda: trust(folder),
        lambda: _options(args, settings(trusting=True)),
    )


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 <= int(port) < 65536:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an address, must be HOST:PORT such as localhost:2087"
        )
    return host.strip("[]"), int(port)
