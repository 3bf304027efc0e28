"""IR92: models of one dialect as models of another."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR921",
        "untranslatable-op",
        Severity.ERROR,
        "an op has no counterpart in the other dialect that irops knows",
        """The layer's op is not one of those that irops translates, or is used in a way that the other
        dialect's op does not know. The
message says which, and why. A model is translated as a whole or not at all: nothing is approximated.""",
    ),
    Rule(
        "IR922",
        "untranslatable-type",
        Severity.ERROR,
        "the other dialect has no such element type",
        """OpenVINO has no complex numbers, say, and others no integers of one, three or six bits. Ops may
        be narrower still: the
definition of the op in the other dialect says which types it takes, and an opset that is newer may take more
(--opset).""",
    ),
    Rule(
        "IR923",
        "unknown-when-translated",
        Severity.ERROR,
        "something must be known to say a layer in the other dialect, and is not",
        """What is an input in one dialect may be an attribute in the other: the axes of a Reverse, the order
        of a Transpose. Then it must
be a constant, or follow from constants. Axes that count from the end can only be counted from the front where
the rank is known; give inputs a shape, or a rank.""",
    ),
    Rule(
        "IR924",
        "faulty-source",
        Severity.ERROR,
        "a model with errors cannot be translated",
        """What a layer means must be clear before it can be said otherwise. The errors that irops check finds
        are told; repair them
first.""",
    ),
    Rule(
        "IR925",
        "wrong-dialect-for-file",
        Severity.ERROR,
        "a model cannot be written in the format of another dialect",
        """The suffix of a file says of which dialect its ops are: .xml means OpenVINO. Translate the
        model first: irops translate,
or irops.translate(model, to=...).""",
    ),
    Rule(
        "IR927",
        "ill-typed-translation",
        Severity.ERROR,
        "the other dialect's op does not take what the layer is given",
        """The layer was said in the other dialect, and the definition of the op there refuses it: the message
        is that definition's own,
on an element type that it does not take, most often. --opset chooses a newer opset, which may take
more.""",
    ),
)
