"""Text of any length, on one bounded line."""

from __future__ import annotations

from irops.diagnostics.printable import shortened


def test_text_up_to_the_width_is_unchanged():
    assert shortened("a" * 60) == "a" * 60
    assert shortened("abc", 3) == "abc"


def test_longer_text_is_cut_to_the_width_with_an_ellipsis():
    assert shortened("a" * 61) == "a" * 59 + "…"
    assert shortened("abcd", 3) == "ab…"
