"""Schedulers and workers as a user starts them, and a proxy between a client and a scheduler."""

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
DASK = Path(sys.executable).with_name("dask")


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Processes:
    """A scheduler and its workers. All end with the block."""

    def __init__(self, folder, paths=(ROOT, Path(__file__).parent)):
        self.port, self.folder = free_port(), folder
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.started = []
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "OMP_NUM_THREADS": "1",
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.started:
            process.wait()

    def scheduler(self):
        return self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")

    def worker(self, *words):
        options = ("--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder))
        return self._start("worker", self.address, *options, *words)

    def _start(self, *words):
        with open(self.folder / f"{words[0]}.log", "ab") as log:
            process = subprocess.Popen(
                [str(DASK), *words],
                cwd=self.folder, env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.started.append(process)
        return process


class Proxy:
    """Passes bytes between clients and a port, until it is cut."""

    def __init__(self, port):
        self._port, self._open = port, []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source, target):
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Close every connection; new ones are possible."""
        connections, self._open = self._open, []
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        return len(connections)

    def close(self):
        self._listening.close()
        self.cut()
