"""No step of checking costs more than in proportion to the size of the file.

Work is counted, not timed: the bytecodes that run, and the bytes of the text that are looked at. The files
grow fourfold; the work may grow a little more, for sorting and for what is done once.
"""

import pytest
from bytecodes import bytecodes
from hostile_models import GROWING

import irops
from irops.ir.locate import SourceText

SIZE, FACTOR = 200, 4
TOLERANCE = 1.35
"""By how much the work may grow beyond the factor; with quadratic work it would grow 4 times as much."""


class CountedBytes(bytes):
    """The text of a file that counts the bytes that are sliced off or searched."""

    looked_at = 0

    def __getitem__(self, key):
        part = super().__getitem__(key)
        CountedBytes.looked_at += len(part) if isinstance(part, bytes) else 1
        return part

    def rfind(self, *words):
        start, end = words[1] if len(words) > 1 else 0, words[2] if len(words) > 2 else len(self)
        CountedBytes.looked_at += max(end - start, 0)
        return super().rfind(*words)


def work(text, monkeypatch):
    """The number of bytecodes that a check of the text executes, and of bytes that it looks at."""
    plain = SourceText.__init__

    def counting(self, path, data, *, as_stored=True):
        plain(self, path, CountedBytes(data), as_stored=as_stored)

    content, limits = text.encode(), irops.Limits(findings=50)
    with monkeypatch.context() as patch:
        patch.setattr(SourceText, "__init__", counting)
        CountedBytes.looked_at = 0
        executed = bytecodes(lambda: irops.check("m.xml", text=content, limits=limits))
    return executed + CountedBytes.looked_at


@pytest.mark.slow("counts calls in large models")
@pytest.mark.parametrize("name", GROWING)
def test_the_work_grows_as_the_file_does(name, monkeypatch):
    make = GROWING[name]
    irops.check("m.xml", text=make(8).encode())  # loads what the ops need
    small, large = make(SIZE), make(FACTOR * SIZE)
    growth = len(large) / len(small)
    assert work(large, monkeypatch) < TOLERANCE * growth * work(small, monkeypatch)
