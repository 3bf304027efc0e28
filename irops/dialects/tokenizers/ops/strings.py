"""Ops on strings: tensors, their parts and bytes, splitting, and models of SentencePiece as inputs."""

from collections.abc import Iterable, Sequence

from irops.spec.binding import shape
from irops.values.dim import ANY
from irops.values.element import BOOLEAN, DYNAMIC, I32, STRING, ElementType, element_type
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, unify_shapes
from irops.values.violation import require

U8: ElementType = element_type("u8")
FLAGS = (BOOLEAN, U8, element_type("i8"))
VECTOR = Shape.of(ANY)
"""One axis, whose size follows from values: strings, bytes or tokens of a batch, one after the other."""
STRINGS = (VECTOR, VECTOR, VECTOR)
"""The begins, the ends and the bytes of strings whose number follows from values."""


def require_type(fact: Fact, allowed: Iterable[ElementType], constraint: str) -> None:
    """Require an element type of an input. Raises: Violation(constraint)"""
    require(fact.element_type is DYNAMIC or fact.element_type in allowed, constraint, fact)


def require_bytes(fact: Fact, constraint: str) -> None:
    """Require one text as UTF-8 bytes. Raises: Violation(constraint)"""
    require_type(fact, (U8,), constraint)
    require(fact.shape.rank in (None, 1), constraint, fact)


def require_strings(facts: Sequence[Fact], constraint: str) -> None:
    """Require the begins, the ends and the bytes of strings. Raises: Violation(constraint)"""
    begins, ends, chars = facts
    require_type(begins, (I32,), constraint)
    require_type(ends, (I32,), constraint)
    require_type(chars, (U8,), constraint)


def require_flags(fact: Fact, constraint: str) -> None:
    """Require one flag for each string, which says whether to skip it. Raises: Violation(constraint)"""
    require_type(fact, FLAGS, constraint)


def require_same_shape(a: Fact, b: Fact, constraint: str) -> None:
    """Raises: Violation(constraint) if the shapes certainly differ"""
    require(a.shape.can_be(b.shape), constraint, a.shape, b.shape)


Outputs = tuple[Shape | Fact, ...]


@shape("tokenizers:StringTensorPack")
def pack_shape(begins: Fact, ends: Fact, chars: Fact) -> Shape:
    return unify_shapes(begins.shape, ends.shape, "C1")


@shape("tokenizers:StringTensorUnpack")
def unpack_shape(data: Fact) -> tuple[Shape, ...]:
    if data.element_type is STRING:
        return data.shape, data.shape, VECTOR
    require(data.element_type is not U8 or data.shape.rank in (None, 1), "C1", data.shape)
    if data.element_type is U8 or data.shape.rank == 1:  # one packed buffer of all strings, or maybe one
        return STRINGS
    return data.shape, data.shape, VECTOR


@shape("tokenizers:CaseFold")
def case_fold_shape(
    begins: Fact, ends: Fact, chars: Fact, skips: Fact | None, *, encoding: str, lower: bool
) -> Outputs:
    require(encoding in ("", "utf-8"), "C2", encoding)
    require(lower or not encoding, "C1", f"lower={lower}")
    return changed_shape(begins, ends, chars, skips)


@shape("tokenizers:NormalizeUnicode")
def changed_shape(begins: Fact, ends: Fact, chars: Fact, skips: Fact | None) -> Outputs:
    """Strings with other bytes, one for each, and the same flags."""
    strings = (begins.shape, begins.shape, VECTOR)
    return strings if skips is None else (*strings, Fact(skips.element_type, skips.shape))


@shape("tokenizers:CharsMapNormalization")
def chars_map_shape(
    begins: Fact,
    ends: Fact,
    chars: Fact,
    skips_or_charsmap: Fact | None,
    charsmap: Fact | None,
    *,
    output_count: int = len(STRINGS),
) -> Outputs:
    fourth = skips_or_charsmap
    if fourth is None:
        return changed_shape(begins, ends, chars, None)
    if charsmap is not None:
        require_flags(fourth, "C1")
        return changed_shape(begins, ends, chars, fourth)
    declares_flags = fourth.element_type is DYNAMIC and output_count > len(STRINGS)
    are_flags = fourth.element_type is BOOLEAN or declares_flags
    return changed_shape(begins, ends, chars, fourth if are_flags else None)


@shape("tokenizers:RegexNormalization")
def regex_normalization_shape(begins: Fact, ends: Fact, chars: Fact, *parameters: Fact) -> Outputs:
    require(len(parameters) in (2, 3), "C1", len(parameters) + 3)
    *flags, pattern, replacement = parameters
    for skips in flags:
        require_flags(skips, "C2")
    require_bytes(pattern, "C3")
    require_bytes(replacement, "C3")
    return changed_shape(begins, ends, chars, flags[0] if flags else None)


@shape("tokenizers:VocabEncoder")
def vocab_encoder_shape(
    begins: Fact,
    ends: Fact,
    chars: Fact,
    vocab_begins: Fact,
    vocab_ends: Fact,
    vocab_chars: Fact,
    indices: Fact,
    default: Fact,
) -> Shape:
    require_same_shape(vocab_begins, indices, "C1")
    return begins.shape


@shape("tokenizers:ContribStringJoin")
def join_shape(begins: Fact, ends: Fact, chars: Fact, separator: Fact, axis: Fact) -> tuple[Shape, ...]:
    rank = begins.shape.rank
    # for more axes, the library declares one axis more than its kernel gives
    joined = SCALAR if rank is not None and rank <= 1 else UNRANKED
    return joined, joined, VECTOR


@shape("tokenizers:ContribStringSplit")
def split_shape(
    begins: Fact, ends: Fact, chars: Fact, delimiter: Fact, skip_empty: Fact
) -> tuple[Shape, ...]:
    rank = begins.shape.rank
    axes = ANY if rank is None else rank + 1
    return Shape.of(ANY, axes), *STRINGS, Shape.of(axes)


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


F32 = element_type("f32")


@shape("tokenizers:SentencepieceTokenizer")
def tokenizer_shape(model: Fact, *inputs: Fact) -> tuple[Shape, ...]:
    require(len(inputs) in (1, 3, 5, 7), "C1", len(inputs) + 1)
    if len(inputs) in (1, 5):  # a string tensor; f32 is what some frontends declare before they know better
        require_type(inputs[0], (STRING, F32), "C2")
    else:
        require_strings(inputs[:3], "C2")
    if len(inputs) > 3:
        require_strings(inputs[-4:-1], "C3")
        require_type(inputs[-1], (I32,), "C3")
    return Shape.of(ANY, 2), VECTOR, Shape.of(2)


@shape("tokenizers:SentencepieceDetokenizer", "tokenizers:SentencepieceStreamDetokenizer")
def detokenizer_shape(model: Fact, ids: Fact) -> tuple[Shape, ...]:
    rows = Shape.of(ids.shape[0])
    return rows, rows, VECTOR
