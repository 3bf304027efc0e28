"""Digests that stand for all that something depends on."""

from __future__ import annotations

from hashlib import blake2b


def key_of(*parts: bytes) -> str:
    """The digest of some parts: another one for any change of any of them."""
    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()
