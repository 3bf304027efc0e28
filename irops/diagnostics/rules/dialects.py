"""IR9: files of ONNX, conversion between dialects, and what releases of OpenVINO do not read."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Rule, Severity

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
        A size must be 0 or more, or absent if it is unknown. onnx.checker and ONNX Runtime accept -1 and take
        the size as unknown, but the full check of onnx 1.23 ends the process for some such models.
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
    Rule(
        "IR921",
        "untranslatable-op",
        Severity.ERROR,
        "an op is not representable in the other dialect",
        """
        irops does not translate the op of the layer, or the layer uses it in a way that the op of the other
        dialect does not support. The message names the op and the reason. A model is translated completely or
        not at all: nothing is approximated.
        """,
    ),
    Rule(
        "IR922",
        "untranslatable-type",
        Severity.ERROR,
        "the other dialect does not have this element type",
        """
        OpenVINO has no complex numbers, for example, and other dialects have no integers of three or six
        bits. An
        op may be more restricted: its definition in the other dialect lists the types that it accepts, and a
        newer opset may accept more (--opset).
        """,
    ),
    Rule(
        "IR923",
        "unknown-value-for-translation",
        Severity.ERROR,
        "a value that the translation needs is not known",
        """
        An input of an op in one dialect may be an attribute in the other: the axes of a Reverse, the order of
        a Transpose. It must then be a constant, or computed from constants. Negative axes can be converted to
        positive ones only if the rank is known; pass a shape, or a rank, for the inputs.
        """,
    ),
    Rule(
        "IR924",
        "invalid-source-model",
        Severity.ERROR,
        "a model with errors cannot be translated or converted",
        """
        A layer must be valid before it can be translated, or converted for another release. The errors that
        irops check finds are reported; fix them first.
        """,
    ),
    Rule(
        "IR925",
        "wrong-dialect-for-file",
        Severity.ERROR,
        "a model cannot be written in the file format of another dialect",
        """
        The suffix of a file determines the dialect of its ops: .xml means OpenVINO. Translate the model
        first: irops convert --target DIALECT, or irops.translate(model, to=...).
        """,
    ),
    Rule(
        "IR927",
        "ill-typed-translation",
        Severity.ERROR,
        "the op of the other dialect does not accept the inputs of the layer",
        """
        The layer was translated, and the definition of the resulting op rejects it: the message is the one of
        that definition, usually about an element type that the op does not accept. --opset selects a newer
        opset, which may accept more.
        """,
    ),
    Rule(
        "IR941",
        "op-newer-than-target",
        Severity.ERROR,
        "the target release does not have the op or the opset of a layer",
        """
        An opset belongs to the releases from the one that brought it on, and a release refuses a model with a
        layer of an opset, or of an op version, that it does not have. The message names the oldest release
        that reads the layer.

        Use an older version of the op, if it means the same with the attributes in use, export the model for
        the older release, or raise the target. Reported only with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR942",
        "type-newer-than-target",
        Severity.ERROR,
        "the target release does not read an element type",
        """
        Releases add element types, such as u2 and f4e2m1, and a release refuses a model in which a port, a
        Parameter, a constant or an attribute has a type that it does not know.

        Convert the tensor to a type that the release has. Reported only with --target, or a target in the
        settings.
        """,
    ),
    Rule(
        "IR943",
        "input-type-newer-than-target",
        Severity.ERROR,
        "the target release has the op, but not for the element type of an input",
        """
        Some ops accept more element types in newer releases, without a new version of the op. Older releases
        refuse such a layer when they validate it.

        Insert a Convert before the layer, or raise the target. Reported only with --target, or a target in
        the settings.
        """,
    ),
    Rule(
        "IR944",
        "format-newer-than-target",
        Severity.ERROR,
        "the target release does not read something else that a file has",
        """
        Releases before 2024.5 do not recognize files of less than 512 bytes; those before 2023.3 refuse a
        ReadValue without an initial value; those before 2023.2 refuse inputs and results of a model that have
        a dimension of 0. Those before 2023.2 read the elements of u4 and i4 constants in another order, the
        first of two in the upper half of a byte, and compute other results.

        A comment makes a short file long enough. Reported only with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR945",
        "value-newer-than-target",
        Severity.ERROR,
        "the target release has the op, but not for the value of an attribute",
        """
        Some attributes take more values in newer releases, without a new version of the op: the rounding_type
        ceil_torch of pooling, for example. Older releases refuse such a layer.

        Choose another value, if it means the same for the shapes in use, or raise the target. Reported only
        with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR946",
        "use-newer-than-target",
        Severity.ERROR,
        "the target release has the op, but refuses this use of it",
        """
        Releases relax what an op requires of its inputs, without a new version of the op: Einsum with a label
        of sizes 1 and n, Pad with an unknown number of pads, MulticlassNms with boxes of dynamic shape.
        Older releases refuse such a layer when they validate it.

        Give the inputs static shapes, insert a Broadcast or a Reshape, or raise the target. Reported only
        with --target, or a target in the settings.
        """,
    ),
    Rule(
        "IR947",
        "inconvertible-layer",
        Severity.ERROR,
        "a layer has no equal form that the target reads",
        """
        irops convert gives a model the op versions, element types and forms that a release or opset reads,
        where results stay the same. The message names the layer, what the target does not read, and why no
        older form means the same: an attribute that the older version does not have, an input whose value
        would have to be constant, an op without a form in older ops. A model is converted completely or not
        at all.

        Raise the target, or change the layer in the model.
        """,
    ),
    Rule(
        "IR948",
        "target-of-another-dialect",
        Severity.WARNING,
        "it is not known whether the target release reads the model",
        """
        irops knows what releases of OpenVINO read of IR. What their converters read of other formats, it does
        not know, so that the model was checked without the target.

        Convert the model to IR with the release in question, and check the result. Reported only with
        --target, or a target in the settings.
        """,
    ),
)
