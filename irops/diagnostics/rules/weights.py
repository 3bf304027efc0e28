"""IR5: constants and the weights that they lie in."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR501",
        "missing-weights",
        Severity.ERROR,
        "the model has constants, and there are no weights",
        """The values of Const layers are not in the .xml file but in a .bin file, by default the one of the
        same name in the same
folder. It is not there, or it is empty. This is told once for the model, at the first constant that needs it.

OpenVINO says "Empty weights data in bin file or bin file cannot be found!", and only if a constant leads to a
Result.

Put the .bin file beside the .xml file, or name it when the model is read. Both come from one export: a .bin
of another export has other bytes, even if it has the same length.""",
    ),
    Rule(
        "IR502",
        "constant-outside-weights",
        Severity.ERROR,
        "the bytes of a constant are not in the weights",
        """offset and size of a Const say which bytes of the .bin file are its value. They end behind the end
        of the file, or
overflow 64 bits.

Mostly the .bin file was cut off while it was copied, or it belongs to another export of the model: compare
its length with what the message says is needed. If one constant alone is told, its offset or size was changed
by hand.

OpenVINO says "Incorrect weights in bin file!", without naming the layer.""",
    ),
    Rule(
        "IR503",
        "wrong-constant-size",
        Severity.ERROR,
        "the size of a constant is not what its type and shape take",
        """A tensor takes a number of bytes that follows from its element type and shape. Types of less than 8
        bits share bytes:
two i4 or u4 lie in one byte, eight u3 in three bytes, four u6 in three; a last group that is not full takes
whole bytes for i4, u4, u2 and u1, a whole group for u3 and u6. size must be this number. Of an empty tensor
it may be
anything: OpenVINO itself writes 1.

OpenVINO refuses a size that is too small ("Attribute and shape size are inconsistent for Const op!"), but
computes the need of u3 and u6 too low and then reads beyond the bytes. It accepts a size that is too large,
and drops the
rest, although such a file says two things about the constant.""",
    ),
    Rule(
        "IR504",
        "missing-constant-attribute",
        Severity.ERROR,
        "a constant does not say where or what it is",
        """The <data> of a Const must have element_type, shape, offset and size.

OpenVINO refuses a file that lacks one of them, if the constant leads to a Result.""",
    ),
    Rule(
        "IR505",
        "malformed-constant-attribute",
        Severity.ERROR,
        "an attribute of a constant cannot be read",
        """element_type is a type that a tensor can have (f32, i64, boolean, string …); shape is a list of
        sizes, separated by
commas, empty for a scalar; offset and size are decimal integers from 0 to 2^63-1.

OpenVINO refuses what it cannot read, an element type in capitals too, but reads sizes by prefix: "4abc" in
shape is 4 to it, without a word.""",
    ),
    Rule(
        "IR506",
        "dynamic-constant",
        Severity.ERROR,
        "the shape of a constant is not static",
        """A constant is a tensor that is there: each of its sizes is known. "?", -1 and intervals such as
        1..3 are for the shape of
a Parameter.

OpenVINO refuses the file, since no number of bytes fits such a shape.""",
    ),
    Rule(
        "IR507",
        "corrupt-strings",
        Severity.ERROR,
        "the strings of a constant cannot be told apart",
        """The bytes of a string constant start with a table of 32-bit integers, little endian: the number of
        strings, where the
first begins, and where each ends, counted in bytes from the end of the table. The UTF-8 characters follow.
The ends must not decrease nor lie behind the last byte, and there must be as many as the shape has elements.

OpenVINO checks the ends, but not the number: it drops strings that are too many and fills up with empty
ones.""",
    ),
    Rule(
        "IR508",
        "oversized-constant",
        Severity.ERROR,
        "a constant takes more bytes than 64 bits can count",
        """The product of the sizes in the shape of a Const, times the size of an element, is more than
        2^63-1. No file holds it.

OpenVINO computes this product modulo 2^64, so that it may find such a shape to take no bytes at all, accept
the file, and read far beyond its weights when the tensor is used.""",
    ),
    Rule(
        "IR509",
        "inline-constant",
        Severity.ERROR,
        "a constant has its value in an attribute",
        """The <data> of a Const has an attribute value, and no offset and size. OpenVINO takes the characters
        of the text for the
bytes of the tensor without comparing their number to what the shape takes, and reads what lies behind them in
memory.

Put the value into the .bin file, with offset and size in <data>.""",
    ),
    Rule(
        "IR510",
        "changed-weights",
        Severity.ERROR,
        "the weights were replaced after the model was read",
        """The .bin file is opened when its bytes are first needed. By then it was no longer the file that was
        there when the model
was read: its length, its time or its place on the disk differ. offset and size of the constants may mean
nothing in it.

Read the model again. OpenVINO opens the file when it reads the model, and maps it; what it sees after a
change is not defined.""",
    ),
)
