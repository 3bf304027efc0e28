"""IR1: elements and attributes, as far as they can be read without knowing any op."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR101",
        "incomplete-element",
        Severity.ERROR,
        "an attribute that must be there is not",
        """A layer has id, name, type and version; a port has an id, an output port a precision too; an edge
        has from-layer,
from-port, to-layer and to-port; an entry of a port map has external_port_id and internal_layer_id; a back
edge has from-layer and to-layer.

OpenVINO refuses the file ("missing mandatory attribute"), even if the layer leads to no Result, and gives an
offset but no line. The rest of the file is checked as if the most likely id stood there.""",
    ),
    Rule(
        "IR102",
        "empty-attribute",
        Severity.ERROR,
        "the type or the version of a layer is empty",
        """type says which op a layer is, version which opset the op is taken from (opset1 … opset17, or the
        name of an extension).
An empty text names none. OpenVINO refuses the file.""",
    ),
    Rule(
        "IR103",
        "malformed-number",
        Severity.ERROR,
        "a number cannot be read as a whole, or is out of range",
        """Ids of layers and ports and the numbers of port maps are decimal integers of 64 bits, written in
        ASCII digits; ids are 0
or more.

OpenVINO refuses such a file ("not an unsigned 64 bit integer"). Where the id of a layer or port cannot be
read, the rest of the file is checked as if the most likely one stood there.""",
    ),
    Rule(
        "IR104",
        "loose-number",
        Severity.WARNING,
        "a number is not written plainly",
        """There are blanks around the number, a plus before it, or zeros. It has one meaning and is read so.
        Tools that compare ids
as texts take "+1" and "1" for two layers.""",
    ),
    Rule(
        "IR105",
        "unknown-element",
        Severity.ERROR,
        "an element stands where it may not",
        """An element of this name has no meaning in this place. It is misspelled, or in the wrong place, or
        of a newer format.

OpenVINO ignores such elements without a word, so that a layer that was pasted outside <layers> is simply not
in the model. irops keeps the element and writes it back.""",
    ),
    Rule(
        "IR106",
        "stray-attribute",
        Severity.WARNING,
        "an attribute has no meaning where it is",
        """<net>, <layer>, <port>, <edge>, <dim> and the entries of port maps have a fixed set of attributes,
        and this one is not
among them. OpenVINO ignores it without a word; irops keeps it and writes it back.

What an op needs stands in <data>.""",
    ),
    Rule(
        "IR107",
        "duplicate-section",
        Severity.ERROR,
        "an element is there twice where there may be one",
        """<net> has one <layers> and one <edges>, a layer one <data>, <input>, <output>, <rt_info>, and each
        body once.

OpenVINO reads the first and ignores the others without a word.""",
    ),
    Rule(
        "IR108",
        "missing-section",
        Severity.ERROR,
        "the file has no layers",
        """A model is its <layers>. OpenVINO reads a file without them as a model with no inputs and no
        outputs, without a word.""",
    ),
    Rule(
        "IR109",
        "stray-text",
        Severity.ERROR,
        "there is text between elements",
        """Only <dim> holds text. Text elsewhere is the rest of something: of a damaged tag, of an edit, of a
        merge. OpenVINO ignores
it. To leave a layer out for a while, put it in a comment: <!-- … -->.""",
    ),
    Rule(
        "IR110",
        "duplicate-layer-id",
        Severity.ERROR,
        "two layers of a graph have one id",
        """Edges name layers by id, so ids must differ within a graph; each body is a graph of its own.

OpenVINO does not notice: it takes the last layer of that id for all of them, and then complains of a port, of
a cycle, or of nothing at all.""",
    ),
    Rule(
        "IR111",
        "duplicate-port-id",
        Severity.ERROR,
        "two input ports, or two output ports, of a layer have one id",
        """Edges name ports by id, so the ids of a layer's inputs must differ, and those of its outputs. An
        input and an output may
