"""IR22: how a layer's bodies are tied to its ports. Part of the band IR2."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR221",
        "mapping-to-no-layer",
        Severity.ERROR,
        "an entry of a port map names a layer of the body that does not take part",
        """internal_layer_id of an <input> is the id of a Parameter of the body, that of an <output> the id of
        a Result of the
body. Ids are local to the body; an outer layer of the same id is another layer.

OpenVINO refuses such a file with the bare text "unordered_map::at".""",
    ),
    Rule(
        "IR222",
        "mapping-to-no-port",
        Severity.ERROR,
        "an entry of a port map names a port that the layer does not have",
        """external_port_id of an <input> says which input of the layer it means. OpenVINO takes it as the
        position, counted
from 0, not as the id of a port; in the files it writes the two are the same. The -1 means no port at all, and
goes with a
purpose: current_iteration on an input, execution_condition on an output.

OpenVINO refuses such a file with the bare text "vector::_M_range_check".""",
    ),
    Rule(
        "IR223",
        "doubly-mapped-parameter",
        Severity.ERROR,
        "two entries of a port map feed one Parameter of a body",
        """A Parameter of a body takes its value from one input of the layer. OpenVINO keeps one of the two
        entries, decides
which by the order of its own tables, and says nothing.""",
    ),
    Rule(
        "IR224",
        "unmapped-parameter",
        Severity.ERROR,
        "no entry of a port map feeds a Parameter of a body",
        """Every Parameter of a body must take its value from an input of the layer, or be the iteration
        number of a Loop
(purpose="current_iteration"). A back edge alone is not enough: it says what the value is in the second
iteration, not in the first.

OpenVINO refuses such a file: "Number of inputs must be the same as number of input descriptions".""",
    ),
    Rule(
        "IR225",
        "dangling-back-edge",
        Severity.ERROR,
        "a back edge does not lead from a Result of the body to a Parameter of it",
        """A back edge carries the value of a body's Result (from-layer) to the body's Parameter (to-layer)
        that takes it in the
next iteration.

OpenVINO refuses a wrong from-layer with the bare text "unordered_map::at". With a wrong to-layer it reads the
file, drops the back edge, and what was meant to change from iteration to iteration stays as it was.""",
    ),
    Rule(
        "IR226",
        "unknown-purpose",
        Severity.ERROR,
        "an entry of a port map has a purpose that means nothing there",
        """There are two purposes, both for Loop alone: current_iteration on an <input>, execution_condition
        on an <output>.

OpenVINO ignores any other text, and takes the entry as one without a purpose.""",
    ),
    Rule(
        "IR227",
        "empty-slice",
        Severity.ERROR,
        "an entry of a port map cuts or joins slices of no size, or does not move on",
        """With an axis, an entry cuts its tensor into slices of part_size elements, stride apart, or joins
        them so. part_size
must be at least 1, and stride must not be 0; a negative stride goes backwards.

OpenVINO reads a stride of 0, and refuses it when the model is compiled; a part_size of 0 ends the process
with a division by zero.""",
    ),
    Rule(
        "IR228",
        "missing-condition",
        Severity.ERROR,
        "a Loop has no condition to go on",
        """The body of a Loop computes whether to go on: a boolean Result that an <output> entry with
purpose="execution_condition" and external_port_id="-1" names. A Loop that only counts has a constant true
there.

OpenVINO refuses a Loop without one.""",
    ),
    Rule(
        "IR229",
        "doubly-mapped-output",
        Severity.ERROR,
        "two entries of a port map give one output of the layer",
        """OpenVINO sorts the <output> entries by external_port_id and numbers the outputs in that order. Of
        two entries with the
same id it keeps the first, and drops the other without a word.""",
    ),
)
