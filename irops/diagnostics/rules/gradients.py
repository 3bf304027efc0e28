"""IR62: errors of the backward pass."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR621",
        "missing-gradient",
        Severity.ERROR,
        "an op between the results and the requested tensor has no gradient",
        """
        The definition of the op declares no gradient, but the requested gradient depends on one. Request only
        gradients that do not pass through the layer (wrt=[...]), or declare the gradient in the definition
        and mark its function with @gradient; see docs/gradients.md.
        """,
    ),
    Rule(
        "IR622",
        "incompatible-cotangent",
        Severity.ERROR,
        "a cotangent does not match its result",
        """
        A cotangent has the element type and the shape of its Result, whose type must be differentiable: a
        float of 16 bits or more, or complex. Results are found by name, by tensor name or by position.
        """,
    ),
    Rule(
        "IR623",
        "undifferentiable-input",
        Severity.ERROR,
        "a gradient is requested for a tensor that is not differentiable",
        """
        Gradients exist for inputs and constants with floats of 16 bits or more, or complex numbers: not for
        integers, booleans or strings.
        """,
    ),
)
