"""Completion of command lines by argcomplete, which a shell starts when a person presses Tab.

docs/guide/install.md has the commands that set a shell up. Otherwise nothing here is imported.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module

from irops.cli.parser import REFUSED, add_common
from irops.environment import missing_libraries

Words = Mapping[str, str]
"""Descriptions by word; empty where there is none."""
Completer = Callable[[str], Iterable[str] | Words]
"""The completions of a word, from its beginning."""
LIST = ","


def complete(commands: Words) -> int:
    """Write what may follow the line in the environment, which argcomplete reads, and return an exit code.

    commands: what each does, by name
    """
    reason = missing_libraries("completion", "argcomplete")
    if reason is not None:
        print(f"irops: {reason}", file=sys.stderr)
        return REFUSED
    import argcomplete
    from argcomplete.completers import SuppressCompleter

    named = (word for word in os.environ.get("COMP_LINE", "").split() if word in commands)
    parser = parser_for(next(named, ""), commands)
    nothing = SuppressCompleter()
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=nothing)
    return REFUSED  # argcomplete ends the process, unless it finds no line to complete


def parser_for(command: str, commands: Words) -> argparse.ArgumentParser:
    """A parser of all commands, with the options and arguments of one: importing a command takes time."""
    whole = argparse.ArgumentParser("irops", allow_abbrev=False)
    whole.add_argument("--version", action="store_true")
    names = whole.add_subparsers(parser_class=argparse.ArgumentParser)
    for name, what in commands.items():
        parser = names.add_parser(name, help=what, allow_abbrev=False)
        if name == command:
            import_module(f"irops.cli.{name}").configure(parser)
            add_common(parser)
            for action in parser._actions:
                _add_completer(name, action)
    helped = names.add_parser("help", help="describe a command")
    helped.add_argument("command", choices=commands)
    return whole


def _add_completer(command: str, action: argparse.Action) -> None:
    """Let argcomplete find what completes the value of an option or an argument."""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    labels = (*action.option_strings, f"{command} {metavar}", metavar)
    found = next((COMPLETERS[label] for label in labels if label in COMPLETERS), None)
    if metavar in NAMING:
        vars(action)["completer"] = lambda prefix, parsed_args, **_: _after(
            NAMING[metavar], partial(_names, getattr(parsed_args, "model", None)), prefix
        )
    elif found is not None and not action.choices:
        vars(action)["completer"] = lambda prefix, **_: found(prefix)


def _paths(prefix: str, suffixes: tuple[str, ...] | None = ("",)) -> Iterable[str]:
    """Folders, and files with one of some suffixes, by default all files."""
    folder, name = os.path.split(prefix)
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return
    for entry, is_folder in found:
        is_shown = entry.startswith(name) and (name or entry[0] != ".") and entry.isprintable()
        if is_shown and (is_folder or entry.endswith(suffixes or ())):
            yield os.path.join(folder, entry) + ("/" if is_folder else "")


def _models(prefix: str) -> Iterable[str]:
    from irops.dialects import model_suffixes

    return _paths(prefix, model_suffixes())


def _names(model: str | None, prefix: str) -> Iterable[str]:
    """The names of layers and tensors of a file, constants apart."""
    from irops.diagnostics.diagnostic import DiagnosticError
    from irops.dialects.reading import read
    from irops.ir.model import LayerKind
    from irops.ir.names import LayerNames

    if model is None or not os.path.isfile(model):
        return []
    try:
        layers = read(model).layers
    except DiagnosticError:
        return []
    names = LayerNames((layer.id, layer) for layer in layers if layer.kind is not LayerKind.CONSTANT)
    return [name for name in names if name.startswith(prefix) and name.isprintable()]


def _after(sign: str, completer: Completer, prefix: str) -> Iterable[str] | Words:
    """The completions after the last of a sign: of words separated by commas, of NAME=FILE."""
    head, found, last = prefix.rpartition(sign)
    completions = completer(last)
    if isinstance(completions, Mapping):
        return {f"{head}{found}{word}": what for word, what in completions.items()}
    return [f"{head}{found}{word}" for word in completions]


def _ops(prefix: str) -> Words:
    """The ids of the ops of OpenVINO; where none of them begins so, of all ops of all dialects."""
    from irops.spec.releases import opsets

    ids = [version.id for version in opsets().all()]
    if not any(op.startswith(prefix) for op in ids):
        from irops.dialects import dialects
        from irops.dialects.registry import default_registry

        ids = [op for dialect in dialects() for op in default_registry().versions(dialect.name)]
    return dict.fromkeys(ids, "")


def _rules(prefix: str) -> Words:  # noqa: ARG001
    """Codes and names of rules, and the beginnings of codes."""
    from irops.diagnostics.diagnostic import BANDS
    from irops.spec.extension import load_installed_rules, rules

    load_installed_rules()
    listed = rules()
    codes = {rule.code: rule.summary for rule in listed} | {rule.name: rule.summary for rule in listed}
    return {band: f"rules about {what}" for band, what in BANDS.items()} | codes


def _releases(prefix: str) -> Iterable[str]:  # noqa: ARG001
    from irops.spec.releases import releases

    return releases().names[::-1]


def _targets(prefix: str) -> Iterable[str]:
    from irops.editing.translation.node import DIALECT_NAMES
    from irops.spec.releases import opsets

    versions = (f"opset:{name.removeprefix('opset')}" for name in opsets().names)
    return ("newest", *DIALECT_NAMES, *_releases(prefix), *versions)


def _backends(prefix: str) -> Iterable[str]:  # noqa: ARG001
    from irops.backends.catalogue import backend_names

    return backend_names()


def _sources(prefix: str) -> Iterable[str]:
    """Backends, devices of OpenVINO, and files, of which some have a word and a colon before them."""
    from irops.debugging.sources.parse import PREFIXES

    head = next((form for form in PREFIXES if prefix.startswith(form)), "")
    if head == "openvino:":
        return [f"{head}{device}" for device in ("AUTO", "CPU", "GPU", "NPU")]
    if head:
        return _after(":", _paths, prefix)
    return [*_backends(prefix), *PREFIXES, *_paths(prefix)]


def _limits(prefix: str) -> Words:  # noqa: ARG001
    from irops.files.limits import Limits

    return {f"{name}=": what for name, what in Limits.described().items()}


def _categories(prefix: str) -> Iterable[str]:  # noqa: ARG001
    from irops.spec.releases import categories

    return categories()


NAMING = {"LAYER": "\n", "LAYERS": LIST, "VALUES": LIST}
"""The signs between names of layers in a value, by its metavar; one name has no line end."""
_folders: Completer = partial(_paths, suffixes=None)
COMPLETERS: dict[str, Completer] = {
    "--source": _backends,
    "--crashes": _sources,
    "--rule": _rules,
    "--weights": partial(_paths, suffixes=(".bin",)),
    "new OP": lambda _: (),
    "A": _models,
    "A,B": partial(_after, LIST, _sources),
    "B": _models,
    "C": _categories,
    "CMD": _paths,
    "CODE": lambda prefix: {**_rules(prefix), **_ops(prefix)},
    "DIR": _folders,
    "FILE": _paths,
    "FOLDER": _folders,
    "MODEL": _models,
    "NAME=FILE": partial(_after, "=", _paths),
    "NAME=VALUE": _limits,
    "OP": _ops,
    "PATH": _models,
    "RELEASE": _releases,
    "RELEASES": partial(_after, LIST, _releases),
    "REPORT": _paths,
    "RULE": _rules,
    "RULES": partial(_after, LIST, _rules),
    "SOURCE": _sources,
    "SOURCES": partial(_after, LIST, _sources),
    "TARGET": _targets,
}
"""The completer of a value: by its option, by its command and its metavar, or by its metavar alone."""
