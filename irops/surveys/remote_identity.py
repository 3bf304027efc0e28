"""What identifies the content of a model at a URL: what its file system says about the files, where it says
enough, and else their content.
"""

from __future__ import annotations

from hashlib import blake2b

from irops.dialects import dialect_of_suffix
from irops.ir.opening import opened
from irops.ir.remote.files import RemoteError, RemoteFile
from irops.limits import Limits
from irops.surveys.keys import key_of

NAMING = 8 << 20
"""Up to this many bytes a file is read for the names of the files beside it, if it may name any."""
STEP = 4 << 20


def remote_identity(url: str, limits: Limits) -> str:
    """What identifies the content of a model; "" where its file cannot be read."""
    dialect = dialect_of_suffix(url)
    try:
        file = RemoteFile(url, limits)
        names = not dialect.weights_beside and 0 < (file.size or 0) <= NAMING
        content = _content(url, limits) if names or not file.version.is_certain else b""
    except RemoteError:
        return ""
    version = file.version.text if file.version.is_certain else blake2b(content).hexdigest()
    beside = [_version(other, limits) for other in dialect.files_beside(url, content)]
    return key_of(version.encode(), *map(str.encode, beside))


def _version(url: str, limits: Limits) -> str:
    try:
        return RemoteFile(url, limits).version.text
    except RemoteError as error:
        return error.rule


def _content(url: str, limits: Limits) -> bytes:
    """Raises: RemoteError"""
    with opened(url, limits) as (file, _):
        steps = []
        while step := file.read(STEP):
            steps.append(step)
        return b"".join(steps)
