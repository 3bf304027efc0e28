"""IR90: models of ONNX, as files; and what other bands say of such files."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR007",
        "onnx-file",
        Severity.ERROR,
        "the model file is an ONNX model",
        """The file starts as an ONNX model does, which is a protocol buffer and no XML. OpenVINO chooses its
        reader by the file's
name in part, and fails on such a file if it is called .xml.

Name the file .onnx: irops then reads it as what it is, and irops translate writes it as IR. OpenVINO converts
it by openvino.save_model(openvino.convert_model("model.onnx"), "model.xml").""",
    ),
    Rule(
        "IR901",
        "missing-onnx",
        Severity.ERROR,
        "the library onnx is not installed",
        """A model of ONNX is a protocol buffer; the library onnx reads and writes it. Install it with irops:
        pip install 'irops[onnx]'.""",
    ),
    Rule(
        "IR902",
        "malformed-onnx",
        Severity.ERROR,
        "the file is no model of ONNX, or a damaged one",
        """The bytes are not those of a ModelProto: they were cut off or damaged, or are of another kind of
        file. A model that was cut
off between two of its parts can still be read as a protocol buffer, but has no graph, or a graph without
outputs. Fetch or export the model again.""",
    ),
    Rule(
        "IR903",
        "unimported-domain",
        Severity.ERROR,
        "a node's op is of a domain that the model does not import",
        """A model says which opset of each domain its nodes mean: opset_import. Without that, a node's op has
        no version and no
meaning. ONNX's checker and ONNX Runtime refuse such a model.""",
    ),
    Rule(
        "IR904",
        "newer-opset",
        Severity.WARNING,
        "the model imports an opset that is newer than those irops knows",
        """The newest opset that irops knows is taken instead. What later ones changed is not known: an op may
        have another meaning,
more types, or more attributes.""",
    ),
    Rule(
        "IR905",
        "undefined-tensor",
        Severity.ERROR,
        "a node or output takes a tensor that nothing gives",
        """Every tensor is an input of the graph, an initializer, or an output of a node, and is found by its
        name. Nothing in the
graph has this one: the name is misspelled, or a node was taken out. ONNX Runtime refuses the model.""",
    ),
    Rule(
        "IR906",
        "duplicate-tensor",
        Severity.ERROR,
        "two nodes give a tensor of the same name",
        """Names of tensors are given once in a graph. Which of the two a node means that takes the name
        cannot be told; ONNX's
checker and ONNX Runtime refuse the model.""",
    ),
    Rule(
        "IR907",
        "unsupported-onnx-type",
        Severity.ERROR,
        "an input, output or constant is of a type that irops does not have",
        """irops computes with tensors. ONNX has sequences, maps, optional values and sparse tensors as well,
        and tensors of floats of
six bits; a graph that takes or gives those cannot be represented.""",
    ),
    Rule(
        "IR908",
        "malformed-tensor",
        Severity.ERROR,
        "a constant's data are not those of its type and shape",
        """The number of bytes or elements that a TensorProto holds must be what its type and its dims ask
        for, in the one field that
belongs to the type. The tensor was cut off or written wrongly.""",
    ),
    Rule(
        "IR909",
        "external-data-outside",
        Severity.ERROR,
        "a constant's data lie outside of the folder of the model",
        """Constants may lie in files beside the model. Such a file must be in the model's folder or below: an
        absolute path, a path with
.. or a link that leads out would let a model read any file of the machine, and is not followed.""",
    ),
    Rule(
        "IR910",
        "missing-external-data",
        Severity.ERROR,
        "a file with a constant's data is missing or too short",
        """The model says that a constant lies in another file. The file is not there, cannot be read, or ends
        before the constant does.
Models with such files are moved as a folder: fetch the files that belong to the model, too.""",
    ),
    Rule(
        "IR911",
        "constant-without-value",
        Severity.ERROR,
        "a node Constant does not say what its value is",
        """Exactly one of the attributes value, sparse_value, value_float, value_floats, value_int,
        value_ints, value_string and
value_strings must be there. ONNX's checker and ONNX Runtime refuse other nodes.""",
    ),
    Rule(
        "IR912",
        "unwanted-weights",
        Severity.ERROR,
        "a .bin file is given for a model that has none",
        """A .bin file holds the weights of a model of IR. Those of a model of ONNX lie in its own file, or in
        files that it names
itself. Leave --weights out.""",
    ),
    Rule(
        "IR926",
        "oversized-onnx",
        Severity.ERROR,
        "the model is too large for one ONNX file",
        """A protocol buffer ends at 2 GiB, constants included. irops writes constants into the file, not
        beside it.""",
    ),
)
