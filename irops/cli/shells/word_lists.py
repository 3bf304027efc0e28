"""The words that shells complete: rules, ops, releases, backends and the like, each with a description."""

from __future__ import annotations

import re
from collections.abc import Iterable

from irops.backends.catalogue import backend_names
from irops.cli.catalogue import Catalogue
from irops.cli.command import commands
from irops.cli.index_parts import ops_of
from irops.debugging.sources.parse import PREFIXES
from irops.diagnostics.rule import BANDS
from irops.editing.diff.diff import IGNORABLE
from irops.files.limits import Limits
from irops.registry import default_registry
from irops.spec.extension import load_installed_rules, rules
from irops.spec.op_names import parted
from irops.spec.releases import releases
from irops.surveys.tasks import KINDS

Words = dict[str, str]
"""Descriptions by word; empty where there is none."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]*")
"""Words that no shell expands. Packages may register others, which are not completed."""
DEVICE = "openvino:"
DEVICES = ("AUTO", "CPU", "GPU", "NPU")


def word_lists() -> dict[str, Words]:
    """The lists by name, without words that a shell may expand."""
    ops, rule_words = _ops(), _rules()
    backends = dict.fromkeys(backend_names(), "backend")
    targets = releases().names[::-1]
    lists = {
        "commands": {name: command.summary for name, command in commands().items()}
        | {"help": "describe a command"},
        "backends": backends,
        "categories": dict.fromkeys(Catalogue(ops_of(default_registry())).categories, ""),
        "differences": dict.fromkeys(IGNORABLE, ""),
        "limits": dict.fromkeys(Limits.described(), ""),
        "ops": ops,
        "releases": dict.fromkeys(targets, ""),
        "rules": rule_words,
        "sources": {
            **backends,
            **{f"{DEVICE}{device}": "the whole model on a device of OpenVINO" for device in DEVICES},
            **dict.fromkeys(file_prefixes(), "a model"),
        },
        "subjects": {**rule_words, **ops},
        "tasks": dict.fromkeys(KINDS, ""),
        "targets": {"newest": "", **dict.fromkeys(targets, ""), **dict.fromkeys(_opsets(), "")},
    }
    return {name: _plain(words.items()) for name, words in lists.items()}


def file_prefixes() -> tuple[str, ...]:
    """The beginnings of sources that name a file after them."""
    return tuple(prefix for prefix in PREFIXES if prefix != DEVICE)


def _ops() -> Words:
    """All versions of all ops of all dialects, with the summary of their type."""
    catalogue = Catalogue(ops_of(default_registry()))
    summaries = {
        parted(entry.op)[:2]: entry.summary
        for dialect in catalogue.dialects
        for entry in catalogue.entries(dialect)
    }
    versions = [version for dialect in catalogue.dialects for version in dialect.versions]
    return {version: summaries.get(parted(version)[:2], "") for version in versions}


def _rules() -> Words:
    """Codes, the beginnings of codes, and names."""
    load_installed_rules()
    listed = rules()
    bands = {band: f"rules about {what}" for band, what in BANDS.items()}
    codes = {one.code: one.summary for one in listed}
    return {**bands, **codes, **{one.name: one.summary for one in listed}}


def _opsets() -> list[str]:
    return [f"opset:{name.removeprefix('opset')}" for name in releases().opsets]


def _plain(words: Iterable[tuple[str, str]]) -> Words:
    return {word: " ".join(text.split()) for word, text in words if _PLAIN.fullmatch(word)}
