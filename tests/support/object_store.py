"""The S3 API of moto on this machine, with objects of which the content is a sparse local file."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
}


class LazyContent:
    """The bytes of a file, of which only those are read that are asked for. sent: how many they were."""

    def __init__(self, path: Path) -> None:
        self.path, self.sent = path, 0

    def __len__(self) -> int:
        return self.path.stat().st_size

    def __getitem__(self, part: slice) -> bytes:
        with self.path.open("rb") as file:
            file.seek(part.start or 0)
            content = file.read(min(part.stop, len(self)) - (part.start or 0))
        self.sent += len(content)
        return content


class ObjectStore:
    """A server of the S3 API with the bucket zoo. files: fsspec's view of it."""

    def __init__(self, url: str) -> None:
        import s3fs

        self.url = url
        self.files: Any = s3fs.S3FileSystem(skip_instance_cache=True)
        self.files.mkdir("zoo")

    def put(self, path: Path, key: str) -> str:
        """Rows a file; its URL."""
        self.files.pipe_file(f"zoo/{key}", path.read_bytes())
        return f"s3://zoo/{key}"

    def put_lazily(self, path: Path, key: str) -> LazyContent:
        """Rows a file, of any size, without reading it."""
        from moto.core import DEFAULT_ACCOUNT_ID
        from moto.s3.models import FakeKey, s3_backends

        self.files.pipe_file(f"zoo/{key}", b"")
        content = LazyContent(path)

        class LazyKey(FakeKey):
            __module__ = FakeKey.__module__  # by which moto registers it
            value = property(lambda _: content)  # type: ignore[assignment]

        stored = s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets["zoo"].keys[key]
        stored.__class__, stored.contentsize, stored._etag = (
            LazyKey,
            len(content),
            f"{path.stat().st_mtime_ns:x}",
        )
        return content


@contextmanager
def object_store(monkeypatch: Any) -> Iterator[ObjectStore]:
    """A new server, to which the environment of this process points."""
    import s3fs
    from moto.server import ThreadedMotoServer

    s3fs.S3FileSystem.clear_instance_cache()  # file systems that fsspec keeps use an earlier server
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}.items():
        monkeypatch.setenv(name, value)
    for name in [name for name in os.environ if name.lower() in ("http_proxy", "https_proxy", "all_proxy")]:
        monkeypatch.delenv(name)
    try:
        store = ObjectStore(f"http://{host}:{port}")
        yield store
        store.files.rm("zoo", recursive=True)
    finally:
        server.stop()
