"""IR4xx: types, ranks and shapes, as inferred."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR401",
        "violated-constraint",
        Severity.ERROR,
        "a requirement of the op does not hold",
        "The message is the sentence of the op's definition and the values that break it; `irops explain"
        " OP:Cn` tells more of it.",
    ),
    Rule(
        "IR402",
        "unsupported-element-type",
        Severity.ERROR,
        "an input has an element type that the op does not take",
        "The op's page lists the element types of each input.",
    ),
    Rule(
        "IR403",
        "differing-element-types",
        Severity.ERROR,
        "inputs that must have one element type have two",
        "Inputs that share a type variable (T) must have the same element type; OpenVINO converts none of"
        " them. Insert a Convert, or mend the producer.",
    ),
    Rule(
        "IR404",
        "unsupported-rank",
        Severity.ERROR,
        "an input has a rank that the op does not take",
        "The op's page says which ranks each input may have.",
    ),
    Rule(
        "IR405",
        "contradicting-port-shape",
        Severity.ERROR,
        "a port declares another shape than the one that follows from the inputs",
        "OpenVINO ignores declared dimensions and goes on with the inferred ones. Tools that trust the"
        " declaration see another model.",
    ),
    Rule(
        "IR406",
        "contradicting-port-precision",
        Severity.ERROR,
        "a port declares another element type than the one that follows",
        "OpenVINO ignores declared precisions and goes on with the inferred ones. Tools that trust the"
        " declaration see another model.",
    ),
    Rule(
        "IR407",
        "impossible-input-shape",
        Severity.ERROR,
        "a given input shape contradicts the model",
        "The shape or element type given for an input cannot be: no such input, or not a shape.",
    ),
    Rule(
        "IR408",
        "overflowing-shape",
        Severity.ERROR,
        "a shape is too large for 64 bits",
        "The product of the dimensions, or one of them, exceeds 2^63 - 1. OpenVINO computes it modulo 2^64 in"
        " places, and reads or writes out of bounds later.",
    ),
    Rule(
        "IR410",
        "folding-limit",
        Severity.ERROR,
        "inference would work out more bytes of values than the limit allows",
        "Inference works values out where shapes depend on them: the target of a Reshape, computed from other"
        " shapes, say. In real networks these are small. The limit, called folded_bytes, guards against"
        " graphs that were made to take no end of memory; what lies beyond stays unknown.",
    ),
    Rule(
        "IR409",
        "rewritten-type",
        Severity.WARNING,
        "an input or output of an IR v10 model is not read as the type that it has",
        "When it reads a file of version 10, OpenVINO makes inputs of f16 ones of f32, outputs of 32 and 64"
        " bit integers ones of i32, and all other outputs ones of f32, by a Convert beside each. irops runs"
        " the model as it is written. Files of version 11 are read as they are.",
    ),
)
