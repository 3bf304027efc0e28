"""IR2: how the layers of a graph hang together. Bodies and state have modules of their own."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR201",
        "no-results",
        Severity.WARNING,
        "the model has no Result",
        """A model answers through its Result layers, or keeps something through Assign layers. With neither,
        nothing in it is
ever worked out.

OpenVINO reads and compiles such a file without a word, even one without any layer, and gives a model with no
outputs.

Give each tensor that the model is to return a Result layer, with an edge from the tensor's port to it.""",
    ),
    Rule(
        "IR202",
        "dangling-edge",
        Severity.ERROR,
        "an edge begins or ends at a layer that is not there",
        """from-layer and to-layer of an edge are ids of layers of the same graph. Bodies of Loop,
        TensorIterator and If are
graphs of their own: their edges cannot reach a layer outside, nor can an outer edge reach into a body.

OpenVINO ignores an edge to a layer that does not exist. One from such a layer ends reading with "Cannot
create layer id:0 from unsupported opset", which names neither the edge nor its layers.

Correct the id, or remove the edge if the layer was removed on purpose.""",
    ),
    Rule(
        "IR203",
        "unknown-output-port",
        Severity.ERROR,
        "an edge begins at an output port that its layer does not have",
        """from-port is the id of one of the <port> elements in the <output> of the layer where the edge
        begins. Ids are labels:
OpenVINO numbers outputs after the inputs, so that the output of a layer with two inputs has the id 2, not 0.
Input and output ids are looked up separately; an edge cannot begin at an input.

OpenVINO refuses such a file: "Can not find output port with id N in layer L".""",
    ),
    Rule(
        "IR204",
        "unknown-input-port",
        Severity.ERROR,
        "an edge ends at an input port that its layer does not have",
        """to-port is the id of one of the <port> elements in the <input> of the layer where the edge ends.
        The id is a label;
which input it means is decided by the place of the port in the list.

OpenVINO refuses such a file: "Can not find input port with id N in layer L". A Parameter and a Const have no
inputs, and an edge into one ends reading with a message about a node that is not in the graph.""",
    ),
    Rule(
        "IR205",
        "unconnected-input",
        Severity.ERROR,
        "no edge ends at an input port",
        """Every input port that a layer declares must be the end of an edge. An optional input that is left
        out has no port.

OpenVINO counts edges, not ports: if the last input is unfed it sees an op with one input less, which may even
be legal, and then fails on the port with "node index is out of range"; an unfed input before others ends
reading with
"index out of range". Neither names the layer.

Add the edge, or remove the port if the input is optional and not wanted.""",
    ),
    Rule(
        "IR206",
        "multiple-producers",
        Severity.ERROR,
        "two edges end at one input port",
        """An input takes one tensor. A second edge into the same port, be it a copy of the first, has no
        meaning.

OpenVINO refuses such a file: "has incorrect input with index N", where N is not the port's index but the
number of edges.

To combine two tensors use an op that does so, such as Concat or Add.""",
    ),
    Rule(
        "IR207",
        "cycle",
        Severity.ERROR,
        "layers feed one another in a circle",
        """A graph must be free of cycles, or no layer of the cycle could be worked out first. What is to be
        repeated belongs into
the body of a Loop or TensorIterator, whose back edges carry values from one iteration to the next.

OpenVINO refuses a cycle that leads to a Result with "Attempt to access node N that not in graph", without
saying that it is one. It never looks at a cycle that leads to no Result.

The finding names the layers of one shortest way around; there may be other cycles through the same
layers.""",
    ),
    Rule(
        "IR208",
        "dead-layer",
        Severity.WARNING,
        "nothing that the model returns depends on a layer",
        """No way leads from the layer to a Result or an Assign, so its outputs are never used.

OpenVINO does not look at such layers at all: not at their type, their attributes, nor their inputs. A mistake
in one goes unnoticed there until the layer is put to use; irops checks it as it checks any other. Parameters
are the
exception: an unused one stays an input of the model, and is not reported.

Often it is a sign of an edge that was lost in editing, or of a Result that was removed.""",
    ),
    Rule(
        "IR209",
        "duplicate-layer-name",
        Severity.WARNING,
        "two layers of a graph have one name",
        """Names need not be unique: edges go by ids. But tools, and people, address layers by name, and then
        mean the wrong one:
results, inferred facts, statistics and plug-in options are all kept by name.

OpenVINO keeps both names as they are.""",
    ),
    Rule(
        "IR210",
        "duplicate-tensor-name",
        Severity.WARNING,
        "two tensors of a graph have one name",
        """The names of an output port are how applications address the tensor, above all the inputs and
        outputs of the model. A
name that two different tensors bear finds one of them, and nothing says which.

OpenVINO reads such a file without complaint.""",
    ),
    Rule(
        "IR211",
        "variable-of-two-kinds",
        Severity.ERROR,
        "two layers read one variable with different types or shapes",
        """A variable_id names one piece of state for the whole model. The ReadValue layers that share it must
        declare the same
variable_type and variable_shape.

OpenVINO takes the declaration of the last layer it meets and holds the others to it, with a message about the
initializing sub-graph that names neither layer.""",
    ),
    Rule(
        "IR212",
        "unread-variable",
        Severity.ERROR,
        "a variable is assigned that no layer reads",
        """Assign keeps a value for the ReadValue of the same variable_id in the next run. Without one the
        variable has no type
and no shape, and keeping it serves nothing.

OpenVINO refuses such a file with the bare text "map::at".""",
    ),
)
