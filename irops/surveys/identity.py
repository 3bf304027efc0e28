"""The identity of the content of a model: digests of its files, or what the file system of a URL says."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b

from irops.dialects import dialect_of_suffix
from irops.files.limits import Limits
from irops.files.storage import open_regular
from irops.files.urls import Place, StrPath
from irops.ir.opening import opened
from irops.ir.remote import RemoteError, RemoteFile


def key_of(*parts: bytes) -> str:
    """The digest of some parts: another one for any change of any of them."""
    digest = blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))  # else "ab", "c" would be "a", "bc"
        digest.update(part)
    return digest.hexdigest()


NAMING = 8 << 20
"""Up to this many bytes a file is read for the names of the files beside it, if it may name any."""


def _remote_identity(place: Place, limits: Limits) -> str:
    """The identity of the content of a model; "" where its file cannot be read."""
    dialect = dialect_of_suffix(place)
    try:
        file = RemoteFile(place, limits)
        names = not dialect.weights_beside and 0 < (file.size or 0) <= NAMING
        content = b""
        if names:
            with opened(place, limits) as (model, _):
                content = model.read(NAMING)
    except RemoteError:
        return ""
    beside = [_version(other, limits) for other in dialect.files_beside(place, content)]
    return key_of(file.version.encode(), *map(str.encode, beside))


def _version(place: Place, limits: Limits) -> str:
    try:
        return RemoteFile(place, limits).version
    except RemoteError as error:
        return error.rule


WHOLE = 64 << 20
"""Up to this many bytes the content of weights counts; of larger ones, size and time of modification."""
AT_ONCE = 16
"""So many models are read at a time: the answers of servers take a while."""
CHUNK = 4 << 20
OVERLAP = 1 << 13
"""How many bytes of a chunk the next one repeats, so that names across its end are seen."""
State = tuple[int, ...] | None
"""Size, times and number of a file; None where there is none."""


class Identities:
    """The identities of models, as their files are when this object is made."""

    def __init__(self, paths: Sequence[str], limits: Limits) -> None:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            found = threads.map(lambda path: _identity(Place.of(path), limits), paths)
            self._found = dict(zip(paths, found))

    def of(self, path: str) -> str:
        """The identity of the content of a model; "" where its file cannot be read."""
        return self._found[path][0]

    def is_unchanged(self, path: str) -> bool:
        """Whether the files of a model are still those that were read; of one at a URL, the next survey sees
        a change.
        """
        identity, states = self._found[path]
        return bool(identity) and all(_state(one) == state for one, state in states.items())


def _identity(place: Place, limits: Limits) -> tuple[str, dict[Place, State]]:
    """The identity of the content of a model, and the states of its local files."""
    if place.is_remote:
        return _remote_identity(place, limits), {}
    try:
        digest, beside = _digest(place, is_model=True)
        states = {file: _state(file) for file in (place, *beside)}
        others = [_digest_beside(file, states[file]) for file in beside]
    except (OSError, ValueError):
        return "", {}
    return key_of(digest.encode(), *map(str.encode, others)), states


def _digest_beside(path: StrPath, state: State) -> str:
    if state is None:
        return "absent"
    return _digest(path)[0] if state[0] <= WHOLE else f"{state[0]} {state[1]}"


def _state(path: StrPath) -> State:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _digest(path: StrPath, *, is_model: bool = False) -> tuple[str, tuple[Place, ...]]:
    """The digest of a file, and the files beside it that it names as a model. Raises: OSError"""
    digest = blake2b(digest_size=32)
    dialect, beside = dialect_of_suffix(path), dict[Place, None]()
    with open_regular(path) as file:
        step, end = min(os.fstat(file.fileno()).st_size + 1, CHUNK), b""
        while chunk := file.read(step):
            digest.update(chunk)
            if is_model:
                beside.update(dict.fromkeys(dialect.files_beside(path, end + chunk)))
                end = chunk[-OVERLAP:]
    return digest.hexdigest(), tuple(beside)
