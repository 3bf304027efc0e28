"""What a shell completes as the value of an option or as an argument."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from enum import StrEnum

from irops.dialects import dialects


class How(StrEnum):
    """nothing: any text. word: one of some words; words: several, separated by commas. path: a file with one
    of some suffixes, or a folder; folder: a folder. source: a word, a file, or a prefix with a file. pair: a
    word, "=" and any text; named_path: any text, "=" and a path.
    """

    NOTHING = "nothing"
    WORD = "word"
    WORDS = "words"
    PATH = "path"
    FOLDER = "folder"
    SOURCE = "source"
    PAIR = "pair"
    NAMED_PATH = "named_path"


@dataclass(frozen=True, slots=True)
class Kind:
    """list: the name of a list of words, see word_lists.py; words: the words themselves, where they are few;
    suffixes: of files, empty for all files.
    """

    how: How
    list: str = ""
    words: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()


NOTHING = Kind(How.NOTHING)
ANY_FILE = Kind(How.PATH)
FOLDER = Kind(How.FOLDER)
SOURCE = Kind(How.SOURCE, "sources", suffixes=(".npz", ".npy"))
BY_METAVAR = {
    "B": Kind(How.PATH, list="models"),
    "C": Kind(How.WORD, "categories"),
    "CMD": ANY_FILE,
    "CODE": Kind(How.WORD, "subjects"),
    "DIR": FOLDER,
    "FILE": ANY_FILE,
    "FOLDER": FOLDER,
    "MODEL": Kind(How.PATH, list="models"),
    "NAME=FILE": Kind(How.NAMED_PATH, suffixes=(".npy",)),
    "NAME=VALUE": Kind(How.PAIR, "limits"),
    "OP": Kind(How.WORD, "ops"),
    "PATH": Kind(How.PATH, list="models"),
    "RELEASES": Kind(How.WORDS, "releases"),
    "REPORT": ANY_FILE,
    "SOURCES": Kind(How.WORDS, "sources"),
    "TASKS": Kind(How.WORDS, "tasks"),
    "RELEASE": Kind(How.WORD, "releases"),
    "RULE": Kind(How.WORD, "rules"),
    "RULES": Kind(How.WORDS, "rules"),
    "SOURCE": SOURCE,
    "TARGET": Kind(How.WORD, "targets"),
    "TRACE.json": Kind(How.PATH, suffixes=(".json",)),
    "WHAT": Kind(How.WORDS, "differences"),
}
BY_NAME = {
    "--backend": Kind(How.WORD, "backends"),
    "--crashes": SOURCE,
    "--differs": Kind(How.WORDS, "sources"),
    "--expect": Kind(How.PATH, suffixes=(".npz",)),
    "--load-inputs": Kind(How.PATH, suffixes=(".npz",)),
    "--node-data": Kind(How.PATH, suffixes=(".json",)),
    "--rule": Kind(How.WORD, "rules"),
    "--save-outputs": Kind(How.PATH, suffixes=(".npz",)),
    "--weights": Kind(How.PATH, suffixes=(".bin",)),
    "diff A": Kind(How.PATH, list="models"),
    "new OP": NOTHING,
}
"""Where the metavar does not say it: by the option, or by the command and the argument."""


def kind_of(command: str, action: argparse.Action) -> Kind:
    """What a shell completes for an action of the parser of a command."""
    if action.choices:
        return Kind(How.WORD, words=tuple(map(str, action.choices)))
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    names = action.option_strings or [f"{command} {metavar}"]
    kind = next((BY_NAME[name] for name in names if name in BY_NAME), BY_METAVAR.get(metavar, NOTHING))
    return Kind(How.PATH, suffixes=model_suffixes()) if kind.list == "models" else kind


def model_suffixes() -> tuple[str, ...]:
    """How the names of the files of models end."""
    return tuple(dict.fromkeys(suffix for dialect in dialects() for suffix in dialect.suffixes))
