"""Opens the files of models and of their weights, local or remote. All that reads models opens them here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from irops.files.limits import Limits
from irops.files.urls import Address
from irops.ir.regular import open_regular
from irops.ir.storage import Weights


class Readable(Protocol):
    """An open file."""

    def read(self, size: int, /) -> bytes: ...


@contextmanager
def opened(place: Address, limits: Limits) -> Iterator[tuple[Readable, int]]:
    """A file of a model, open for reading from the start, and its size; 0 if a server does not say it.

    Raises:  NotRegular; RemoteError; OSError; ValueError for a path that no system accepts
    """
    if place.is_remote:
        from irops.ir.remote.content import RemoteContent  # most files are local

        content = RemoteContent(place.text, limits)
        yield content, content.size
        return
    with open_regular(place.text) as file:
        yield file, os.fstat(file.fileno()).st_size


def weights_at(place: Address, limits: Limits) -> Weights:
    """The weights in a file, which need not exist; their fault is then set."""
    if place.is_remote:
        from irops.ir.remote.weights import RemoteWeights  # most files are local

        return RemoteWeights(place.text, limits)
    return Weights.of_file(place.text)


def models_at(url: str, suffixes: Sequence[str], limits: Limits | None = None) -> tuple[Sequence[str], int]:
    """The URLs of the models that a URL names, sorted, and the number of .xml files that are not models.

    The URL of a model (its suffix is one of suffixes), of a folder, or a pattern: s3://bucket/zoo/**/*.xml.
    Raises:  RemoteError if there is no such folder, or it cannot be listed
    """
    from irops.ir.remote.listing import remote_models  # most files are local

    return remote_models(url, suffixes, limits)
