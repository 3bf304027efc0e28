"""IR2: edges, cycles, names and state; the port maps and back edges of bodies."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR201",
        "no-results",
        Severity.WARNING,
        "the model has no Result",
        """
        A model returns tensors through Result layers, or stores them through Assign layers. With neither,
        none of its layers is computed.

        OpenVINO silently reads and compiles such a file, even one without any layer, and creates a model
        without outputs.

        Add a Result for each tensor that the model is to return, with an edge from the port of the tensor to
        the Result.
        """,
    ),
    Rule(
        "IR202",
        "dangling-edge",
        Severity.ERROR,
        "an edge refers to a layer that does not exist",
        """
        from-layer and to-layer of an edge are ids of layers of the same graph. Bodies of Loop, TensorIterator
        and If are separate graphs: their edges cannot refer to a layer outside, and edges outside cannot
        refer to a layer in a body.

        OpenVINO ignores an edge to a layer that does not exist. An edge from such a layer fails with "Cannot
        create layer id:0 from unsupported opset", which names neither the edge nor its layers.

        Correct the id, or remove the edge if the layer was removed on purpose.
        """,
    ),
    Rule(
        "IR203",
        "unknown-output-port",
        Severity.ERROR,
        "an edge starts at an output port that its layer does not have",
        """
        from-port is the id of one of the <port> elements in the <output> of the layer where the edge starts.
        Ids are labels: OpenVINO numbers outputs after the inputs, so the output of a layer with two inputs
        has the id 2, not 0. Input and output ids are looked up separately; an edge cannot start at an input.

        OpenVINO refuses such a file: "Can not find output port with id N in layer L".
        """,
    ),
    Rule(
        "IR204",
        "unknown-input-port",
        Severity.ERROR,
        "an edge ends at an input port that its layer does not have",
        """
        to-port is the id of one of the <port> elements in the <input> of the layer where the edge ends. The
        id is a label; the position of the port in the list determines which input it is.

        OpenVINO refuses such a file: "Can not find input port with id N in layer L". A Parameter and a Const
        have no inputs, and an edge into one fails with a message about a node that is not in the graph.
        """,
    ),
    Rule(
        "IR205",
        "unconnected-input",
        Severity.ERROR,
        "an input port has no incoming edge",
        """
        Every input port that a layer declares needs an incoming edge. An optional input that is omitted has
        no port.

        OpenVINO counts edges, not ports: if the last input is unconnected, it sees an op with one input less,
        which may even be valid, and then fails on the port with "node index is out of range"; if an earlier
        input is unconnected, reading fails with "index out of range". Neither message names the layer.

        Add the edge, or remove the port if the input is optional and not wanted.
        """,
    ),
    Rule(
        "IR206",
        "multiple-producers",
        Severity.ERROR,
        "an input port has several incoming edges",
        """
        An input receives one tensor. A second edge into the same port has no meaning, even if it repeats the
        first.

        OpenVINO refuses such a file: "has incorrect input with index N", where N is the number of edges and
        not the index of the port.

        To combine two tensors, use an op such as Concat or Add.
        """,
    ),
    Rule(
        "IR207",
        "cycle",
        Severity.ERROR,
        "the graph has a cycle",
        """
        A graph must be acyclic, since no layer of a cycle can be computed first. Repetition belongs in the
        body of a Loop or TensorIterator, whose back edges carry values from one iteration to the next.

        OpenVINO refuses a cycle that leads to a Result with "Attempt to access node N that not in graph",
        without mentioning a cycle. It ignores a cycle that leads to no Result.

        The finding names the layers of one shortest cycle; there may be other cycles through the same layers.
        """,
    ),
    Rule(
        "IR208",
        "dead-layer",
        Severity.WARNING,
        "no result of the model depends on a layer",
        """
        There is no path from the layer to a Result or an Assign, so its outputs are never used.

        OpenVINO does not read such layers: neither their type and attributes nor their inputs. A mistake in
        one goes unnoticed until the layer is used; irops checks it like any other. Parameters are the
        exception: an unused one remains an input of the model, and is not reported.

        The usual causes are an edge that was lost in editing, or a Result that was removed.
        """,
    ),
    Rule(
        "IR209",
        "duplicate-layer-name",
        Severity.WARNING,
        "two layers of a graph have the same name",
        """
        Names need not be unique, since edges use ids. But tools and people look up layers by name, and then
        find the wrong one: results, inferred facts, statistics and plug-in options are all stored by name.

        OpenVINO keeps both names unchanged.
        """,
    ),
    Rule(
        "IR210",
        "duplicate-tensor-name",
        Severity.WARNING,
        "two tensors of a graph have the same name",
        """
        Applications look up tensors by the names of output ports, above all the inputs and outputs of the
        model. A name shared by two different tensors finds only one of them, and which one is unspecified.

        OpenVINO silently accepts such a file.
        """,
    ),
    Rule(
        "IR211",
        "conflicting-variable-types",
        Severity.ERROR,
        "two layers read one variable with different types or shapes",
        """
        A variable_id names one state variable of the whole model. All ReadValue layers that share it must
        declare the same variable_type and variable_shape.

        OpenVINO uses the declaration of the last such layer and checks the others against it, with a message
        about the initializing sub-graph that names neither layer.
        """,
    ),
    Rule(
        "IR212",
        "unread-variable",
        Severity.ERROR,
        "a variable is assigned, but no layer reads it",
        """
        Assign stores a value for the ReadValue of the same variable_id in the next inference. Without such a
        ReadValue the variable has no type and no shape, and storing it has no effect.

        OpenVINO refuses such a file with the bare text "map::at". It finds the variable of Assign-3 only by a
        ReadValue-3, not by a ReadValue-6.
        """,
    ),
    Rule(
        "IR214",
        "used-sink",
        Severity.WARNING,
        "a layer takes the output of a Result or an Assign",
        """
        A Result ends a graph, and an Assign stores a value; both give their input on, so that the layer can
        take the input instead.

        OpenVINO reads such a file, but its CPU plug-in refuses to compile the model.
        """,
    ),
    Rule(
        "IR215",
        "uncompiled-input",
        Severity.WARNING,
        "an input has an unknown rank, or a type that the CPU plug-in does not accept",
        """
        OpenVINO reads a model whose Parameter has an unknown rank or the element type u1, u3, u6 or dynamic,
        but its CPU plug-in refuses to compile the model. An unknown rank can be replaced by a shape after the
        model is read, with reshape.
        """,
    ),
    Rule(
        "IR216",
        "unpaired-variable",
        Severity.WARNING,
        "a variable does not have exactly one ReadValue and one Assign",
        """
        The specification requires one ReadValue and one Assign for each variable_id. OpenVINO reads and
        compiles other models, but its CPU plug-in fails when it runs them. irops runs them: a variable that
        is never assigned keeps its initial value.
        """,
    ),
    Rule(
        "IR217",
        "cyclic-variable",
        Severity.ERROR,
        "a ReadValue depends on the Assign of its variable",
        """
        In each inference, all layers that read a variable are computed before it is assigned. OpenVINO makes
        an Assign depend on every ReadValue of its variable_id, and refuses a file where a ReadValue depends
        on the Assign: it finds a cycle.

        Use the value that is assigned, and not the variable.
        """,
    ),
    Rule(
        "IR218",
        "unknown-rank",
        Severity.WARNING,
        "an output of a layer has an unknown rank, although its inputs have known ranks",
        """
        Of some layers the rank of the output follows from values: the number of indices in the tuples of a
        GatherND, the elements of a Reshape's pattern. Where these are unknown before the model runs, so is
        the rank. OpenVINO reads such a model, but its CPU plug-in refuses to compile it.

        Sizes can be given after the model is read, with reshape, and values be made constants.
        """,
    ),
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
