"""IR8xx: faults in graphs that are built node by node."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR801",
        "too-many-output-names",
        Severity.ERROR,
        "a node is given more output names than it has outputs",
        "specified_outputs_name names the outputs of a node in their order; those that it does not reach keep"
        " the names that they have by themselves, such as ReverseSequenceNode_6_Y.",
    ),
    Rule(
        "IR802",
        "repeated-name",
        Severity.ERROR,
        "a name is given twice in a graph",
        "Nodes have names of their own, so have tensors and so have results: what is looked up by its name"
        " must be one thing. Where graphs are merged, the names that were given in one must not be given in"
        " the other.",
    ),
    Rule(
        "IR803",
        "nameless-output",
        Severity.ERROR,
        "a node is given an output name that is no text, or empty",
        "To leave an output the name that it has by itself, give fewer names, or none.",
    ),
    Rule(
        "IR804",
        "wire-of-another-graph",
        Severity.ERROR,
        "a node is connected to a node of another graph",
        "Branches that were built apart are joined by merge; from then on, nodes of either can be connected.",
    ),
    Rule(
        "IR805",
        "unlike-graphs",
        Severity.ERROR,
        "graphs of two opsets cannot be merged",
        "Nodes are those of one opset, which is chosen where the graph is begun: the same type may"
        " mean different things in another.",
    ),
    Rule(
        "IR806",
        "switch-without-parameter",
        Severity.ERROR,
        "a parameter is given with a switch, and has none",
        "Of the parameters of a node, those that its definition names a switch for, such as batch_axis and"
        " its use_it, may be switched off; the others are plain values.",
    ),
    Rule(
        "IR807",
        "graph-without-result",
        Severity.ERROR,
        "a graph is made a model, and has no result",
        "What a graph gives is marked by predict; nodes that lead to no result would compute nothing that"
        " anyone sees.",
    ),
)
