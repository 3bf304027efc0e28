"""IR62x: faults that show when gradients are taken back through a model."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR621",
        "missing-gradient",
        Severity.ERROR,
        "an op on the way from the results back to what a gradient is asked for of has none",
        "The op's definition states no gradient, and one would have to flow through the layer. Ask for"
        " gradients of what does not lead through it (wrt=[...]), or state the gradient in the definition and"
        " mark its function with @gradient; see docs/gradients.md.",
    ),
    Rule(
        "IR622",
        "unfit-cotangent",
        Severity.ERROR,
        "a cotangent does not fit the result that it is given for",
        "A cotangent has the element type and the shape of its Result, whose type must be one that has"
        " gradients: a float of 16 bits or more, or complex. Results are known by name, by tensor name or by"
        " position.",
    ),
    Rule(
        "IR623",
        "undifferentiable-input",
        Severity.ERROR,
        "a gradient is asked for of a tensor that has none",
        "Gradients are of inputs and constants, and of floats of 16 bits or more, or complex numbers: not of"
        " integers, booleans or strings.",
    ),
)
