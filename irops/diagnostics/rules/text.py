"""IR0: the file as a text."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

_UNABLE = (
    'OpenVINO says "Unable to read the model", or that it finds no reader for the format, whatever the cause.'
)

RULES: tuple[Rule, ...] = (
    Rule(
        "IR001",
        "file-not-found",
        Severity.ERROR,
        "the model file does not exist",
        f"""There is no file of this name. The .xml files that lie in the same folder are named, if there are
        any.

{_UNABLE}""",
    ),
    Rule(
        "IR002",
        "not-a-file",
        Severity.ERROR,
        "the model file is a folder, a pipe or a device",
        """A model is read from a regular file. A pipe or a device may never end, and is not opened.""",
    ),
    Rule(
        "IR003",
        "unreadable-file",
        Severity.ERROR,
        "the model file cannot be opened",
        """The operating system refuses to give the file's content; the message says why, most often a
        permission.""",
    ),
    Rule(
        "IR004",
        "empty-file",
        Severity.ERROR,
        "the model file has no content",
        f"""The file has no bytes, or blanks only. A copy or an export was probably interrupted: fetch or
        export the model again.

{_UNABLE}""",
    ),
    Rule(
        "IR005",
        "not-xml",
        Severity.ERROR,
        "the model file is no text",
        f"""The .xml file of an IR is a text in XML. This file starts with bytes that no text has; if they
        tell what the file is (an
archive, say), the message says so.

{_UNABLE}""",
    ),
    Rule(
        "IR006",
        "swapped-files",
        Severity.ERROR,
        "the weights were given as the model",
        f"""An IR is two files: the .xml with the graph, the .bin with the weights. What was given as the
        model holds bytes of
weights. Give the .xml file; the .bin beside it is found by its name.

{_UNABLE}""",
    ),
    Rule(
        "IR008",
        "malformed-xml",
        Severity.ERROR,
        "the text is not well-formed XML",
        """The text breaks a rule of XML itself, so that it cannot be told what it says: a start tag and an
        end tag that do not
match, a bare & or < in a value, an attribute given twice or without quotes, something before or after the
root element. It is told where the parser stopped; the cause may lie a little before.

The parser of OpenVINO is lenient: it accepts a bare &, takes the first of two equal attributes, and ignores
what follows the root element. Other tools read such a file in another way, or not at all.""",
    ),
    Rule(
        "IR009",
        "truncated-file",
        Severity.ERROR,
        "the file ends before its elements do",
        """The text stops in the middle: some elements were started and never ended. The file was cut off
        while it was copied,
downloaded or written. Its .bin file may be cut off too. Fetch or export both again.""",
    ),
    Rule(
        "IR010",
        "document-type",
        Severity.ERROR,
        "the file has a document type declaration",
        """A document type declaration (<!DOCTYPE …>) can give attributes that the file does not show, and
        texts of any length or
from any other file. An IR has no use for one. What it declares is not used and no file that it names is
opened; the rest of the file is read as if it were not there.

OpenVINO ignores the declaration too, so that it and a parser that follows it would read two different
models.""",
    ),
    Rule(
        "IR011",
        "unknown-encoding",
        Severity.ERROR,
        "the text is in an encoding that is not read",
        """The XML declaration names an encoding other than UTF-8, UTF-16, ISO-8859 and Windows-125x. OpenVINO
        writes UTF-8 and
reads UTF-8 and UTF-16. Save the file as UTF-8.""",
    ),
    Rule(
        "IR012",
        "invalid-encoding",
        Severity.ERROR,
        "the bytes are not in the encoding that the text is said to be in",
        """Some bytes mean no character in the text's encoding: the file was damaged, or saved in another
        encoding than its
declaration says; without a declaration it is UTF-8. Overlong forms of UTF-8 are none: they have been used to
hide characters from checks.

OpenVINO does not check, and keeps the bytes as they are in names.""",
    ),
    Rule(
        "IR013",
        "wrong-root",
        Severity.ERROR,
        "the root element is not <net>",
        """The root element of an IR file is <net>, without a namespace. This is another kind of XML file, or
        the element's name was
changed.

OpenVINO compares the name regardless of case, so that it reads <NET>; nothing writes such files.""",
    ),
    Rule(
        "IR014",
        "old-ir-version",
        Severity.ERROR,
        "the IR version is older than 10",
        """IR 10 came with OpenVINO 2020.1. In older files layers have no opset and other attributes, and
        weights lie in <weights>
and <biases> elements; no OpenVINO since 2021 reads them. Export the model anew from the framework that it
came from, or convert it with an OpenVINO of its time.""",
    ),
    Rule(
        "IR015",
        "unsupported-ir-version",
        Severity.ERROR,
        "the IR version is not 10 or 11",
        """The attribute version of <net> says how to read the rest. It must be the integer 10 or 11. IR 11
        (OpenVINO 2022.1 and
newer) keeps the element types of inputs and outputs as they are written; IR 10 does not, and has no tensor
names at Results.

Any other value, "11.0" too, makes OpenVINO say "Unable to read the model". The rest of the file is checked as
IR 11.""",
    ),
    Rule(
        "IR016",
        "nesting-too-deep",
        Severity.ERROR,
        "elements lie too deep within each other",
        """Elements may lie 180 deep within each other, which is enough for some sixty bodies of If, Loop or
        TensorIterator, each
within the last. A deeper file was made to exhaust the stack of whatever reads it. The limit is called
depth.""",
    ),
    Rule(
        "IR017",
        "unbound-prefix",
        Severity.ERROR,
        "a prefix is bound to no namespace",
        """A name with a colon has a prefix, and a prefix means a namespace that an xmlns:… attribute binds to
        it. This one is not
bound, so that parsers that know namespaces refuse the file. OpenVINO takes the whole for a name that it does
not know, and ignores it.""",
    ),
    Rule(
        "IR018",
        "oversized-file",
        Severity.ERROR,
        "the model file is longer than the limit allows",
        """The .xml file of a network with 30,000 layers takes some 50 MB: it holds the graph, and no weights.
        A file that is many
times longer was made to exhaust the memory of whatever reads it, or is something else. It is not read. The
limit is called xml_bytes.""",
    ),
    Rule(
        "IR020",
        "unchecked-file",
        Severity.ERROR,
        "irops could not check the file",
        """The process that checked the file died, or irops failed in it. Nothing is known of the file; the
        others are checked all the
same, and the command ends with the status 2. This is a fault of irops: please report it with the file.""",
    ),
    Rule(
        "IR021",
        "unwritten-fixes",
        Severity.ERROR,
        "what was put right could not be written",
        """--fix writes the new text beside the file and then in its place, so that the file is as it was
        where that fails: the folder
cannot be written to, the disk is full, or the file was changed by someone else while it was checked.""",
    ),
    Rule(
        "IR019",
        "checking-time-limit",
        Severity.ERROR,
        "reading and checking take longer than the limit allows",
        """The limit, called seconds, guards against files that take no end of time. What was found before is
        told; the rest was not
looked at.""",
    ),
)
