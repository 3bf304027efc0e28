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
from irops.values.element import BOOLEAN
from irops.values.fact import Fact
from irops.values.shape import SCALAR, UNRANKED, Shape, unify_shapes
from irops.values.violation import require


@shape("tokenizers:StringTensorPack")
def pack_shape(begins: Fact, ends: Fact, chars: Fact) -> Shape:
    return unify_shapes(begins.shape, ends.shape, "C1")


@shape("tokenizers:StringTensorUnpack")
def unpack_shape(data: Fact) -> tuple[Shape, ...]:
    if data.element_type is U8:  # one packed buffer of all strings
        require(data.shape.rank in (None, 1), "C1", data.shape)
        return STRINGS
    return data.shape, data.shape, VECTOR


@shape("tokenizers:CaseFold")
def case_fold_shape(
    begins: Fact, ends: Fact, chars: Fact, skips: Fact | None, *, encoding: str, lower: bool
) -> tuple[Shape, ...]:
    require(encoding in ("", "utf-8"), "C2", encoding)
    require(lower or not encoding, "C1", f"lower={lower}")
    return changed_shape(begins, ends, chars, skips)


@shape("tokenizers:NormalizeUnicode")
def changed_shape(begins: Fact, ends: Fact, chars: Fact, skips: Fact | None) -> tuple[Shape, ...]:
    """Strings with other bytes, one for each."""
    strings = (begins.shape, begins.shape, VECTOR)
    return strings if skips is None else (*strings, skips.shape)


@shape("tokenizers:CharsMapNormalization")
def chars_map_shape(
    begins: Fact, ends: Fact, chars: Fact, skips_or_charsmap: Fact | None, charsmap: Fact | None
) -> tuple[Shape, ...]:
    has_skips = charsmap is not None or (
        skips_or_charsmap is not None and skips_or_charsmap.element_type is BOOLEAN
    )
    if charsmap is not None and skips_or_charsmap is not None:
        require_flags(skips_or_charsmap, "C1")
    return changed_shape(begins, ends, chars, skips_or_charsmap if has_skips else None)


@shape("tokenizers:RegexNormalization")
def regex_normalization_shape(begins: Fact, ends: Fact, chars: Fact, *parameters: Fact) -> tuple[Shape, ...]:
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
    if rank is None:
        joined = UNRANKED
    elif rank <= 1:
        joined = SCALAR
    else:  # the library declares an axis more than its kernel gives
        joined = UNRANKED
    return joined, joined, VECTOR


@shape("tokenizers:ContribStringSplit")
def split_shape(begins: Fact, ends: Fact, chars: Fact, delimiter: Fact, skip_empty: Fact) -> tuple[Shape, ...]:
    rank = begins.shape.rank
    axes = ANY if rank is None else rank + 1
    return Shape.of(ANY, axes), *STRINGS, Shape.of(axes)
