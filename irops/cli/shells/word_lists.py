"""The words that shells complete: rules, ops, releases, backends and the like, each with a description."""

from __future__ import annotations

import re
from collections.abc import Iterable

from irops.backends.catalogue import backend_names
from irops.cli.main import COMMANDS
from irops.debugging.sources.parse import PREFIXES
from irops.diagnostics.rule import BANDS
from irops.dialects import dialects
from irops.editing.diff.diff import IGNORABLE
from irops.limits import Limits
from irops.registry import default_registry
from irops.spec.custom_rules import load_installed_rules, rules
from irops.spec.op_names import parted
from irops.spec.opsets import categories
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
        "commands": {**COMMANDS, "help": "describe a command"},
        "backends": backends,
        "categories": dict.fromkeys(categories(), ""),
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
    registry, names = default_registry(), [dialect.name for dialect in dialects()]
    summaries = {
        parted(op)[:2]: registry.op(op).definition.summary for name in names for op in registry.ids(name)
    }
    versions = [version for name in names for version in registry.versions(name)]
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
