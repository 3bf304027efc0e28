"""IR3xx: layers held to the definitions of their ops."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR301",
        "unknown-op",
        Severity.ERROR,
        "no opset has an op of this type",
        "The layer's type is no op of any OpenVINO opset, and no definition of an extension was given."
        " OpenVINO refuses such a file where the layer leads to a Result, and ignores the layer where it does"
        " not. Check the spelling; for an op of your own, give irops its definition: --definitions FOLDER, or"
        " irops.Registry(folders=[...]). In another dialect it is no op of any opset, which is reported"
        " once for all nodes of such an op.",
    ),
    Rule(
        "IR302",
        "op-not-in-opset",
        Severity.ERROR,
        "the opset that the layer names does not hold the op",
        "An op exists from the opset that brought it on, and may be gone from later ones. OpenVINO looks a"
        " type up in exactly the opset that the layer names, and refuses the file where it is not there. In"
        " other dialects an op stays from the opset that brought it on, until one takes it away.",
    ),
    Rule(
        "IR303",
        "unknown-opset",
        Severity.ERROR,
        "the layer names an opset that does not exist",
        "version must be opset1 to opset17, spelled exactly so, or the name under which an extension defines"
        " the op.",
    ),
    Rule(
        "IR304",
        "undefined-op",
        Severity.WARNING,
        "irops has no definition of this op yet",
        "The dialect has the op, irops has no definition of it: the layer's attributes, types and"
        " shapes are not checked, and the model cannot be evaluated. Inference takes its outputs to be what"
        " the file declares, as long as its inputs are what the file declares. For other dialects it is told"
        " once for each op.",
    ),
    Rule(
        "IR305",
        "op-spelled-otherwise",
        Severity.WARNING,
        "the op's type is spelled otherwise than the specification spells it",
        "OpenVINO's reader compares types without regard to case, so the layer is read as meant. Other tools"
        " compare exactly, and for the types Result, Const and Parameter OpenVINO itself does so in places.",
    ),
    Rule(
        "IR306",
        "misspelled-anchor",
        Severity.ERROR,
        "a Const or Result is spelled in a way that OpenVINO misreads",
        "Const, Result and Assign are compared exactly by OpenVINO's reader: a type 'result' makes the output"
        " vanish without a word, 'Constant' makes a node whose data is never attached, and a crash when it is"
        " used.",
    ),
    Rule(
        "IR311",
        "unknown-attribute",
        Severity.WARNING,
        "the op has no attribute of this name",
        "OpenVINO ignores attributes that it does not know without a word, and takes the default of the"
        " attribute that was meant. Check the spelling against the op's page; the case counts.",
    ),
    Rule(
        "IR312",
        "missing-attribute",
        Severity.ERROR,
        "a required attribute is missing",
        "The specification requires the attribute. OpenVINO's reader does not check: it goes on with whatever"
        " value its C++ object starts with, and for some ops crashes.",
    ),
    Rule(
        "IR313",
        "relied-upon-reader-default",
        Severity.WARNING,
        "the specification's default and OpenVINO's differ",
        "The attribute is missing. The specification names one default; OpenVINO's reader leaves another"
        " value in place. The file means different things to the two: write the attribute out.",
    ),
    Rule(
        "IR314",
        "malformed-attribute",
        Severity.ERROR,
        "an attribute's text is not a value of its type",
        "Numbers are read whole: no hexadecimal, no units, no second number, no empty items in lists."
        " OpenVINO reads a prefix of the text, or keeps the default, without a word; the note says what it"
        " would read.",
    ),
    Rule(
        "IR315",
        "attribute-out-of-domain",
        Severity.ERROR,
        "an attribute's value is not one that the op allows",
        "The value is of the right kind, and outside the range or the words that the op's definition allows.",
    ),
    Rule(
        "IR316",
        "axis-out-of-range",
        Severity.ERROR,
        "an axis lies outside the tensor's rank",
        "An axis must lie in [-rank, rank-1] of the input that it counts on; negative ones count from the"
        " end.",
    ),
    Rule(
        "IR321",
        "wrong-number-of-inputs",
        Severity.ERROR,
        "the layer has more or fewer inputs than the op takes",
        "The number of inputs is the number of edges into the layer. The op's page lists the inputs and which"
        " of them are optional.",
    ),
    Rule(
        "IR322",
        "wrong-number-of-outputs",
        Severity.ERROR,
        "the layer declares more or fewer outputs than the op gives",
        "Every output port that an edge leaves from must exist, and the op gives as many as its definition"
        " and attributes say.",
    ),
    Rule(
        "IR323",
        "missing-body",
        Severity.ERROR,
        "a sub-graph op lacks a body",
        "If has a then_body and an else_body, Loop and TensorIterator have a body; without them they compute"
        " nothing.",
    ),
    Rule(
        "IR324",
        "unknown-body",
        Severity.WARNING,
        "the layer has a body that its op does not take",
        "OpenVINO ignores it without a word: nothing in it is computed. Check the layer's type, or remove the"
        " body.",
    ),
)
