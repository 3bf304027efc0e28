"""Ops on strings: as tensors, and decomposed into begins, ends and bytes."""

from __future__ import annotations

from irops.dialects.tokenizers.ops.parts import (
    STRINGS,
    U8,
    VECTOR,
    require_bytes,
    require_flags,
    require_same_shape,
)
from irops.spec.binding import shape
from irops.values.dim import ANY
from irops.values.element import BOOLEAN, DYNAMIC, STRING
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, unify_shapes
from irops.values.violation import require

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
