"""IR90: ONNX model files, and the rules of other bands about such files."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR007",
        "onnx-file",
        Severity.ERROR,
        "the model file is an ONNX model",
        """
        The file starts like an ONNX model, which is a protocol buffer and not XML. OpenVINO chooses its
        reader partly by the file name, and fails on such a file if its name ends with .xml.

        Rename the file to .onnx: irops then reads it as ONNX, and irops convert --target openvino writes it
        as IR. OpenVINO converts it, too: openvino.save_model(openvino.convert_model("model.onnx"), "m.xml").
        """,
    ),
    Rule(
        "IR901",
        "missing-onnx",
        Severity.ERROR,
        "the library onnx is not installed",
        """
        An ONNX model is a protocol buffer, which irops reads and writes with the library onnx. Install it
        with irops: pip install 'irops[onnx]'.
        """,
    ),
    Rule(
        "IR902",
        "malformed-onnx",
        Severity.ERROR,
        "the file is not a valid ONNX model",
        """
        The bytes are not a valid ModelProto: the file was cut off, is damaged, or has another format. A model
        that was cut off between two of its parts is still a valid protocol buffer, but has no graph, or a
        graph without outputs. Fetch or export the model again.
        """,
    ),
    Rule(
        "IR903",
        "unimported-domain",
        Severity.ERROR,
        "the model does not import the domain of an op",
        """
        opset_import of a model selects the opset of each domain that its nodes use. Without it, the op of a
        node has no version and no meaning. ONNX's checker and ONNX Runtime refuse such a model.
        """,
    ),
    Rule(
        "IR904",
        "newer-opset",
        Severity.ERROR,
        "the model imports an opset that is newer than those irops knows",
        """
        Later opsets may have changed the meaning, the types or the attributes of an op. ONNX Runtime refuses
        opsets that are newer than it, too. Convert the model with onnx.version_converter, or export it again
        with an older opset.
        """,
    ),
    Rule(
        "IR905",
        "undefined-tensor",
        Severity.ERROR,
        "a node or output uses a tensor that does not exist",
        """
        Every tensor is an input of the graph, an initializer, or an output of a node, and is found by its
        name. The graph has no tensor of this name: the name is misspelled, or a node was removed. ONNX
        Runtime refuses the model.
        """,
    ),
    Rule(
        "IR906",
        "duplicate-tensor",
        Severity.ERROR,
        "two nodes produce a tensor of the same name",
        """
        Tensor names are unique within a graph. If two nodes produce the same name, it is ambiguous which of
        them a consumer refers to; ONNX's checker and ONNX Runtime refuse the model.
        """,
    ),
    Rule(
        "IR907",
        "unsupported-onnx-type",
        Severity.ERROR,
        "an input, output or constant has a type that irops does not support",
        """
        irops computes with tensors. ONNX also has sequences, maps, optional values, sparse tensors, and
        tensors of 6-bit floats; a graph with such inputs or outputs is not representable in irops.
        """,
    ),
    Rule(
        "IR908",
        "malformed-tensor",
        Severity.ERROR,
        "the data of a constant does not match its type and shape",
        """
        A TensorProto must contain the number of bytes or elements that its type and its dims require, in the
        one field that belongs to the type. The tensor was cut off or written incorrectly.
        """,
    ),
    Rule(
        "IR909",
        "external-data-outside",
        Severity.ERROR,
        "the data of a constant is outside the folder of the model",
        """
        Constants may be stored in files beside the model. Such a file must be in the folder of the model or
        below: an absolute path, a path with .. or a link out of the folder would let a model read any file of
        the machine, and irops does not follow it.
        """,
    ),
    Rule(
        "IR910",
        "missing-external-data",
        Severity.ERROR,
        "a file with the data of a constant is missing or too short",
        """
        The model stores a constant in another file. That file does not exist, cannot be read, or ends before
        the constant does. Models with external data consist of several files: fetch all of them.
        """,
    ),
    Rule(
        "IR911",
        "constant-without-value",
        Severity.ERROR,
        "a Constant node has no value",
        """
        Exactly one of the attributes value, sparse_value, value_float, value_floats, value_int, value_ints,
        value_string and value_strings must be present. ONNX's checker and ONNX Runtime refuse other nodes.
        """,
    ),
    Rule(
        "IR912",
        "unexpected-weights",
        Severity.ERROR,
        "a .bin file was passed for a model that has none",
        """
        A .bin file stores the weights of an IR model. An ONNX model stores its weights in its own file, or in
        files that it names. Omit --weights.
        """,
    ),
    Rule(
        "IR915",
        "invalid-onnx-part",
        Severity.ERROR,
        "a part of the model contradicts the specification of ONNX",
        """
        A node comes before one whose output it takes: ONNX's checker refuses the model. Or two nodes of the
        graph have the same name: ONNX Runtime refuses the model, although ONNX's checker does not. Names of
        Constant nodes are exempt: runtimes turn such nodes into initializers first.
        """,
    ),
    Rule(
        "IR916",
        "negative-onnx-size",
        Severity.WARNING,
        "a size is below 0",
        """
        A size must be 0 or more, or absent if it is unknown; -1 counts as unknown in most tools, but the full
        check of onnx 1.23 ends the process for some such models.
        """,
    ),
    Rule(
        "IR926",
        "oversized-onnx",
        Severity.ERROR,
        "the model is too large for one ONNX file",
        """
        A protocol buffer is limited to 2 GiB, constants included. irops writes constants into the file, not
        beside it.
        """,
    ),
)
