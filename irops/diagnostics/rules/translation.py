"""IR92: conversion of models between dialects."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR921",
        "untranslatable-op",
        Severity.ERROR,
        "an op is not representable in the other dialect",
        """
        irops does not translate the op of the layer, or the layer uses it in a way that the op of the other
        dialect does not support. The message names the op and the reason. A model is translated completely or
        not at all: nothing is approximated.
        """,
    ),
    Rule(
        "IR922",
        "untranslatable-type",
        Severity.ERROR,
        "the other dialect does not have this element type",
        """
        OpenVINO has no complex numbers, for example, and other dialects have no integers of three or six
        bits. An
        op may be more restricted: its definition in the other dialect lists the types that it accepts, and a
        newer opset may accept more (--opset).
        """,
    ),
    Rule(
        "IR923",
        "unknown-value-for-translation",
        Severity.ERROR,
        "a value that the translation needs is not known",
        """
        An input of an op in one dialect may be an attribute in the other: the axes of a Reverse, the order of
        a Transpose. It must then be a constant, or computed from constants. Negative axes can be converted to
        positive ones only if the rank is known; pass a shape, or a rank, for the inputs.
        """,
    ),
    Rule(
        "IR924",
        "invalid-source-model",
        Severity.ERROR,
        "a model with errors cannot be translated or converted",
        """
        A layer must be valid before it can be translated, or converted for another release. The errors that
        irops check finds are reported; fix them first.
        """,
    ),
    Rule(
        "IR925",
        "wrong-dialect-for-file",
        Severity.ERROR,
        "a model cannot be written in the file format of another dialect",
        """
        The suffix of a file determines the dialect of its ops: .xml means OpenVINO. Translate the model
        first: irops convert --target DIALECT, or irops.translate(model, to=...).
        """,
    ),
    Rule(
        "IR927",
        "ill-typed-translation",
        Severity.ERROR,
        "the op of the other dialect does not accept the inputs of the layer",
        """
        The layer was translated, and the definition of the resulting op rejects it: the message is the one of
        that definition, usually about an element type that the op does not accept. --opset selects a newer
        opset, which may accept more.
        """,
    ),
)
