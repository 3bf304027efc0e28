"""IR94: what a release of OpenVINO does not read."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR941",
        "op-newer-than-target",
        Severity.ERROR,
        "the target release does not have the op or the opset of a layer",
        """
        An opset belongs to the releases from the one that brought it on, and a release refuses a model with a
        layer of an opset, or of an op version, that it does not have. The message names the oldest release
        that reads the layer.

        Use an older version of the op, if it means the same with the attributes in use, export the model for
        the older release, or raise the target. Reported only with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR942",
        "type-newer-than-target",
        Severity.ERROR,
        "the target release does not read an element type",
        """
        Releases add element types, such as u2 and f4e2m1, and a release refuses a model in which a port, a
        Parameter, a constant or an attribute has a type that it does not know.

        Convert the tensor to a type that the release has. Reported only with --target, or a target in the
        settings.
        """,
    ),
    Rule(
        "IR943",
        "input-type-newer-than-target",
        Severity.ERROR,
        "the target release has the op, but not for the element type of an input",
        """
        Some ops accept more element types in newer releases, without a new version of the op. Older releases
        refuse such a layer when they validate it.

        Insert a Convert before the layer, or raise the target. Reported only with --target, or a target in
        the settings.
        """,
    ),
    Rule(
        "IR944",
        "format-newer-than-target",
        Severity.ERROR,
        "the target release does not read something else that a file has",
        """
        Releases before 2024.5 do not recognize files of less than 512 bytes; those before 2023.3 refuse a
        ReadValue without an initial value; those before 2023.2 refuse inputs and results of a model that have
        a dimension of 0. Those before 2023.2 read the elements of u4 and i4 constants in another order, the
        first of two in the upper half of a byte, and compute other results.

        A comment makes a short file long enough. Reported only with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR945",
        "value-newer-than-target",
        Severity.ERROR,
        "the target release has the op, but not for the value of an attribute",
        """
        Some attributes take more values in newer releases, without a new version of the op: the rounding_type
        ceil_torch of pooling, for example. Older releases refuse such a layer.

        Choose another value, if it means the same for the shapes in use, or raise the target. Reported only
        with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR946",
        "use-newer-than-target",
        Severity.ERROR,
        "the target release has the op, but refuses this use of it",
        """
        Releases relax what an op requires of its inputs, without a new version of the op: Einsum with a label
        of sizes 1 and n, Pad with an unknown number of pads, MulticlassNms with boxes of dynamic shape.
        Older releases refuse such a layer when they validate it.

        Give the inputs static shapes, insert a Broadcast or a Reshape, or raise the target. Reported only
        with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR947",
        "inconvertible-layer",
        Severity.ERROR,
        "a layer has no equal form that the target reads",
        """
        irops convert gives a model the op versions, element types and forms that a release or opset reads,
        where results stay the same. The message names the layer, what the target does not read, and why no
        older form means the same: an attribute that the older version does not have, an input whose value
        would have to be constant, an op without a form in older ops. A model is converted completely or not
        at all.

        Raise the target, or change the layer in the model.
        """,
    ),
    Rule(
        "IR948",
        "target-of-another-dialect",
        Severity.WARNING,
        "it is not known whether the target release reads the model",
        """
        irops knows what releases of OpenVINO read of IR. What their converters read of other formats, it does
        not know, so that the model was checked without the target.

        Convert the model to IR with the release in question, and check the result. Reported only with
        --target, or a target in the settings.
        """,
    ),
)
