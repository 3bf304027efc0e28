"""IR4: inferred element types, ranks and shapes."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR401",
        "violated-constraint",
        Severity.ERROR,
        "a constraint of the op is violated",
        """
        The message is the sentence from the definition of the op and the values that violate it; `irops
        explain OP:Cn` gives details.
        """,
    ),
    Rule(
        "IR402",
        "unsupported-element-type",
        Severity.ERROR,
        "an input has an element type that the op does not accept",
        """
        The page of the op lists the element types of each input.
        """,
    ),
    Rule(
        "IR403",
        "mismatched-element-types",
        Severity.ERROR,
        "inputs that must have the same element type have different ones",
        """
        Inputs that share a type variable (T) must have the same element type; OpenVINO does not convert them.
        Insert a Convert, or change the producer.
        """,
    ),
    Rule(
        "IR404",
        "unsupported-rank",
        Severity.ERROR,
        "an input has a rank that the op does not accept",
        """
        The page of the op gives the ranks that each input may have.
        """,
    ),
    Rule(
        "IR405",
        "contradicting-port-shape",
        Severity.ERROR,
        "the shape declared by a port contradicts the inferred shape",
        """
        OpenVINO ignores declared dimensions and uses the inferred ones. Tools that rely on the declaration
        read a different model.
        """,
    ),
    Rule(
        "IR406",
        "contradicting-port-precision",
        Severity.ERROR,
        "the element type declared by a port contradicts the inferred type",
        """
        OpenVINO ignores declared precisions and uses the inferred ones. Tools that rely on the declaration
        read a different model.
        """,
    ),
    Rule(
        "IR407",
        "invalid-input-shape",
        Severity.ERROR,
        "an input shape passed by the caller contradicts the model",
        """
        The shape or element type passed for an input is invalid: the model has no such input, or the text is
        not a shape, or it contradicts the declaration.
        """,
    ),
    Rule(
        "IR408",
        "overflowing-shape",
        Severity.ERROR,
        "a shape exceeds the 64-bit range",
        """
        The product of the dimensions, or one of them, exceeds 2^63 - 1. OpenVINO computes it modulo 2^64 in
        places, and later reads or writes out of bounds.
        """,
    ),
    Rule(
        "IR410",
        "folding-limit",
        Severity.ERROR,
        "inference would compute more bytes of values than the limit allows",
        """
        Inference computes values that shapes depend on, such as the target of a Reshape that is derived from
        other shapes. In real networks these are small. The limit, called folded_bytes, protects against
        graphs that were built to exhaust memory; values beyond the limit stay unknown.
        """,
    ),
    Rule(
        "IR411",
        "uncompiled-element-type",
        Severity.WARNING,
        "an input of a layer has an element type that OpenVINO's CPU plug-in does not support for the op",
        """
        OpenVINO reads more than its CPU plug-in compiles: it accepts Abs of f8e4m3, for example, and the
        plug-in has no kernel for it. It refuses to compile such a model, or, where shapes are dynamic, to run
        it. Other devices may support it. The message names the release of which this is known; the table is
        measured, and docs/conversion.md describes it.

        Insert a Convert to a type that the plug-in supports before the layer. Some combinations of bf16 are
        refused only on processors with instructions for bf16, where the plug-in keeps that type. One finding
        stands for all layers of the op with the type.
        """,
    ),
    Rule(
        "IR409",
        "implicit-type-conversion",
        Severity.WARNING,
        "the element type of an input or output of an IR 10 model changes in OpenVINO",
        """
        When OpenVINO reads a file of version 10, it changes inputs of f16 to f32, outputs of 32-bit and
        64-bit integers to i32, and all other outputs to f32, by adding a Convert to each. irops runs the
        model as written. Files of version 11 are read as written.
        """,
    ),
)
