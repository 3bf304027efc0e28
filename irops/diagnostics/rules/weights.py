"""IR5: constants and the weights that store them."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR501",
        "missing-weights",
        Severity.ERROR,
        "the model has constants, but no weights",
        """
        The values of Const layers are not in the .xml file but in a .bin file, by default the one of the same
        name in the same folder. That file does not exist or is empty. This is reported once per model, at the
        first constant that needs it.

        OpenVINO reports "Empty weights data in bin file or bin file cannot be found!", and only if a constant
        leads to a Result.

        Put the .bin file beside the .xml file, or pass its path when reading the model. Both must come from
        one export: the .bin file of another export has different bytes, even if it has the same length.
        """,
    ),
    Rule(
        "IR502",
        "constant-outside-weights",
        Severity.ERROR,
        "the bytes of a constant lie outside the weights",
        """
        offset and size of a Const give the bytes of the .bin file that store its value. They extend beyond
        the end of the file, or overflow 64 bits.

        Usually the .bin file was cut off while it was copied, or belongs to another export of the model:
        compare its length with the number of bytes in the message. If only one constant is reported, its
        offset or size was changed by hand.

        OpenVINO reports "Incorrect weights in bin file!", without naming the layer.
        """,
    ),
    Rule(
        "IR503",
        "wrong-constant-size",
        Severity.ERROR,
        "the size of a constant does not match its type and shape",
        """
        The number of bytes of a tensor follows from its element type and shape. Types of less than 8 bits
        share bytes: one byte stores two i4 or u4, three bytes store eight u3 or four u6; an incomplete last
        group takes whole bytes for i4, u4, u2 and u1, and a whole group for u3 and u6. size must be this
        number. For an empty tensor any size is accepted: OpenVINO itself writes 1.

        OpenVINO refuses a size that is too small ("Attribute and shape size are inconsistent for Const op!"),
        but computes too small a number for u3 and u6 and then reads beyond the bytes. It accepts a size that
        is too large and drops the rest, although such a file contradicts itself.
        """,
    ),
    Rule(
        "IR504",
        "missing-constant-attribute",
        Severity.ERROR,
        "a constant lacks one of element_type, shape, offset and size",
        """
        The <data> of a Const must have element_type, shape, offset and size.

        OpenVINO refuses a file that lacks one of them, if the constant leads to a Result.
        """,
    ),
    Rule(
        "IR505",
        "malformed-constant-attribute",
        Severity.ERROR,
        "an attribute of a constant is malformed",
        """
        element_type is an element type that a tensor can have (f32, i64, boolean, string …); shape is a list
        of sizes, separated by commas, empty for a scalar; offset and size are decimal integers from 0 to
        2^63-1.

        OpenVINO refuses malformed values, including an element type in capitals, but silently reads a prefix
        of sizes: it reads "4abc" in shape as 4.
        """,
    ),
    Rule(
        "IR506",
        "dynamic-constant",
        Severity.ERROR,
        "the shape of a constant is not static",
        """
        All sizes of a constant must be known. "?", -1 and intervals such as 1..3 are for the shape of a
        Parameter.

        OpenVINO refuses the file, since no number of bytes matches such a shape.
        """,
    ),
    Rule(
        "IR507",
        "corrupt-strings",
        Severity.ERROR,
        "the strings of a constant are corrupt",
        """
        The bytes of a string constant start with a table of 32-bit little-endian integers: the number of
        strings, the start of the first string, and the end of each, counted in bytes from the end of the
        table. The UTF-8 characters follow. The ends must not decrease or exceed the last byte, the number
        of strings must equal the number of elements of the shape, and each string must be valid UTF-8.

        OpenVINO checks the ends, but neither the number, where it drops surplus strings and adds empty ones
        for those that are missing, nor the characters.
        """,
    ),
    Rule(
        "IR508",
        "oversized-constant",
        Severity.ERROR,
        "the number of bytes of a constant exceeds 64 bits",
        """
        The product of the sizes in the shape of a Const and the size of an element exceeds 2^63-1. No file
        can store it.

        OpenVINO computes this product modulo 2^64, so it may compute 0 bytes for such a shape, accept the
        file, and read far beyond the weights when the tensor is used.
        """,
    ),
    Rule(
        "IR509",
        "inline-constant",
        Severity.ERROR,
        "a constant has its value in an attribute",
        """
        The <data> of a Const has an attribute value, but no offset and size. OpenVINO uses the characters of
        the text as the bytes of the tensor without comparing their number with the shape, and reads the
        memory that follows them.

        Put the value into the .bin file, with offset and size in <data>.
        """,
    ),
    Rule(
        "IR510",
        "changed-weights",
        Severity.ERROR,
        "the weights were replaced after the model was read",
        """
        irops opens the .bin file when its bytes are first needed. By then it was no longer the file that
        existed when the model was read: its length, its time or its position on the disk differs. offset and
        size of the constants may no longer apply. The message also says so if the file cannot be opened by
        then, or if the server of a remote file does not send its bytes.

        Read the model again. OpenVINO opens and maps the file when it reads the model; its behaviour after a
        change is undefined.
        """,
    ),
)
