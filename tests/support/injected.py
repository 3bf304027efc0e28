"""Faults of the operating system, injected into one call of a process that changes files."""

import errno
import io
import os
import signal
import sys
from functools import partial

CHANGING = ("write", "fsync", "replace", "rename", "unlink", "remove", "truncate", "chmod", "chown", "mkdir",
            "copy_file_range", "sendfile", "link", "symlink", "rmdir", "utime", "setxattr")  # fmt: skip
FAULTS = ("ENOSPC", "EIO", "killed before", "killed after", "killed halfway")


class Injected:
    """Counts the calls that change files; the n-th has a fault."""

    def __init__(self, at=0, fault=""):
        self.at, self.fault, self.calls = at, fault, []

    def __call__(self, real, name, *args, **kwargs):
        self.calls.append(name)
        if len(self.calls) != self.at:
            return real(*args, **kwargs)
        if self.fault in ("ENOSPC", "EIO", "EINTR"):
            raise OSError(getattr(errno, self.fault), os.strerror(getattr(errno, self.fault)))
        if self.fault == "killed halfway" and name.endswith("write"):
            *first, content = args
            real(*first, bytes(content)[: len(content) // 2], **kwargs)
        elif self.fault != "killed before":
            real(*args, **kwargs)
        return os.kill(os.getpid(), signal.SIGKILL)

    def install(self):
        """Let all calls of this process pass through this object."""
        for name in CHANGING:
            setattr(os, name, partial(self, getattr(os, name), name))
        opened, io_open, injected = os.open, io.open, self

        class Raw(io.FileIO):
            def write(self, content):
                return injected(super().write, "file write", content)

        def open_file(file, flags, *args, **kwargs):
            wants = partial(self, opened, "open") if flags & (os.O_WRONLY | os.O_RDWR) else opened
            return wants(file, flags, *args, **kwargs)

        def open_stream(file, mode="r", *args, **kwargs):
            if not isinstance(file, (str, os.PathLike)) or not set(mode) & set("wxa"):
                return io_open(file, mode, *args, **kwargs)
            raw = self(Raw, "open for writing", file, mode.replace("t", "").replace("b", ""))
            binary = io.BufferedWriter(raw)
            return binary if "b" in mode else io.TextIOWrapper(binary, *args[1:], **kwargs)

        os.open, io.open = open_file, open_stream
        __builtins__["open"] = open_stream


def done(action, injected, log):
    """How an action ended in a process of its own: its exit status, or minus a signal, and the calls made."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 99
        try:
            os.close(reading)
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            injected.install()
            status = action()
            sys.stdout.flush()
            with os.fdopen(writing, "wb") as pipe:
                pipe.raw.write(repr(injected.calls).encode())
        finally:
            os._exit(status or 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        calls = pipe.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, eval(calls or "[]")
