"""The identity of the content of a model: digests of its files, or what the file system of a URL says.

A digest is computed once for each state of a file: its size, times and number. That of a file which changed a
moment ago is not kept, since a further change might not show in its times.
"""

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from irops.dialects import dialect_of_suffix
from irops.files.limits import Limits
from irops.files.storage import open_regular
from irops.ir.opening import opened
from irops.ir.remote import RemoteError, RemoteFile


def key_of(*parts: bytes) -> str:
    """The digest of some parts: another one for any change of any of them."""
    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


NAMING = 8 << 20
"""Up to this many bytes a file is read for the names of the files beside it, if it may name any."""
STEP = 4 << 20


def remote_identity(url: str, limits: Limits) -> str:
    """The identity of the content of a model; "" where its file cannot be read."""
    dialect = dialect_of_suffix(url)
    try:
        file = RemoteFile(url, limits)
        names = not dialect.weights_beside and 0 < (file.size or 0) <= NAMING
        content = _content(url, limits) if names else b""
    except RemoteError:
        return ""
    beside = [_version(other, limits) for other in dialect.files_beside(url, content)]
    return key_of(file.version.encode(), *map(str.encode, beside))


def _version(url: str, limits: Limits) -> str:
    try:
        return RemoteFile(url, limits).version
    except RemoteError as error:
        return error.rule


def _content(url: str, limits: Limits) -> bytes:
    """Raises: RemoteError"""
    with opened(url, limits) as (file, _):
        steps = []
        while step := file.read(STEP):
            steps.append(step)
        return b"".join(steps)


WHOLE = 64 << 20
"""Up to this many bytes the content of weights counts; of larger ones, size and time of modification."""
AT_ONCE = 16
"""Of so many models at URLs the identities are asked for at a time."""
CHUNK = 4 << 20
OVERLAP = 1 << 13
"""How many bytes of a chunk the next one repeats, so that names across its end are seen."""
COARSE, FINE = 2.5, 0.1
"""Seconds within which two changes of a file may have the same time: where the file system counts in
seconds, and where it counts in ticks.
"""


@dataclass(frozen=True, slots=True)
class Digest:
    """The digest of a file in some state, and the names of the files beside it."""

    state: tuple[int, ...]
    digest: str
    beside: tuple[str, ...] = ()


class Identities:
    """The identities of models. kept: what an earlier survey kept, as to_json gives it."""

    def __init__(self, kept: Mapping[str, Any] | None = None) -> None:
        self._digests: dict[str, Digest] = {}
        for path, entry in (kept or {}).items():  # what is damaged is read again
            match entry:
                case [[*state], str(digest), [*beside]] if digest.isascii():
                    if all(isinstance(one, int) for one in state) and all(
                        isinstance(one, str) for one in beside
                    ):
                        self._digests[path] = Digest(tuple(state), digest, tuple(beside))
        self._states: dict[str, tuple[tuple[int, ...] | None, ...]] = {}
        self._used: dict[str, Digest] = {}
        self._remote: dict[str, str] = {}

    def ask_for(self, urls: Sequence[str], limits: Limits) -> None:
        """Ask for the identities of models at URLs, many at a time: each answer takes a while."""
        with ThreadPoolExecutor(max(min(len(urls), AT_ONCE), 1)) as threads:
            self._remote.update(zip(urls, threads.map(lambda url: remote_identity(url, limits), urls)))

    def of(self, path: str) -> str:
        """The identity of the content of a model; "" where its file cannot be read."""
        if path in self._remote:
            return self._remote[path]
        try:
            main = self._digest(path, main=True)
            others = [self._digest_beside(name) for name in main.beside]
        except (OSError, ValueError):
            return ""
        self._states[path] = self._current(path)
        return key_of(main.digest.encode(), *map(str.encode, others))

    def is_unchanged(self, path: str) -> bool:
        """Whether the files of a model are still those whose content `of` read last."""
        if path in self._remote:  # a change is seen by the next survey
            return bool(self._remote[path])
        return path in self._states and self._states[path] == self._current(path)

    def to_json(self) -> dict[str, Any]:
        """The digests of the models that were asked for, for the next survey."""
        lasting = {path: one for path, one in self._used.items() if not _is_recent(max(one.state[1:3]))}
        return {path: [one.state, one.digest, one.beside] for path, one in lasting.items()}

    def _digest_beside(self, path: str) -> str:
        state = _state(path)
        if state is None:
            return "absent"
        return self._digest(path).digest if state[0] <= WHOLE else f"{state[0]} {state[1]}"

    def _digest(self, path: str, main: bool = False) -> Digest:
        state = _state(path)
        kept = self._digests.get(path)
        if state is None or kept is None or kept.state != state:
            kept = self._digests[path] = _read(path, main)
        self._used[path] = kept
        return kept

    def _current(self, path: str) -> tuple[tuple[int, ...] | None, ...]:
        beside = self._used[path].beside if path in self._used else ()
        return tuple(_state(one) for one in (path, *beside))


def _is_recent(modified: int) -> bool:
    """Whether a file changed, at a time in ns, so recently that another change may not show in the time."""
    tick = FINE if modified % 1_000_000_000 else COARSE
    return time.time() - modified / 1e9 < tick


def _state(path: str) -> tuple[int, ...] | None:
    """Size, times and number of a file; None where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _read(path: str, main: bool) -> Digest:
    """Raises: OSError"""
    digest = blake2b(digest_size=32)
    dialect, beside = dialect_of_suffix(path), dict[str, None]()
    with open_regular(path) as file:
        status = os.fstat(file.fileno())
        step, end = min(status.st_size + 1, CHUNK), b""
        while chunk := file.read(step):
            digest.update(chunk)
            if main:
                beside.update(dict.fromkeys(dialect.files_beside(path, end + chunk)))
                end = chunk[-OVERLAP:]
    state = status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
    return Digest(state, digest.hexdigest(), tuple(beside))
