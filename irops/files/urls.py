"""Where files lie: local paths and URLs, what lies beside them, and how they are printed.

A URL is what fsspec takes: s3://bucket/model.xml, https://host/model.xml, or a chain such as
zip://model.xml::s3://bucket/models.zip. A URL of the protocol file is a local path in another form.
"""

import os
import posixpath
import re
import sys
from dataclasses import dataclass, replace

StrPath = str | os.PathLike[str]
HIDDEN = "…"
"""The text in place of a part that may contain credentials."""
CHAINED = "::"
_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-_]+::)*([A-Za-z][A-Za-z0-9+.\-]+)://", re.ASCII)
"""A protocol has two letters or more: C:/model.xml and C://model.xml are paths of Windows."""
_LOCAL = re.compile(r"(?:file|local)://", re.IGNORECASE)
_WEB = ("http", "https")
_CONTAINER_AT = frozenset(("abfs", "abfss", "az", "adl", "wasb", "wasbs", "github"))
"""Protocols in which what stands before @ is no user: abfs://container@account.dfs.core.windows.net/."""
_GRANTS = re.compile(
    r"(?i)(x-amz-|x-goog-|(sig|signature|se|st|sp|sv|sr|spr|skoid|sktid|skt|ske|sks|skv|expires|policy|key-pair-id"
    r"|awsaccesskeyid|googleaccessid|token|access_token)=)"
)
"""Parameters of a query that grant access for a while: those of presigned URLs and of shared access."""
_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://[^\s'\"<>()]+")
_SECRET = re.compile(
    r"(?i)\b((?:x-amz-[\w-]+|x-goog-[\w-]+|signature|sig|token|password|secret|authorization|[\w-]*key(?:id)?)"
    r"\s*[=:]\s*)[^\s&'\",;]+"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file lies, made where a path enters: on this machine, or at a URL.

    Functions that open files take it as a path. Its text, which messages have, is without credentials.
    before, after: of a URL the text before its path, and the query with further links of a chain
    """

    path: str
    before: str = ""
    after: str = ""

    @staticmethod
    def of(path: StrPath) -> "Place":
        """The place that a path or a URL names. A URL of the protocol file names a local one."""
        if isinstance(path, Place):
            return path
        text = _local_path(os.fspath(path))
        match = _URL.match(text) if "://" in text else None
        if match is None:
            return Place(text)
        body, separator, chain = text[match.end() :].partition(CHAINED)
        query = _query_at(match[1], body)
        return Place(body[:query], text[: match.end()], f"{body[query:]}{separator}{chain}")

    def __fspath__(self) -> str:
        return f"{self.before}{self.path}{self.after}"

    def __str__(self) -> str:
        return without_credentials(self.__fspath__())

    __repr__ = __str__

    @property
    def is_remote(self) -> bool:
        return bool(self.before)

    @property
    def protocol(self) -> str:
        """The protocol of a URL, of a chain that of its first link with a path; "" of a local path."""
        return self.before.removesuffix("://").rpartition(CHAINED)[2].lower()

    @property
    def name(self) -> str:
        """The name of the file, without folders."""
        return os.path.basename(self.path)

    @property
    def suffix(self) -> str:
        """The suffix of the file name, in lower case."""
        return os.path.splitext(self.path)[1].lower()

    def with_suffix(self, suffix: str) -> "Place":
        """The file of the same name with another suffix. A URL keeps its query, which may grant access."""
        return replace(self, path=f"{os.path.splitext(self.path)[0]}{suffix}")

    def beside(self, location: str) -> "Place":
        """A file in the same folder, by its path relative to that folder."""
        paths = posixpath if self.is_remote else os.path
        return replace(self, path=paths.join(paths.dirname(self.path), location))

    def identity(self) -> str:
        """A text that two spellings of one file have in common: a URL without what only grants access (user,
        password and signatures, in any link). A local link is a file with other files beside it.
        """
        if self.is_remote:
            return CHAINED.join(map(_unsigned, self.__fspath__().split(CHAINED)))
        folder, name = os.path.split(self.path)
        return os.path.join(os.path.realpath(folder), name)


def looks_cut(path: StrPath) -> bool:
    """Whether a text is what pathlib makes of a URL: s3:/bucket/model.xml."""
    return re.match(r"[a-z][a-z0-9+.\-]+:/[^/]", os.fspath(path), re.ASCII) is not None


def _local_path(text: str) -> str:
    """The path that a URL of the protocol file stands for; other texts unchanged."""
    match = _LOCAL.match(text)
    if match is None:
        return text
    from urllib.parse import unquote  # slow to import; few paths are URLs

    place = unquote(text[match.end() :])
    if place.startswith("localhost/"):
        place = place.removeprefix("localhost")
    return re.sub(r"^/([A-Za-z]:)", r"\1", place) if sys.platform == "win32" else place


def without_credentials(path: StrPath) -> str:
    """A path or URL as it may be printed and stored: without user, password and query."""
    text = os.fspath(path)
    if "://" not in text:
        return text
    return CHAINED.join(map(_shown_link, text.split(CHAINED)))


def scrubbed(text: str) -> str:
    """A text of another library that may contain URLs, without the credentials in them."""
    return _SECRET.sub(rf"\1{HIDDEN}", _IN_TEXT.sub(lambda match: without_credentials(match[0]), text))


def _query_at(protocol: str, body: str) -> int:
    """Where a query begins. Names of objects in a bucket may contain question marks."""
    if protocol.lower() in _WEB:
        return min((at for at in (body.find("?"), body.find("#")) if at >= 0), default=len(body))
    match = re.search(r"\?[^/?]*=", body)
    return match.start() if match else len(body)


def _shown_link(link: str) -> str:
    protocol, separator, body = link.partition("://")
    if not separator:
        return link
    body = body if protocol.lower() in _CONTAINER_AT else _without_user(body)
    query = _query_at(protocol, body)
    return f"{protocol}://{body[:query]}{f'?{HIDDEN}' if query < len(body) else ''}"


def _unsigned(link: str) -> str:
    protocol, separator, body = link.partition("://")
    body = body if protocol.lower() in _CONTAINER_AT or not separator else _without_user(body)
    place, question, query = body.partition("?")
    kept = [part for part in query.split("&") if not _GRANTS.match(part)]
    return f"{protocol}{separator}{place}{question}{'&'.join(kept)}"


def _without_user(body: str) -> str:
    """The part of a URL behind its protocol without user and password, in which a slash may stand."""
    authority = body.partition("/")[0]
    if "@" in authority:
        return body[authority.rindex("@") + 1 :]
    user_like = re.search(r":(?!\d*$)", authority)
    return body[body.rindex("@") + 1 :] if user_like and "@" in body else body
