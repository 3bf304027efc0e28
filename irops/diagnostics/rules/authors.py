"""IR7, IR8 and OD1: what people write: settings, programs that build graphs, definitions, custom rules."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR701",
        "malformed-settings",
        Severity.ERROR,
        "the settings file cannot be read",
        """
        The file is not TOML or not UTF-8, or the system refuses access to it. irops reads settings from
        irops.toml, or from the table [tool.irops] of pyproject.toml, whichever is nearest from the current
        folder upwards. Nothing is checked until the settings are valid, so that no intended limit is skipped.
        """,
    ),
    Rule(
        "IR702",
        "unknown-setting",
        Severity.ERROR,
        "a setting does not exist",
        """
        The settings are limits (a table, by name), select and ignore (lists of rules), strict (true or
        false), baseline (the path of a file, relative to the folder of the settings), rules (a list of
        modules, or of .py files, with custom rules) and target (a release of OpenVINO, in quotes). irops
        reads them from irops.toml, or from the table [tool.irops] of pyproject.toml, whichever is nearest
        from the current folder upwards, as far as the root of the repository or the home folder; or from the
        file that --config names.
        """,
    ),
    Rule(
        "IR703",
        "invalid-setting",
        Severity.ERROR,
        "the value of a setting is invalid",
        """
        Limits are numbers above 0, or texts such as "16G", "512M" and "inf"; rules are codes, prefixes of
        codes, or names, in quotes. irops reads settings from irops.toml, or from the table [tool.irops] of
        pyproject.toml, whichever is nearest from the current folder upwards.
        """,
    ),
    Rule(
        "IR704",
        "untrusted-settings",
        Severity.WARNING,
        "custom rules that settings name are not loaded",
        """
        Settings that irops finds may come with files of others, such as a repository that was just cloned.
        They are data: the Python modules that their setting rules names are not imported, and their rules not
        checked. To load them, name the file: irops check --config irops.toml. With --strict, this warning
        fails the check, since not everything was checked.
        """,
    ),
    Rule(
        "IR705",
        "foreign-settings",
        Severity.WARNING,
        "settings of another user are not read",
        """
        The settings file, or the folder that it is in, belongs to another user, who could change what irops
        reports. The search for settings ends there. To use the file, name it: irops check --config FILE.
        """,
    ),
    Rule(
        "IR801",
        "too-many-output-names",
        Severity.ERROR,
        "a node has more output names than outputs",
        """
        specified_outputs_name names the outputs of a node in order; the remaining outputs keep their
        generated names, such as ReverseSequenceNode_6_Y.
        """,
    ),
    Rule(
        "IR802",
        "duplicate-name",
        Severity.ERROR,
        "a name is used twice in a graph",
        """
        Names of nodes, of tensors and of results must be unique in a graph, since they are looked up by name.
        When graphs are merged, the names chosen in one must not occur in the other.
        """,
    ),
    Rule(
        "IR803",
        "invalid-output-name",
        Severity.ERROR,
        "an output name is empty or not a string",
        """
        To keep the generated name of an output, pass fewer names, or none.
        """,
    ),
    Rule(
        "IR804",
        "cross-graph-connection",
        Severity.ERROR,
        "a node is connected to a node of another graph",
        """
        Combine graphs that were built separately with merge; afterwards, nodes of both can be connected.
        """,
    ),
    Rule(
        "IR805",
        "incompatible-opsets",
        Severity.ERROR,
        "graphs of different opsets cannot be merged",
        """
        All nodes of a graph belong to one opset, which is chosen when the graph is created: the same
        type may have another meaning in another opset.
        """,
    ),
    Rule(
        "IR806",
        "unsupported-switch",
        Severity.ERROR,
        "a switch is passed for a parameter that has none",
        """
        Only parameters whose definition names a switch, such as batch_axis with its use_it, can be switched
        off; the others are plain values.
        """,
    ),
    Rule(
        "IR807",
        "graph-without-result",
        Severity.ERROR,
        "a graph without results cannot become a model",
        """
        predict marks the results of a graph; without a result, none of the nodes has a visible effect.
        """,
    ),
    Rule(
        "IR808",
        "removed-node",
        Severity.ERROR,
        "a node is used that its graph no longer has",
        """
        A node that was removed, or that belongs to another graph, cannot be connected or changed. Look it up
        again by its name: graph["name"].
        """,
    ),
    Rule(
        "IR809",
        "unusable-node",
        Severity.ERROR,
        "a change of a graph does not apply to the node",
        """
        A node can be removed only if its users can take its input instead, an op can be inserted only where
        there is a value, and only a constant has a value that can be set.
        """,
    ),
    Rule(
        "IR810",
        "invalid-constant",
        Severity.ERROR,
        "a value cannot become a constant of the element type",
        """
        A constant has an element type, and its elements must be representable in it: whole numbers within the
        range of the type for integers. Nothing is rounded or wrapped around silently.
        """,
    ),
    Rule(
        "IR811",
        "unsupported-graph",
        Severity.ERROR,
        "a model cannot be changed node by node",
        """
        irops.Graph changes models of OpenVINO. Translate a model of another dialect first.
        """,
    ),
    Rule(
        "IR812",
        "mismatched-bodies",
        Severity.ERROR,
        "the bodies of an If do not fit together",
        """
        Both bodies of an If give the outputs of the node, so they have the same number of results, in the
        same order.
        """,
    ),
    Rule(
        "IR813",
        "changed-by-rewrite",
        Severity.ERROR,
        "a rewrite would change an element type or a shape",
        """
        What takes the place of an occurrence of a pattern has the element type and the shape that the
        occurrence has, so that everything that follows from it stays valid.
        """,
    ),
    Rule(
        "IR814",
        "unknown-value",
        Severity.ERROR,
        "a model has no value of that name",
        """
        A value is named by its tensor, by the layer that gives it, or by layer:index where the layer has
        several outputs. Names of layers and tensors are those of irops inspect and of the file.
        """,
    ),
    Rule(
        "IR815",
        "open-cut",
        Severity.ERROR,
        "a part of a model is not closed",
        """
        The outputs of a part depend on its inputs and on constants alone. Where the message names an edge,
        name the value at its start, or one between it and the output, as a further input.
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
