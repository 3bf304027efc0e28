"""IR0: the file as text."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

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
        "IR022",
        "interrupted-write",
        Severity.ERROR,
        "the .xml and .bin files are of two different models",
        """
        irops replaces a model by first writing both new files under other names, then renaming the .bin file,
        then the .xml file. The process that did this was killed between the two renames: the .bin file is
        that of the new model, the .xml file that of the old one, and the new .xml file is still under its
        other name. Rename it, as the note says, to have the new model, or write the model again. OpenVINO
        does not notice; it reads wrong weights.
        """,
    ),
)
