"""IR6: errors of evaluation, and of the backward pass."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR601",
        "missing-input",
        Severity.ERROR,
        "no value was passed for an input of the model",
        """
        Every Parameter needs an array: pass it by tensor name, layer name or position.
        """,
    ),
    Rule(
        "IR602",
        "unknown-input",
        Severity.ERROR,
        "a value was passed for an input that the model does not have",
        """
        Inputs are found by tensor name, layer name or position; `irops inspect` lists them.
        """,
    ),
    Rule(
        "IR603",
        "incompatible-input",
        Severity.ERROR,
        "an array does not match the type or shape of the input",
        """
        The element type and shape of the array must be allowed by the Parameter. irops does not convert
        arrays.
        """,
    ),
    Rule(
        "IR604",
        "unsupported-op",
        Severity.ERROR,
        "no backend can compute the op",
        """
        None of the selected backends has a kernel for the op; the reference backend has one for every op that
        irops defines.
        """,
    ),
    Rule(
        "IR605",
        "memory-limit",
        Severity.ERROR,
        "evaluation would need more memory than the limit allows",
        """
        The limit, called tensor_bytes, protects the machine against models that ask for terabytes.
        """,
    ),
    Rule(
        "IR606",
        "iteration-limit",
        Severity.ERROR,
        "a loop would run more iterations than the limit allows",
        """
        The limit, called iterations, protects against infinite loops.
        """,
    ),
    Rule(
        "IR607",
        "failed-kernel",
        Severity.ERROR,
        "a kernel raised an error",
        """
        A kernel raised an unexpected error. This is a bug in irops, in the backend or in a custom op, not in
        the model; please report it to the authors of the code that the message names.
        """,
    ),
    Rule(
        "IR608",
        "incorrect-kernel-result",
        Severity.ERROR,
        "the result of a kernel differs from the inferred type and shape, or from the reference",
        """
        Results are always compared with the inferred element type and shape, and with the results of the
        reference backend if verify=True.
        """,
    ),
    Rule(
        "IR610",
        "unknown-backend",
        Severity.ERROR,
        "no backend has this name",
        """
        The reference backend is always available; other backends are provided by packages that register under
        the entry point group irops.backends.
        """,
    ),
    Rule(
        "IR611",
        "unfillable-input",
        Severity.ERROR,
        "no value can be generated for an input",
        """
        To generate a value, the element type and rank of the input must be known; give the sizes of dynamic
        dimensions with --shape NAME:2,7.
        """,
    ),
    Rule(
        "IR612",
        "declined-op",
        Severity.ERROR,
        "every selected backend declines to compute a layer",
        """
        A backend declines an op that it would compute with less precision, incorrectly, or with a crash:
        OpenVINO computes i64 as i32 and f64 as f32, for example. The message gives the reason; a list of
        backends that ends with reference declines nothing.
        """,
    ),
    Rule(
        "IR613",
        "unavailable-backend",
        Severity.ERROR,
        "the library of a selected backend is not installed",
        """
        Backends that use another library need it to be installed; the message names the extra of irops that
        installs it.
        """,
    ),
    Rule(
        "IR614",
        "evaluation-time-limit",
        Severity.ERROR,
        "evaluation takes longer than the limit allows",
        """
        The limit, called run_seconds, is checked between layers and between the iterations of loops.
        """,
    ),
    Rule(
        "IR615",
        "out-of-memory",
        Severity.ERROR,
        "the machine does not have enough memory for a layer",
        """
        The tensors are within the limit tensor_bytes, but the system provides no more memory: other programs
        use it, or the process has a memory limit.
        """,
    ),
    Rule(
        "IR616",
        "unsupported-array",
        Severity.ERROR,
        "a tensor has more axes or larger sizes than NumPy arrays support",
        """
        Types and shapes are inferred for any tensor; to compute, tensors are stored as NumPy arrays. These
        have at most 64 axes, and fewer than 2^63 bytes even if one size is 0 and the product of the other
        sizes alone exceeds that.
        """,
    ),
    Rule(
        "IR617",
        "unsupported-mean-values",
        Severity.ERROR,
        "irops does not apply the mean values of an input",
        """
        Old files may have a <pre-process> with a mean value, or a mean image, for each channel of an input.
        OpenVINO's reader turns it into a Subtract after that input. Types and shapes stay the same, so irops
        checks and infers such a model; to run it with irops, write the Subtract into the graph and remove the
        <pre-process>.
        """,
    ),
    Rule(
        "IR618",
        "contradicted-inference",
        Severity.ERROR,
        "a tensor of the run has a shape that inference excludes",
        """
        By its specification, Squeeze is inferred to remove an axis whose size is unknown and may be 1. If the
        axis has another size in the run, Squeeze keeps it, and all layers behind it have shapes that were not
        checked. OpenVINO's CPU plug-in refuses such a run too.

        Pass inputs for which the axis has size 1, or declare the size of the axis so that its size is known.
        """,
    ),
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
