"""How a process computes: a digest of sums, products and functions of fixed numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256

import numpy as np

from irops.values.element import Array

PRODUCTS = (
    (1, 96, 64),
    (7, 33, 65),
    (17, 768, 96),
    (64, 147, 3136),
    (96, 48, 50),
    (112, 32, 99),
    (448, 32, 99),
    (512, 256, 320),
    (1000, 64, 64),
)
"""Rows, length of sums and columns of products: small and odd sizes, and enough for several threads."""


@dataclass(frozen=True, slots=True)
class Numerics:
    """The version of NumPy, for messages, and a digest of results, which is what must be equal."""

    numpy: str
    digest: str

    def __str__(self) -> str:
        return f"NumPy {self.numpy} with results {self.digest[:8]}"


@cache
def numerics() -> Numerics:
    """How this process computes."""
    random, digest = np.random.default_rng(0), sha256()
    for kind in (np.float32, np.float64):
        for rows, length, columns in PRODUCTS:
            a: Array = random.standard_normal((rows, length)).astype(kind)
            b: Array = random.standard_normal((length, columns)).astype(kind)
            for result in (a @ b, a.sum(axis=-1), np.exp(a), np.tanh(a), np.sin(a), np.log1p(np.abs(a))):
                digest.update(result.tobytes())
    return Numerics(np.__version__, digest.hexdigest())
