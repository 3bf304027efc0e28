"""OD1xx: faults in definitions, told to those who write them."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "OD101",
        "unreadable-definition",
        Severity.ERROR,
        "a definition cannot be read",
        "The XML file of a definition does not exist, cannot be opened, or is not well-formed. Nothing can be"
        " said of its op.",
    ),
    Rule(
        "OD102",
        "ungrammatical-definition",
        Severity.ERROR,
        "a definition breaks the grammar",
        "schemas/layer.rng says which elements and attributes a definition has, and in which order. The"
        " message names the element that does not fit; compare with the definition of ReverseSequence-1,"
        " which uses most of the grammar.",
    ),
    Rule(
        "OD103",
        "contradictory-definition",
        Severity.ERROR,
        "a definition contradicts itself",
        "A name is used that is not defined, a name is defined twice, or a default lies outside its own"
        " domain.",
    ),
    Rule(
        "OD104",
        "missing-function",
        Severity.ERROR,
        "a definition has no kernel",
        "Every op needs a function marked @kernel with its id, in the module that the definition names: the"
        " attribute module, or else the op's type in snake case, in the folder of its category.",
    ),
    Rule(
        "OD105",
        "mismatched-function",
        Severity.ERROR,
        "a function's parameters are not those of its definition",
        "Functions of ops take the inputs by position and attributes by keyword, under the names that the"
        " definition gives them, so that both can be read side by side.",
    ),
    Rule(
        "OD106",
        "unknown-stock-rule",
        Severity.ERROR,
        "a port names a shape rule that does not exist",
        "The attribute shape of an output port names one of the rules in irops/ops/stock.py, then its"
        " arguments.",
    ),
    Rule(
        "OD107",
        "twice-defined-op",
        Severity.ERROR,
        "two definitions claim the same op and version",
        "A folder of definitions holds one file per op version; an op of irops itself cannot be replaced by a"
        " plug-in.",
    ),
    Rule(
        "OD108",
        "failed-import",
        Severity.ERROR,
        "the module of an op's functions cannot be imported",
        "The file is not Python, or an error was raised while it was imported; the message says which. The"
        " line is the one of the file itself that is at fault, or from which what failed was called.",
    ),
    Rule(
        "OD109",
        "failed-shape-function",
        Severity.ERROR,
        "the shape function of an op of one's own failed",
        "A shape function gives a Shape or a Fact for each output, or raises Violation by require. This one"
        " raised something else, or gave something else. `irops where` tells where it lies.",
    ),
    Rule(
        "OD110",
        "undefined-requirement",
        Severity.ERROR,
        "a function cites a requirement that its definition does not have",
        '`require(condition, "C1")` cites a requirement (<constraint>) by its number; the sentence that a'
        " person is told is the one of the definition.",
    ),
)
