"""Integers as files write them: whole, in ASCII, within range."""

import pytest

from irops.ir.attributes import INT64_MAX, INT64_MIN, integer, prefix_note


@pytest.mark.parametrize(
    ("text", "value", "plain"),
    [
        ("0", 0, True),
        ("7", 7, True),
        ("-7", -7, True),
        ("10", 10, True),
        ("9" * 24, 10**24 - 1, True),
        ("-" + "9" * 23, -(10**23 - 1), True),
        ("-0", 0, False),
        ("00", 0, False),
        ("-07", -7, False),
        *((text, 7, False) for text in ("07", "+7", " 7", "7\n", "\t\r\n 7")),
        (" " + "9" * 24, 10**24 - 1, False),
        *((text, None, False) for text in ("9" * 25, " " + "9" * 25, "", " ", "-", "+", "7 7", "7a")),
        *((text, None, False) for text in ("7.0", "1_0", "\u0661", "\u00a07")),
    ],
)
def test_a_text_is_an_integer_as_a_whole_and_plain_or_not(text, value, plain):
    assert integer(text) == (value, plain)


def test_the_bounds_are_those_of_64_bits():
    assert (INT64_MIN, INT64_MAX) == (-9223372036854775808, 9223372036854775807)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4abc", 4),
        (" 4abc", 4),
        ("-4.5", -4),
        ("+4 x", 4),
        ("9223372036854775807x", INT64_MAX),
        ("-9223372036854775808x", INT64_MIN),
        ("4", None),
        ("4 ", None),
        ("4\n\t", None),
        ("abc", None),
        ("", None),
        ("9223372036854775808x", None),
        ("-9223372036854775809x", None),
        ("0" * 24 + "x", 0),
        ("0" * 25 + "x", None),
    ],
)
def test_what_openvino_reads_of_more_than_a_number_is_its_prefix(text, number):
    assert prefix_note(text) == (() if number is None else (f"OpenVINO silently reads it as {number}",))
