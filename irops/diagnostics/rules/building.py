"""IR7: irops.toml, and [tool.irops] in pyproject.toml. IR8: errors in graphs that are built node by node."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR701",
        "malformed-settings",
        Severity.ERROR,
        "the settings file cannot be read",
        """
        The file is not TOML or not UTF-8, or the system refuses access to it. irops reads settings from
        irops.toml, or from the table [tool.irops] of pyproject.toml, whichever is nearest from the current
        folder upwards, within its repository and the user's home. Nothing is checked until the settings are
        valid, so that no intended limit is skipped.
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
        from the current folder upwards.
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
        "the settings name code of a folder that the user does not trust",
        """
        The setting rules names Python modules, and settings come with files that others may have written. So
        irops loads these modules only if a person has said so: irops trust FOLDER adds the folder of the
        settings to the list in the user's own configuration, and the option --trust-settings is for one call,
        in CI for example. The other settings apply, without selectors of rules that are not loaded. With
        --strict, irops check fails.
        """,
    ),
    Rule(
        "IR705",
        "foreign-settings",
        Severity.WARNING,
        "the settings file belongs to another user",
        """
        Like git, irops does not read settings of other users: neither a file of another owner, nor any file
        in a folder of another owner or above that. Files of root are read; with sudo, also those of the user
        who called it. Nothing that the file sets applies. Copy the file, or change its owner.
        """,
    ),
    Rule(
        "IR706",
        "unusable-trust",
        Severity.WARNING,
        "the list of trusted folders cannot be used",
        """
        The list is trusted.json in the folder irops of the user's configuration (XDG_CONFIG_HOME, by default
        ~/.config). It is used only if it and its folder belong to the user and nobody else may write to them.
        No folder is trusted until that is so: chmod go-w removes the permission.
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
)
