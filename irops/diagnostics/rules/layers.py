"""IR3 and IR4: layers that do not match the definitions of their ops; inferred types, ranks and shapes."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR301",
        "unknown-op",
        Severity.ERROR,
        "no opset contains an op of this type",
        """
        The type of the layer is not an op of any OpenVINO opset, and no extension defines it. OpenVINO
        refuses such a file if the layer leads to a Result, and ignores the layer otherwise. Check the
        spelling; for a custom op, pass its definition to irops: --definitions FOLDER, or
        irops.Registry(folders=[...]). In other dialects, the type is not an op of any opset; this is
        reported once for all nodes of such an op.
        """,
    ),
    Rule(
        "IR302",
        "op-not-in-opset",
        Severity.ERROR,
        "the opset that the layer names does not contain the op",
        """
        An op exists from the opset that introduced it, and may be absent from later ones. OpenVINO looks up a
        type in exactly the opset that the layer names, and refuses the file if the op is not there. In
        other dialects an op may remain available from the opset that introduced it until one removes it.
        """,
    ),
    Rule(
        "IR303",
        "unknown-opset",
        Severity.ERROR,
        "the layer names an opset that does not exist",
        """
        version must be opset1 to opset17, spelled exactly so, or the name under which an extension defines
        the op.
        """,
    ),
    Rule(
        "IR304",
        "undefined-op",
        Severity.WARNING,
        "irops has no definition of this op yet",
        """
        The dialect of the model has the op, irops does not define it: the attributes, types and shapes of
        the layer are not checked, and the model cannot be evaluated. Inference assumes that its outputs are
        as declared in the file, provided that its inputs are as declared. In models of other dialects this is
        reported once per op.
        """,
    ),
    Rule(
        "IR305",
        "nonstandard-type-spelling",
        Severity.WARNING,
        "the op type is not spelled as in the specification",
        """
        OpenVINO's reader compares types without regard to case, so it finds the op. Other tools compare
        exactly, and so does OpenVINO itself in places for the types Result, Const and Parameter.
        """,
    ),
    Rule(
        "IR306",
        "misread-type-spelling",
        Severity.ERROR,
        "a Const, Result or Assign is spelled in a way that OpenVINO misreads",
        """
        OpenVINO's reader compares Const, Result and Assign exactly: a type 'result' silently removes the
        output; 'Constant' creates a node whose data is never attached, which crashes when it is used.
        """,
    ),
    Rule(
        "IR307",
        "extension-library",
        Severity.WARNING,
        "the model needs an extension library of OpenVINO",
        """
        Ops of the model belong to a library outside of OpenVINO, such as openvino-tokenizers, which writes a
        tokenizer and a detokenizer beside every exported language model. OpenVINO refuses to read the model
        until the library is loaded: by importing its Python package before a Core is created, or with
        Core.add_extension(path). irops checks the layers and infers their outputs, but cannot run them. This
        is reported once for all ops of a library.

        If the library is always loaded where the model is used, ignore the rule: --ignore IR307.
        """,
    ),
    Rule(
        "IR311",
        "unknown-attribute",
        Severity.WARNING,
        "the op has no attribute of this name",
        """
        OpenVINO silently ignores attributes that it does not know, and uses the default of the intended
        attribute. Compare the spelling with the page of the op; attribute names are case-sensitive.

        In dialects whose runtimes refuse such layers, this is an error.
        """,
    ),
    Rule(
        "IR312",
        "missing-attribute",
        Severity.ERROR,
        "a required attribute is missing",
        """
        The specification requires the attribute. OpenVINO's reader does not check this: it continues with the
        initial value of its C++ object, and crashes for some ops.

        A few attributes have a default in the specification that OpenVINO does not have: it refuses a layer
        without them. The message says so; write the attribute out.
        """,
    ),
    Rule(
        "IR313",
        "conflicting-defaults",
        Severity.WARNING,
        "the default of the specification differs from OpenVINO's",
        """
        The attribute is missing. The specification defines one default; OpenVINO's reader uses another value.
        The two read different models from the file: write the attribute out.
        """,
    ),
    Rule(
        "IR314",
        "malformed-attribute",
        Severity.ERROR,
        "the text of an attribute is not a value of its type",
        """
        The whole text must be one value: no hexadecimal numbers, no units, no second number, no empty items
        in lists. OpenVINO silently reads a prefix of the text, or keeps the default; the note gives the value
        that it reads.
        """,
    ),
    Rule(
        "IR315",
        "attribute-out-of-domain",
        Severity.ERROR,
        "the value of an attribute is not allowed by the op",
        """
        The value has the right type, but is outside the range or the set of values that the definition of the
        op allows.
        """,
    ),
    Rule(
        "IR316",
        "axis-out-of-range",
        Severity.ERROR,
        "an axis is out of range for the rank of the tensor",
        """
        An axis must be in [-rank, rank-1] of the input that it refers to; negative axes count from the end.
        """,
    ),
    Rule(
        "IR321",
        "wrong-number-of-inputs",
        Severity.ERROR,
        "the layer has too many or too few inputs",
        """
        The number of inputs is the number of edges into the layer. The page of the op lists the inputs and
        which of them are optional. A few inputs are optional in the specification, but OpenVINO refuses a
        layer without them.
        """,
    ),
    Rule(
        "IR322",
        "wrong-number-of-outputs",
        Severity.ERROR,
        "the layer declares too many or too few outputs",
        """
        Every output port that an edge starts from must exist, and the number of outputs is determined by the
        definition of the op and its attributes.

        OpenVINO refuses a file that declares too many ("node index is out of range"). Where there are too
        few, it takes the declared ports as the first ones; irops reports that too, because the port that was
        removed may have been another one.
        """,
    ),
    Rule(
        "IR323",
        "missing-body",
        Severity.ERROR,
        "a sub-graph op has no body",
        """
        If has a then_body and an else_body; Loop and TensorIterator have a body. Without a body there is
        nothing to compute.
        """,
    ),
    Rule(
        "IR324",
        "unknown-body",
        Severity.WARNING,
        "the layer has a body that its op does not define",
        """
        OpenVINO silently ignores it: nothing in it is computed. Check the type of the layer, or remove the
        body.
        """,
    ),
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
