"""IR3: layers that do not match the definitions of their ops."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

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
)
