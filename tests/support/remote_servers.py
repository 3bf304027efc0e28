"""Servers of files on this machine, for tests of remote files: they count and can be made to fail."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


class FileServer(ThreadingHTTPServer):
    """Serves the files of a folder by HTTP, with ranges and ETags; also as an S3 API serves objects.

    sent: the bytes of content that were sent; requests: methods, paths and queries with which it was called.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.sent = folder, 0
        self.requests: list[tuple[str, str, str]] = []
        self.credentials: list[str | None] = []
        self.knows_ranges = self.has_tags = self.gives_sizes = True
        self.status = 0  # of all answers, unless it is 0
        self.delay = 0.0  # seconds before each answer
        self.before_answer = lambda path: None
        self.leads_to = ""  # the server to which all requests are redirected

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address) -> None:
        """A client that gives up is no error of the server."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FileServer

    def log_message(self, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        server, parts = self.server, urlsplit(self.path)
        server.requests.append((self.command, unquote(parts.path), parts.query))
        time.sleep(server.delay)
        place = server.folder / unquote(parts.path).lstrip("/")
        server.before_answer(place)
        self.server.credentials.append(self.headers.get("Authorization"))
        if server.leads_to:
            self.send_response(302)
            self.send_header("Location", f"{server.leads_to}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if server.status or not place.is_file():
            self.send_response(server.status or 404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        status = place.stat()
        start, end = 0, status.st_size
        asked = self.headers.get("Range") if server.knows_ranges else None
        if asked:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            start, end = int(first), min(int(last) + 1 if last else end, end)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{status.st_size}")
        if server.has_tags:
            self.send_header("ETag", f'"{status.st_mtime_ns:x}-{status.st_size:x}"')
        self.send_header("Last-Modified", formatdate(status.st_mtime, usegmt=True))
        if server.gives_sizes:
            self.send_header("Content-Length", str(end - start))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command == "GET":
            self._send(place, start, end)

    def _send(self, place: Path, start: int, end: int) -> None:
        with place.open("rb") as file:
            file.seek(start)
            while start < end and (piece := file.read(min(1 << 20, end - start))):
                self.wfile.write(piece)
                self.server.sent += len(piece)
                start += len(piece)


@contextmanager
def serving(folder: Path) -> Iterator[FileServer]:
    """A server of the files of a folder."""
    server = FileServer(folder)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
