"""Serve editors: diagnostics, fixes, hovers, navigation and completion for IR
files, by the Language Server Protocol.

An editor starts the command itself and talks to it by standard input and
output; docs/editors.md has the settings for VS Code, Neovim, Helix and Emacs.
Functions of custom ops run only if --definitions or --module names them.

example:
  irops server
  irops server --definitions ops/ --limit seconds=20
"""

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
    docs = "the address of a site that irops docs wrote; codes of findings link to its pages"
    add_option(parser, "--docs URL", docs)
    add_option(parser, "--stdio", "use standard input and output, as it does without this option")
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    reason = missing_libraries("server", "pygls", "lsprotocol")
    if reason is not None:
        raise Refusal(reason)
    config = settings(args.config)
    registry_of(args)  # refuses folders and modules that do not exist
    from irops.server.features import serve

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
    serve(options)
    return CLEAN
