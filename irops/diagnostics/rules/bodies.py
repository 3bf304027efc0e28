"""IR22: the port maps and back edges that connect bodies to their layers. Part of the band IR2."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR221",
        "unknown-internal-layer",
        Severity.ERROR,
        "an entry of a port map names a layer that is not a Parameter or Result of the body",
        """
        internal_layer_id of an <input> is the id of a Parameter of the body; that of an <output> is the id of
        a Result of the body. Ids are local to the body; an outer layer with the same id is a different layer.

        OpenVINO refuses such a file with the bare text "unordered_map::at".
        """,
    ),
    Rule(
        "IR222",
        "unknown-external-port",
        Severity.ERROR,
        "an entry of a port map names a port that the layer does not have",
        """
        external_port_id of an <input> selects an input of the layer. OpenVINO treats it as the position of
        the input, counted from 0, not as the id of a port; in the files that OpenVINO writes the two are
        equal. The value -1 means no port, and requires a purpose: current_iteration on an input,
        execution_condition on an output.

        OpenVINO refuses such a file with the bare text "vector::_M_range_check".
        """,
    ),
    Rule(
        "IR223",
        "duplicate-parameter-mapping",
        Severity.ERROR,
        "two entries of a port map feed the same Parameter of a body",
        """
        A Parameter of a body receives its value from one input of the layer. OpenVINO silently keeps one of
        the two entries, depending on the order of its internal tables.
        """,
    ),
    Rule(
        "IR224",
        "unmapped-parameter",
        Severity.ERROR,
        "no entry of a port map feeds a Parameter of a body",
        """
        Every Parameter of a body must receive its value from an input of the layer, or be the iteration
        number of a Loop (purpose="current_iteration"). A back edge alone is not enough: it defines the value
        from the second iteration on, not in the first.

        OpenVINO refuses such a file: "Number of inputs must be the same as number of input descriptions".
        """,
    ),
    Rule(
        "IR225",
        "dangling-back-edge",
        Severity.ERROR,
        "a back edge does not connect a Result of the body to a Parameter of the body",
        """
        A back edge carries the value of a Result of the body (from-layer) to the Parameter of the body
        (to-layer) that receives it in the next iteration.

        OpenVINO refuses a wrong from-layer with the bare text "unordered_map::at". With a wrong to-layer it
        reads the file and drops the back edge, so the value does not change between iterations.
        """,
    ),
    Rule(
        "IR226",
        "unknown-purpose",
        Severity.ERROR,
        "an entry of a port map has an invalid purpose",
        """
        There are two purposes, both for Loop only: current_iteration on an <input>, execution_condition on an
        <output>.

        OpenVINO ignores any other text, and treats the entry as one without a purpose.
        """,
    ),
    Rule(
        "IR227",
        "invalid-slice",
        Severity.ERROR,
        "an entry of a port map has an empty slice or a stride of 0",
        """
        An entry with an axis splits its tensor into slices of part_size elements at intervals of stride, or
        concatenates such slices. part_size must be at least 1, and stride must not be 0; a negative stride
        runs backwards.

        OpenVINO reads a stride of 0, and refuses it when the model is compiled; a part_size of 0 ends the
        process with a division by zero.
        """,
    ),
    Rule(
        "IR228",
        "missing-condition",
        Severity.ERROR,
        "a Loop has no execution condition",
        """
        The body of a Loop computes whether to run another iteration: an <output> entry with
        purpose="execution_condition" and external_port_id="-1" names a boolean Result. A Loop that only
        counts has a constant true there.

        OpenVINO refuses a Loop without an execution condition.
        """,
    ),
    Rule(
        "IR229",
        "duplicate-output-mapping",
        Severity.ERROR,
        "two entries of a port map produce the same output of the layer",
        """
        OpenVINO sorts the <output> entries by external_port_id and numbers the outputs in that order. Of two
        entries with the same id it keeps the first, and silently drops the other.
        """,
    ),
    Rule(
        "IR230",
        "contradicting-parameters",
        Severity.ERROR,
        "a layer of a body does not fit what the Parameters of the body declare",
        """
        A body is inferred from what the inputs of its layer bring. A Parameter of the body may declare
        another type or shape, which has no effect then.

        OpenVINO first infers the body from the declarations, before it connects the body, and refuses the
        file if that fails. Declare the types and shapes that the Parameters receive.
        """,
    ),
)
