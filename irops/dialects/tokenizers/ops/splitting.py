"""Ops that split the strings of a batch, whose rows are ranges of strings."""

from __future__ import annotations

from irops.dialects.tokenizers.ops.parts import (
    STRINGS,
    VECTOR,
    require_bytes,
    require_flags,
    require_same_shape,
    require_strings,
    require_type,
)
from irops.spec.binding import shape
from irops.values.element import BOOLEAN, I32
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

Outputs = tuple[Shape | Fact, ...]


@shape("tokenizers:RegexSplit")
def regex_split_shape(
    ragged_begins: Fact,
    ragged_ends: Fact,
    begins: Fact,
    ends: Fact,
    chars: Fact,
    *parameters: Fact,
    max_splits: int,
) -> Outputs:
    require(len(parameters) in (1, 2, 4), "C1", len(parameters) + 5)
    require(max_splits != 0, "C5")
    pattern = parameters[1] if len(parameters) == 2 else parameters[0]
    require_bytes(pattern, "C2")
    rows = (ragged_begins.shape, ragged_begins.shape)
    match len(parameters):
        case 2:
            require_flags(parameters[0], "C3")
            return *rows, *STRINGS, Fact(parameters[0].element_type, VECTOR)
        case 4:
            require_strings(parameters[1:], "C4")
    return *rows, *STRINGS


@shape("tokenizers:SpecialTokensSplit")
def special_tokens_split_shape(
    ragged_begins: Fact, ragged_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *parameters: Fact
) -> Outputs:
    require(len(parameters) in (1, 2), "C1", len(parameters) + 5)
    *flags, pattern = parameters
    for skips in flags:
        require_flags(skips, "C2")
    require_bytes(pattern, "C3")
    kind = flags[0].element_type if flags else BOOLEAN
    return ragged_begins.shape, ragged_begins.shape, *STRINGS, Fact(kind, VECTOR)


@shape("tokenizers:BytesToChars")
def bytes_to_chars_shape(
    ragged_begins: Fact, ragged_ends: Fact, begins: Fact, ends: Fact, chars: Fact, skips: Fact | None
) -> tuple[Shape, ...]:
    words = (ragged_begins.shape, ragged_begins.shape, *STRINGS)
    return words if skips is None else (*words, skips.shape)


@shape("tokenizers:BPETokenizer")
def bpe_shape(
    ragged_begins: Fact, ragged_ends: Fact, begins: Fact, ends: Fact, chars: Fact, *tables: Fact
) -> tuple[Shape, ...]:
    require(len(tables) in (6, 9, 10, 13), "C1", len(tables) + 5)
    added = tables[-4:] if len(tables) % 3 == 1 else ()
    strings = tables[: len(tables) - len(added[3:])]
    for start in range(0, len(strings), 3):
        require_strings(strings[start : start + 3], "C2")
    if added:
        require_type(added[3], (I32,), "C3")
        require_same_shape(added[0], added[3], "C3")
    return ragged_begins.shape, ragged_begins.shape, VECTOR
