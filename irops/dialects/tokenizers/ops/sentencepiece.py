"""Ops that run a SentencePiece model, which is an input: a tensor of its bytes."""

from __future__ import annotations

from irops.dialects.tokenizers.ops.parts import VECTOR, require_strings, require_type
from irops.spec.binding import shape
from irops.values.dim import ANY
from irops.values.element import I32, STRING, element_type
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

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
