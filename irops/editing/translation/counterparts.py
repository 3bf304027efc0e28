"""The ops of ONNX that ops of OpenVINO are translated to."""

from __future__ import annotations

from dataclasses import dataclass

from irops.dialects.onnx import DIALECT
from irops.dialects.onnx.opsets import ONNX
from irops.editing.translation.onnx_rules import RULES
from irops.editing.translation.pairs import EQUIVALENT, onnx_types
from irops.registry import default_registry


@dataclass(frozen=True, slots=True)
class Counterpart:
    """dialect: its title; types: "ReverseSequence", or "several ops" for a rule that adds several; page: of
    the definition, or ''.
    """

    dialect: str
    types: str
    page: str


def counterpart_of(op: str) -> Counterpart | None:
    """What an op of OpenVINO is translated to; None for an op that is not."""
    op_type = onnx_types().get(EQUIVALENT.get(op, op))
    if op_type is None:
        return Counterpart(DIALECT.title, "several ops", "") if op in RULES else None
    definitions = (default_registry().op(file).definition for file in default_registry().ids(ONNX))
    page = next((one.page for one in definitions if one.type == op_type), "")
    return Counterpart(DIALECT.title, op_type, page)
