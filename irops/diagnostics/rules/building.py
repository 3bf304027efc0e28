"""IR8: errors in graphs that are built node by node."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
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
