"""Why a remote file cannot be read, in a sentence: errors of fsspec and of the libraries behind it."""

from __future__ import annotations

from collections.abc import Iterator

from irops.diagnostics.printable import abridged
from irops.files.urls import scrubbed

MAX_TEXT = 300
"""Characters of a message of another library that are quoted."""
OF_STATUS: dict[object, str] = {
    401: "access is denied, the server asks for credentials (HTTP 401)",
    403: "access is denied (HTTP 403)",
    404: "does not exist (HTTP 404)",
    410: "does not exist any more (HTTP 410)",
    429: "the server refuses further requests for now (HTTP 429)",
}
OF_CODE: dict[object, str] = {
    "NoSuchBucket": "does not exist: there is no such bucket",
    "NoSuchKey": "does not exist",
    "InvalidAccessKeyId": "access is denied: the access key is not valid",
    "SignatureDoesNotMatch": "access is denied: the secret key or the signature is not valid",
    "ExpiredToken": "access is denied: the credentials have expired",
    "AccessDenied": "access is denied",
    "Forbidden": "access is denied",
    "403": "access is denied",
    "404": "does not exist",
}
"""By the error code of an S3 API."""
OF_CLASS: dict[object, str] = {
    "NoCredentialsError": "there are no credentials for it",
    "PartialCredentialsError": "the credentials for it are incomplete",
    "EndpointConnectionError": "the server cannot be reached",
    "ClientConnectorDNSError": "the server cannot be reached: its name cannot be resolved",
    "gaierror": "the server cannot be reached: its name cannot be resolved",
    "ClientConnectorError": "the server cannot be reached",
    "ConnectionRefusedError": "the server cannot be reached: it refuses the connection",
    "ServerDisconnectedError": "the server closed the connection",
    "ClientPayloadError": "the server closed the connection before all bytes were sent",
    "IncompleteRead": "the server closed the connection before all bytes were sent",
    "BadZipFile": "the archive is not a valid zip file",
}
"""By the class of an error: those of botocore and aiohttp are not imported for that."""
MISSING = "does not exist"
"""How the reasons begin that say that there is no such file."""


class RemoteError(OSError):
    """A remote file cannot be read. strerror: the reason, without credentials; rule: that of the finding."""

    def __init__(self, reason: str, rule: str = "") -> None:
        super().__init__(None, reason)
        self.rule = rule or ("file-not-found" if reason.startswith(MISSING) else "unreadable-file")

    def __str__(self) -> str:
        return str(self.strerror)

    @property
    def sentence(self) -> str:
        """What to write behind the name of the file: does not exist; cannot be read: access is denied."""
        return f"cannot be read: {self}" if self.rule == "unreadable-file" else str(self)


def remote_error(error: BaseException) -> RemoteError:
    """The error that says why a file system failed."""
    if isinstance(error, RemoteError):
        return error
    chain = list(_chain(error))
    for one in chain:
        if isinstance(one, RemoteError):
            return one
    for table, key in ((OF_CODE, _code), (OF_STATUS, _status), (OF_CLASS, _class)):
        for one in chain:
            reason = table.get(key(one))
            if reason is not None:
                return RemoteError(reason)
    status = next((_status(one) for one in chain if isinstance(_status(one), int)), None)
    if status is not None:
        return RemoteError(f"the server answers HTTP {status}")
    if any(isinstance(one, TimeoutError) for one in chain):
        return RemoteError("the server did not answer in time")
    for one in chain:
        if isinstance(one, FileNotFoundError) and one.__cause__ is not None and one is error:
            return _unreached(one.__cause__)
        if isinstance(one, FileNotFoundError):
            return RemoteError(MISSING)
        if isinstance(one, PermissionError):
            return RemoteError("access is denied")
    return RemoteError(_text(error))


def _unreached(cause: BaseException) -> RemoteError:
    """The error of a web server that gave no status: fsspec says then that there is no such file."""
    if isinstance(cause, FileNotFoundError) or _code(cause) is not None:
        return RemoteError(MISSING)
    return RemoteError(f"the server cannot be reached: {_text(cause)}")


def _text(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return abridged(scrubbed(" ".join(str(text).split())), MAX_TEXT)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and those that led to it."""
    passed: set[int] = set()
    while error is not None and id(error) not in passed:
        passed.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> object:
    return getattr(error, "status", None)


def _code(error: BaseException) -> object:
    response = getattr(error, "response", None)
    return response.get("Error", {}).get("Code") if isinstance(response, dict) else None


def _class(error: BaseException) -> object:
    return type(error).__name__
