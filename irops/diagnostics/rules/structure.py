"""IR1: elements and attributes, as far as they can be read without knowing any op."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR101",
        "incomplete-element",
        Severity.ERROR,
        "a required XML attribute is missing",
        """
        A layer has id, name, type and version; a port has an id, an output port also a precision; an edge has
        from-layer, from-port, to-layer and to-port; an entry of a port map has external_port_id and
        internal_layer_id; a back edge has from-layer and to-layer.

        OpenVINO refuses the file ("missing mandatory attribute"), even if no path from the layer leads to a
        Result, and reports an offset but no line. irops checks the rest of the file with the most likely id
        in its place.
        """,
    ),
    Rule(
        "IR102",
        "empty-attribute",
        Severity.ERROR,
        "the type or the version of a layer is empty",
        """
        type names the op of a layer, and version the opset that the op belongs to (opset1 … opset17, or the
        name of an extension). An empty text names none. OpenVINO refuses the file.
        """,
    ),
    Rule(
        "IR103",
        "malformed-number",
        Severity.ERROR,
        "a number is not an integer or is out of range",
        """
        Ids of layers and ports and the numbers in port maps are decimal 64-bit integers, written in ASCII
        digits; ids are 0 or greater.

        OpenVINO refuses such a file ("not an unsigned 64 bit integer"). If the id of a layer or port is
        malformed, irops checks the rest of the file with the most likely id in its place.
        """,
    ),
    Rule(
        "IR104",
        "noncanonical-number",
        Severity.WARNING,
        "a number is not in canonical form",
        """
        The number has whitespace around it, a plus sign, or leading zeros. Its value is unambiguous, and
        irops reads it. Tools that compare ids as text treat "+1" and "1" as two layers.
        """,
    ),
    Rule(
        "IR105",
        "unknown-element",
        Severity.ERROR,
        "an element is not allowed in this place",
        """
        An element of this name has no meaning in this place. It is misspelled, in the wrong place, or part of
        a newer format.

        OpenVINO silently ignores such elements, so a layer that was pasted outside <layers> is not part of
        the model. irops keeps the element and writes it back.
        """,
    ),
    Rule(
        "IR106",
        "stray-attribute",
        Severity.WARNING,
        "an XML attribute has no meaning on its element",
        """
        <net>, <layer>, <port>, <edge>, <dim> and the entries of port maps have a fixed set of attributes, and
        this is not one of them. OpenVINO silently ignores it; irops keeps it and writes it back.

        The attributes of an op belong in <data>.
        """,
    ),
    Rule(
        "IR107",
        "duplicate-section",
        Severity.ERROR,
        "an element occurs twice where only one is allowed",
        """
        <net> has one <layers> and one <edges>; a layer has one <data>, <input>, <output>, <rt_info>, and each
        body once.

        OpenVINO reads the first and silently ignores the others.
        """,
    ),
    Rule(
        "IR108",
        "missing-section",
        Severity.ERROR,
        "the file has no layers",
        """
        A model consists of its <layers>. OpenVINO silently reads a file without them as a model with no
        inputs and no outputs.
        """,
    ),
    Rule(
        "IR109",
        "stray-text",
        Severity.ERROR,
        "there is text between elements",
        """
        Only <dim> contains text. Text elsewhere is left over from a damaged tag, an edit or a merge. OpenVINO
        ignores it. To disable a layer temporarily, put it in a comment: <!-- … -->.
        """,
    ),
    Rule(
        "IR110",
        "duplicate-layer-id",
        Severity.ERROR,
        "two layers of a graph have the same id",
        """
        Edges refer to layers by id, so ids must be unique within a graph; each body is a separate graph.

        OpenVINO does not detect this: it uses the last layer with that id for all of them, and then reports a
        port, a cycle, or nothing at all.
        """,
    ),
    Rule(
        "IR111",
        "duplicate-port-id",
        Severity.ERROR,
        "two input ports, or two output ports, of a layer have the same id",
        """
        Edges refer to ports by id, so the ids of a layer's inputs must be unique, and those of its outputs.
        An input and an output may have the same id.

        OpenVINO uses the first port, and then reports "node index is out of range" or that it cannot find an
        id.
        """,
    ),
    Rule(
        "IR112",
        "malformed-dimension",
        Severity.ERROR,
        "a dimension of a port is malformed",
        """
        A <dim> contains one decimal integer: a size, or -1 if the size is dynamic. Intervals and "?" are
        allowed only in the shape attribute of a Parameter.

        OpenVINO reads a prefix of the text ("1..10" becomes 1, "4.5" becomes 4), refuses text that does not
        start with a number and numbers below -1, and then ignores all dims: it infers the shapes itself.
        """,
    ),
    Rule(
        "IR113",
        "unknown-precision",
        Severity.ERROR,
        "the precision of a port is not a known element type",
        """
        The precision of a port is its element type in capitals: FP32, FP16, BF16, FP64, I64 …; u1 is written
        BIN, boolean is written BOOL, and an unknown element type UNSPECIFIED; lower-case element type names
        are accepted as well.

        OpenVINO requires a precision on each output port, refuses unknown ones, and then ignores it: it
        infers the types itself. It does not read the precision of an input port, so there this is a warning.
        """,
    ),
    Rule(
        "IR114",
        "empty-rt-info",
        Severity.ERROR,
        "a runtime attribute has no name, version or value",
        """
        <attribute name="…" version="…"/> in <rt_info> gives a layer or a port a runtime attribute, most of
        which have one value. An attribute without its value is an error: OpenVINO never writes one, and reads
        it as if the value were empty, although the value may have been lost. An attribute without name or
        version is a warning: OpenVINO ignores it.
        """,
    ),
    Rule(
        "IR115",
        "duplicate-rt-info",
        Severity.ERROR,
        "a runtime attribute occurs twice",
        """
        An <rt_info> contains each attribute once. OpenVINO refuses a file that repeats an attribute it knows.
        """,
    ),
    Rule(
        "IR116",
        "unknown-reference-layer",
        Severity.ERROR,
        "<pre-process> refers to a layer that does not exist",
        """
        <pre-process> in an IR 10 file gives the mean values that are subtracted from an input.
        reference-layer-name is the name of the Parameter that they apply to. OpenVINO refuses a file that has
        no Parameter of that name.
        """,
    ),
    Rule(
        "IR117",
        "mean-outside-weights",
        Severity.ERROR,
        "a mean image lies outside the weights",
        """
        <mean offset="…" size="…"/> in <pre-process> gives the bytes of the .bin file that store the mean
        image of a channel. Some of them lie beyond the end of the file. The .bin file is missing, cut off, or
        belongs to another export.
        """,
    ),
    Rule(
        "IR118",
        "too-many-dimensions",
        Severity.ERROR,
        "a port has more dimensions than the limit allows",
        """
        Tensors have about ten dimensions at most. The file is damaged or was built to exhaust its reader;
        irops stops reading at a port with that many dimensions, and does not parse such a shape. The limit is
        called dims.
        """,
    ),
    Rule(
        "IR119",
        "too-many-findings",
        Severity.WARNING,
        "there are more findings than are reported",
        """
        irops reports the first 1000 findings of a file, errors before warnings. Most of them usually have one
        cause, such as a tool that writes ids in another form: fix that cause and check again. The limit is
        called findings.
        """,
    ),
    Rule(
        "IR120",
        "too-many-elements",
        Severity.ERROR,
        "there are more elements than the limit allows",
        """
        A network with 30,000 layers has about 500,000 elements, not counting the dimensions of ports. A file
        with many times that number was built to exhaust the memory of its reader. irops stops reading it. The
        limit is called elements.
        """,
    ),
    Rule(
        "IR121",
        "too-many-attributes",
        Severity.ERROR,
        "an element has more attributes than the limit allows",
        """
        The op with the most attributes has about twenty. The file is damaged or was built to exhaust its
        reader. irops stops reading it. The limit is called attributes.
        """,
    ),
    Rule(
        "IR122",
        "too-many-layers",
        Severity.ERROR,
        "there are more layers than the limit allows",
        """
        The largest networks have some tens of thousands of layers. Layers of bodies are counted too. irops
        stops reading the file. The limit is called layers.
        """,
    ),
    Rule(
        "IR123",
        "malformed-rt-info",
        Severity.ERROR,
        "a runtime attribute has a value that OpenVINO cannot read",
        """
        A layout names each axis once, by a letter (NCHW) or in brackets ([batch,...,channels]), with at most
        one ellipsis, and that of an input or result names as many axes as the tensor has.
        old_api_map_element_type is an element type, old_api_map_order a list of axes. OpenVINO refuses a file
        with another value.
        """,
    ),
    Rule(
        "IR124",
        "malformed-mean-values",
        Severity.ERROR,
        "the mean values in <pre-process> do not fit the input",
        """
        <pre-process> in an IR 10 file gives the mean values that are subtracted from an input: one number for
        each channel, or one image for each channel, with as many elements as a channel of the input, in the
        element type of the input. The shape of the input must be static. OpenVINO refuses the file otherwise.
        """,
    ),
    Rule(
        "IR125",
        "malformed-meta-data",
        Severity.ERROR,
        "an element of <meta_data> has no value",
        """
        <meta_data> in an older file says how it was converted. OpenVINO reads it if the file has no
        <rt_info>; each element except <cli_parameters> must have an attribute called value, otherwise
        OpenVINO refuses the file.
        """,
    ),
)
