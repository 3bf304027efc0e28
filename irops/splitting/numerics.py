"""How a process computes: a digest of sums, products and functions of fixed numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

import numpy as np

from irops import __version__

PRODUCTS = ((1, 96, 64), (7, 33, 65), (64, 100, 128), (384, 256, 320))
"""Rows, length of sums and columns of matrix products: few rows, odd sizes, enough for several threads."""


@dataclass(frozen=True, slots=True)
class Numerics:
    """Versions, for messages, and a digest of results, which is what must be equal."""

    irops: str
    numpy: str
    digest: str

    def __str__(self) -> str:
        return f"irops {self.irops}, NumPy {self.numpy}, results {self.digest[:8]}"


@cache
def numerics() -> Numerics:
    """How this process computes."""
    random, digest = np.random.default_rng(0), sha256()
    for kind in (np.float32, np.float64):
        for rows, length, columns in PRODUCTS:
            a = random.standard_normal((rows, length)).astype(kind)
            b = random.standard_normal((length, columns)).astype(kind)
            for result in (a @ b, a.sum(axis=-1), np.exp(a), np.tanh(a), np.sin(a), np.log1p(np.abs(a))):
                digest.update(result.tobytes())
    return Numerics(__version__, np.__version__, digest.hexdigest())
