"""Mistyped commands, options and choices on the command line are suggested."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Irops = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (("chekc",), "did you mean check?"),
        (("check", "MODEL", "--ouput-format", "json"), "did you mean --output-format?"),
        (("check", "MODEL", "--output-format=jsno"), "did you mean json?"),
        (("check", "MODEL", "--ignore", "dead-lair"), "did you mean dead-layer?"),
        (("check", "MODEL", "--limit", "dpth=3"), "did you mean depth?"),
        (("infer", "MODEL", "--shape", "lenghts:3"), "did you mean 'lengths'?"),
        (("run", "MODEL", "--fill", "zeroes"), "did you mean zeros?"),
        (("run", "MODEL", "--fill", "ones", "--keep", "revresed"), "did you mean 'reversed'?"),
        (("run", "MODEL", "--fill", "ones", "--input", "lenghts=a.npy"), "a.npy does not exist"),
        (("run", "MODEL", "--fill", "ones", "--shape", "lenghts:3"), "did you mean 'lengths'?"),
        (("run", "MODEL", "--fill", "ones", "--backend", "nubma"), "did you mean numba?"),
        (("backends", "--op", "Revers-1"), "did you mean Reverse-1"),
        (("conformance", "--backend", "nunpy"), "did you mean numpy?"),
        (("conformance", "--backend", "numpy", "--op", "ReverseSeqence"), "did you mean ReverseSequence-1"),
        (("explain", "danglin-edge"), "did you mean dangling-edge"),
        (("explain", "ReverseSequense"), "did you mean ReverseSequence-1"),
        (("explain", "onnx:Gathr"), "did you mean onnx:Gather-13"),
        (("where", "softmx"), "did you mean SoftMax-8"),
        (("ops", "--category", "activations"), "did you mean activation?"),
        (("ops", "--dialect", "onx"), "did you mean onnx?"),
        (("translate", "MODEL", "--to", "onxx", "-o", "y.onnx"), "did you mean onnx?"),
        (("new", "MyOp", "--category", "movment"), "did you mean movement?"),
        (("help", "insepct"), "did you mean inspect?"),
    ],
)
def test_a_mistyped_word_is_wrong_usage_with_a_suggestion(
    words: tuple[str, ...], suggestion: str, irops: Irops, reversing: Path
) -> None:
    result = irops(*(reversing if word == "MODEL" else word for word in words))
    assert (result.status, result.out) == (2, "")
    assert suggestion in result.err


def test_help_describes_a_command(irops: Irops) -> None:
    assert irops("help", "check") == irops("check", "--help")
    assert irops("help").out == irops("--help").out
