"""IR3: layers that do not match the definitions of their ops. OD1: errors in definitions and in custom rules,
for their authors.
"""

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
        the op. OpenVINO refuses other versions: "Cannot create ReLU layer ... from unsupported opset: ...".
        A file with type_relaxed_opset was written from a model after OpenVINO's internal transformations;
        one with a newer opset needs a newer release of OpenVINO, and of irops to check it.
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
        "OD101",
        "unreadable-definition",
        Severity.ERROR,
        "a definition cannot be read",
        """
        The XML file of a definition does not exist, cannot be opened, or is not well-formed, so its op is not
        available.
        """,
    ),
    Rule(
        "OD102",
        "schema-violation",
        Severity.ERROR,
        "a definition does not match the schema",
        """
        schemas/layer.rng defines the elements and attributes of a definition, and their order. The message
        names the element that does not match; compare with the definition of ReverseSequence-1, which uses
        most of the schema.
        """,
    ),
    Rule(
        "OD103",
        "inconsistent-definition",
        Severity.ERROR,
        "a definition contradicts itself",
        """
        A name is used but not defined, a name is defined twice, or a default is outside its domain.
        """,
    ),
    Rule(
        "OD104",
        "missing-function",
        Severity.ERROR,
        "a definition has no kernel",
        """
        Every op needs a function marked @kernel with its id, in the module that the definition names: the
        attribute module, or else the type of the op in snake case, in the folder of its category.
        """,
    ),
    Rule(
        "OD105",
        "mismatched-function",
        Severity.ERROR,
        "the parameters of a function do not match its definition",
        """
        Functions of ops take the inputs by position and attributes by keyword, under the names in the
        definition, so that both can be read side by side.
        """,
    ),
    Rule(
        "OD106",
        "unknown-shape-rule",
        Severity.ERROR,
        "a port names a shape rule that does not exist",
        """
        The attribute shape of an output port consists of the name of a rule in irops/ops/stock.py and its
        arguments.
        """,
    ),
    Rule(
        "OD107",
        "duplicate-op",
        Severity.ERROR,
        "two definitions have the same op and version",
        """
        A folder of definitions contains one file per op version; a plug-in cannot replace an op that irops
        defines.
        """,
    ),
    Rule(
        "OD108",
        "failed-import",
        Severity.ERROR,
        "the module of an op's functions cannot be imported",
        """
        The file is not valid Python, or raised an error while it was imported; the message gives the error.
        The line is the line of the file that raised it, or the line that called the code which failed.
        """,
    ),
    Rule(
        "OD109",
        "failed-shape-function",
        Severity.ERROR,
        "the shape function of a custom op failed",
        """
        A shape function returns a Shape or a Fact for each output, or raises Violation through require. This
        one raised another error, or returned something else. `irops where` prints where it is defined.
        """,
    ),
    Rule(
        "OD110",
        "undefined-constraint",
        Severity.ERROR,
        "a function cites a constraint that its definition does not have",
        """
        `require(condition, "C1")` cites a <constraint> by its number; the error message is the sentence of
        the definition.
        """,
    ),
    Rule(
        "OD111",
        "failed-rule",
        Severity.ERROR,
        "the check of a custom rule raised an error",
        """
        The function raised an error, or gave something other than pairs of a layer and a message; the message
        gives the error. The location is the line of the function that failed. The other rules were still
        checked.
        """,
    ),
    Rule(
        "OD112",
        "invalid-rule",
        Severity.ERROR,
        "a module of custom rules does not define valid rules",
        """
        A module of custom rules has a tuple RULES of irops.Rule objects. Codes have 2 to 10 capital letters,
        other than IR and OD, and 3 digits; names are lower-case words joined by hyphens. Codes and names
        must differ from those of all other rules.
        """,
    ),
)