have the same.

OpenVINO takes the first, and then says "node index is out of range" or that it finds no id.""",
    ),
    Rule(
        "IR112",
        "malformed-dimension",
        Severity.ERROR,
        "a dimension of a port cannot be read",
        """A <dim> holds one decimal integer: a size, or -1 where the size is not known. Intervals and "?" are
        for the attribute
shape of a Parameter.

OpenVINO reads it by prefix ("1..10" is 1 to it, "4.5" is 4), refuses what starts with no number and what is
less than -1,
and then ignores all dims: it infers the shapes itself.""",
    ),
    Rule(
        "IR113",
        "unknown-precision",
        Severity.ERROR,
        "the precision of a port is none",
        """The precision of a port is its element type in capitals: FP32, FP16, BF16, FP64, I64 … U1 is
        written BIN, boolean BOOL,
and an element type that is not known UNSPECIFIED; lower-case names of element types are understood as well.

OpenVINO demands one at each output port, refuses what it does not know, and then ignores it: it infers the
types itself. That of an input port it does not even look at, so there this is a warning.""",
    ),
    Rule(
        "IR114",
        "empty-rt-info",
        Severity.ERROR,
        "a runtime attribute has no value",
        """<attribute name="…" version="…"/> within <rt_info> gives a layer or a port a runtime attribute, and
        this one consists of a
value, which is missing. OpenVINO refuses some such files and reads others with an empty value.""",
    ),
    Rule(
        "IR115",
        "duplicate-rt-info",
        Severity.ERROR,
        "a runtime attribute is given twice",
        """An <rt_info> has each attribute once. OpenVINO refuses a file with two of a kind that it knows.""",
    ),
    Rule(
        "IR116",
        "unknown-reference-layer",
        Severity.ERROR,
        "<pre-process> means a layer that is not there",
        """<pre-process> of an IR 10 file gives the mean values that are subtracted from an input.
        reference-layer-name says from
which: it is the name of a Parameter. OpenVINO refuses a file where there is none of that name.""",
    ),
    Rule(
        "IR117",
        "mean-outside-weights",
        Severity.ERROR,
        "a mean image is not in the weights",
        """<mean offset="…" size="…"/> in <pre-process> says which bytes of the .bin file are the mean image
        of a channel. They are
not all in the file. The .bin file is missing, cut off, or that of another export.""",
    ),
    Rule(
        "IR118",
        "too-many-dimensions",
        Severity.ERROR,
        "a port has more dimensions than any tensor",
        """Tensors have some ten dimensions at most. The file was made to exhaust whatever reads it, or
        damaged; a port with so many
dimensions is not read on, and a shape is not parsed. The limit is called dims.""",
    ),
    Rule(
        "IR119",
        "more-faults",
        Severity.WARNING,
        "there are more findings than are told",
        """Of one file, the first 1000 findings are told, errors before warnings. Most of them have one cause,
        such as a tool that
writes ids in another form: correct that, and check again. The limit is called findings.""",
    ),
    Rule(
        "IR120",
        "too-many-elements",
        Severity.ERROR,
        "there are more elements than the limit allows",
        """A network with 30,000 layers has some 500,000 elements, dimensions of ports aside. A file with many
        times as many was made
to exhaust the memory of whatever reads it. It is not read on. The limit is called elements.""",
    ),
    Rule(
        "IR121",
        "too-many-attributes",
        Severity.ERROR,
        "an element has more attributes than the limit allows",
        """The op with the most attributes has some twenty. The file was made to exhaust whatever reads it, or
        damaged. It is not read
on. The limit is called attributes.""",
    ),
    Rule(
        "IR122",
        "too-many-layers",
        Severity.ERROR,
        "there are more layers than the limit allows",
        """The largest networks have some tens of thousands of layers. The layers of bodies count too. The
        file is not read on. The
limit is called layers.""",
    ),
)
