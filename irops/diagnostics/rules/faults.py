"""OD1: errors in definitions and in custom rules, for their authors."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
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
        one raised another error, or returned something else. `irops explain OP --files` prints where it is.
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
