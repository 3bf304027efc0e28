"""Files that stay open between reads."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import BinaryIO, Self


class OpenFiles:
    """Files of weights that stay open between reads within a block, which belongs to one thread."""

    def __init__(self) -> None:
        self._files: dict[Hashable, BinaryIO] | None = None

    def __enter__(self) -> Self:
        self._files = {}
        return self

    def __exit__(self, *_: object) -> None:
        files, self._files = self._files or {}, None
        for file in files.values():
            file.close()

    def of(self, owner: Hashable, opened: Callable[[], BinaryIO]) -> BinaryIO | None:
        """The file of an owner, opened when it is first needed; None outside the block."""
        if self._files is None:
            return None
        file = self._files.get(owner)
        if file is None:
            file = self._files[owner] = opened()
        return file
