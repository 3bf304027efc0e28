"""IR0 and IR1: the file as text; elements and attributes, as far as no op need be known to read them."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR001",
        "file-not-found",
        Severity.ERROR,
        "the model file does not exist",
        """
        There is no file of this name. If the folder contains .xml files, the message lists some of them. Of a
        URL, the server says that there is no such file or bucket.

        OpenVINO reports "Unable to read the model", or that it finds no reader for the format, whatever the
        cause.
        """,
    ),
    Rule(
        "IR002",
        "not-a-file",
        Severity.ERROR,
        "the model file is a folder, a pipe or a device",
        """
        A model is read from a regular file only. A pipe or a device may never end, so irops does not open it.
        """,
    ),
    Rule(
        "IR003",
        "unreadable-file",
        Severity.ERROR,
        "the model file cannot be opened",
        """
        The operating system refuses access to the content of the file; the message gives the reason, usually
        a missing permission. Of a URL, the server refuses access or cannot be reached, or fsspec or the
        package for the protocol is missing.
        """,
    ),
    Rule(
        "IR004",
        "empty-file",
        Severity.ERROR,
        "the model file is empty",
        """
        The file has no bytes, or only whitespace. A copy or an export was probably interrupted: fetch or
        export the model again.

        OpenVINO reports "Unable to read the model", or that it finds no reader for the format, whatever the
        cause.
        """,
    ),
    Rule(
        "IR005",
        "not-xml",
        Severity.ERROR,
        "the model file is not text",
        """
        The .xml file of an IR is XML text. This file starts with bytes that no text contains; if they
        identify the format (an archive, for example), the message names it.

        OpenVINO reports "Unable to read the model", or that it finds no reader for the format, whatever the
        cause.
        """,
    ),
    Rule(
        "IR006",
        "swapped-files",
        Severity.ERROR,
        "the weights were passed as the model",
        """
        An IR consists of two files: the .xml file with the graph and the .bin file with the weights. The file
        that was passed as the model contains weights. Pass the .xml file; irops finds the .bin file beside it
        by its name.

        OpenVINO reports "Unable to read the model", or that it finds no reader for the format, whatever the
        cause.
        """,
    ),
    Rule(
        "IR008",
        "malformed-xml",
        Severity.ERROR,
        "the text is not well-formed XML",
        """
        The text breaks a rule of XML itself, so its structure is undefined: a start tag and an end tag that
        do not match, a bare & or < in a value, an attribute that is repeated or has no quotes, or content
        before or after the root element. The location is where the parser stopped; the cause may lie a little
        before it.

        OpenVINO's parser is lenient: it accepts a bare &, uses the first of two attributes of the same name,
        and ignores what follows the root element. Other tools read such a file differently, or not at all.
        """,
    ),
    Rule(
        "IR009",
        "truncated-file",
        Severity.ERROR,
        "the file ends inside an element",
        """
        The text ends while some elements are still open. The file was cut off while it was copied, downloaded
        or written. Its .bin file may be cut off too. Fetch or export both again.
        """,
    ),
    Rule(
        "IR010",
        "document-type",
        Severity.ERROR,
        "the file has a document type declaration",
        """
        A document type declaration (<!DOCTYPE …>) can add attributes that the file does not show, and text of
        any length or from any other file. An IR needs none. irops uses nothing that it declares and opens no
        file that it names; the rest of the file is read as if the declaration were absent.

        OpenVINO ignores the declaration too, so OpenVINO and a parser that applies it would read two
        different models.
        """,
    ),
    Rule(
        "IR011",
        "unknown-encoding",
        Severity.ERROR,
        "the text encoding is not supported",
        """
        The XML declaration names an encoding other than UTF-8, UTF-16, ISO-8859 and Windows-125x. OpenVINO
        writes UTF-8 and reads UTF-8 and UTF-16. Save the file as UTF-8.
        """,
    ),
    Rule(
        "IR012",
        "invalid-encoding",
        Severity.ERROR,
        "the bytes are not valid in the declared encoding",
        """
        Some bytes do not encode a character: the file is damaged, or was saved in another encoding than it
        declares; without a declaration the encoding is UTF-8. Overlong UTF-8 sequences are rejected as well,
        because they have been used to hide characters from checks.

        OpenVINO does not validate the encoding, and copies the bytes unchanged into names.
        """,
    ),
    Rule(
        "IR013",
        "wrong-root",
        Severity.ERROR,
        "the root element is not <net>",
        """
        The root element of an IR file is <net>, without a namespace. This is another kind of XML file, or the
        name of the element was changed.

        OpenVINO compares the name without regard to case, so it also reads <NET>; no tool writes such files.
        """,
    ),
    Rule(
        "IR014",
        "old-ir-version",
        Severity.ERROR,
        "the IR version is older than 10",
        """
        IR 10 was introduced with OpenVINO 2020.1. In older files layers have no opset and other attributes,
        and weights are stored in <weights> and <biases> elements; OpenVINO no longer reads them since 2021.
        Export the model again from its original framework, or convert it with an OpenVINO release of that
        time.
        """,
    ),
    Rule(
        "IR015",
        "unsupported-ir-version",
        Severity.ERROR,
        "the IR version is not 10 or 11",
        """
        The version attribute of <net> determines how the rest is read. It must be the integer 10 or 11. IR 11
        (OpenVINO 2022.1 and newer) keeps the element types of inputs and outputs as written; IR 10 does not,
        and has no tensor names on Results.

        For any other value, including "11.0", OpenVINO reports "Unable to read the model". irops checks the
        rest of the file as IR 11.
        """,
    ),
    Rule(
        "IR016",
        "nesting-too-deep",
        Severity.ERROR,
        "elements are nested too deeply",
        """
        Elements may be nested 180 deep, enough for about sixty nested bodies of If, Loop or TensorIterator. A
        deeper file was built to exhaust the stack of its reader. The limit is called depth.
        """,
    ),
    Rule(
        "IR017",
        "unbound-prefix",
        Severity.ERROR,
        "a prefix is not bound to a namespace",
        """
        A name with a colon has a prefix, and an xmlns:… attribute must bind that prefix to a namespace. This
        one is not bound, so namespace-aware parsers reject the file. OpenVINO treats the whole text as an
        unknown name and ignores it.
        """,
    ),
    Rule(
        "IR018",
        "oversized-file",
        Severity.ERROR,
        "the model file is larger than the limit allows",
        """
        The .xml file of a network with 30,000 layers has about 50 MB: it contains the graph, and no weights.
        A file many times that size was built to exhaust the memory of its reader, or is not a model. It is
        not read. The limit is called xml_bytes.
        """,
    ),
    Rule(
        "IR020",
        "unchecked-file",
        Severity.ERROR,
        "irops could not check the file",
        """
        The process that checked the file died, or irops raised an internal error. The file was not checked;
        the other files are still checked, and the command exits with status 2. This is a bug in irops: please
        report it with the file.
        """,
    ),
    Rule(
        "IR021",
        "unwritten-fixes",
        Severity.ERROR,
        "fixes could not be written",
        """
        --fix writes the new text beside the file and then replaces the file, so a failure leaves the file
        unchanged: the folder is not writable, the disk is full, or another program changed the file while it
        was checked.
        """,
    ),
    Rule(
        "IR019",
        "checking-time-limit",
        Severity.ERROR,
        "reading and checking take longer than the limit allows",
        """
        The limit, called seconds, protects against files that take excessive time. The findings up to that
        point are reported; the rest of the file was not checked.
        """,
    ),
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
