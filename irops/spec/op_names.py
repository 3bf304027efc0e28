"""The names of ops: the parts of an id, what a person means by one, and how opsets are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from irops.diagnostics.suggestions import closest

MAX_DIGITS = 9
_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def is_version_number(text: str) -> bool:
    """Whether a text is a number of a version: ASCII digits, and few of them. str.isdigit accepts more."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS


def parted(id: str) -> tuple[str, str, int]:
    """The dialect, the type and the number of an id: ("", "ReverseSequence", 1); no dialect for OpenVINO's,
    and the number 0 where it has none.
    """
    dialect, _, whole = id.rpartition(":")
    name, dash, number = whole.rpartition("-")
    return (dialect, name, int(number)) if dash and is_version_number(number) else (dialect, whole, 0)


def type_of(id: str) -> str:
    """The type of the layers of an op, whether its version is a number or the name of an extension."""
    return id.rpartition(":")[2].rpartition("-")[0]


def number_of(id: str) -> int:
    """The number at the end of an id; 0 if it has none."""
    last = id.rsplit("-", 1)[-1]
    return int(last) if is_version_number(last) else 0


def meant_id(name: str, ids: Sequence[str], classes: Mapping[str, str]) -> str | None:
    """The id that a name is in any case, or that of the newest version of the type that it is, in any case,
    with or without underscores.

    ids: those of a dialect; classes: the types that C++ classes of other names implement
    """
    lower = {one.lower(): one for one in ids}
    if name.lower() in lower:
        return lower[name.lower()]
    spelled = classes.get(name, name).lower()
    for word in dict.fromkeys(
        (spelled, spelled.replace("_", ""))
    ):  # reverse_sequence, as functions are spelled
        versions = [one for one in ids if one.rsplit("-", 1)[0].lower() == word]
        if versions:
            return max(versions, key=number_of)
    return None


def similar_ids(name: str, prefix: str, ids: Iterable[str]) -> list[str]:
    """Up to two ids like a name, of the newest version where the type is similar.

    prefix: the dialect that the name begins with; empty if it begins with none
    """
    plain = {one.removeprefix(f"{prefix}:"): one for one in sorted(ids, key=number_of)}
    newest = {word.rpartition("-")[0] or word: one for word, one in plain.items()}
    word = name.removeprefix(f"{prefix}:")
    stem, dash, number = word.rpartition("-")
    if dash and number.isdigit() and stem.lower() not in map(str.lower, newest):
        return [plain[near] for near in closest(word, plain)]
    return [newest[near] for near in closest(stem if dash else word, newest)]


def opset_named(text: str, title: str, opsets: Sequence[str]) -> str:
    """The name of an opset of a dialect, which may be given by its number.

    Raises:  ValueError if there is none
    """
    number = text.removeprefix("opset")
    for name in opsets:
        if name.removeprefix("opset") == number:
            return name
    there_are = f"there are {opsets[0]} to {opsets[-1]}" if opsets else "it has no opsets"
    raise ValueError(f"{title} has no opset {text!r}; {there_are}")


def normal(names: Iterable[str]) -> str:
    """Names as one text to search in: each as it is, and split into its parts (reverse sequence)."""
    lower = [spelled for name in names for spelled in (name.lower(), _PARTS.sub(" ", name).lower())]
    return " ".join(re.sub("[-_ ]+", " ", name) for name in dict.fromkeys(lower)) + " "


def called(keywords: Mapping[str, Iterable[str]], name: str) -> list[str]:
    """The newest ids of the ops that have a name as a keyword: those that LeakyRelu or conv2d may mean.

    keywords: by id
    """
    wanted = _letters(name)
    newest: dict[str, str] = {}
    for op in sorted(keywords, key=number_of):
        if any(wanted == _letters(word.rpartition(".")[2]) for word in keywords[op]):
            newest[type_of(op)] = op
    return sorted(newest.values(), reverse=True)


def _letters(name: str) -> str:
    """A name without what spellings differ in: layer_norm, LayerNorm and layer norm are one."""
    return re.sub(r"[\W_]+", "", name).lower()
