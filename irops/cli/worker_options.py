"""The options of commands that distribute their work: --jobs and --scheduler."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from irops.cli.options import add_option, refusing
from irops.work.cluster import WAIT_SECONDS, connected
from irops.work.workers import ClusterError, Workers


def add_workers(parser: argparse.ArgumentParser, jobs: str = "one per core") -> None:
    """Add the options. jobs: the number of processes without them, in words"""
    where = parser.add_mutually_exclusive_group()
    add_option(
        where, "--jobs -j N", f"number of processes of this machine; default: {jobs}", at_least=1, default=0
    )
    add_option(where, "--scheduler ADDRESS", "work on the workers of this Dask scheduler: tcp://host:8786")
    worker_wait = f"seconds to wait for Dask workers while there are none; default: {WAIT_SECONDS:g}"
    add_option(parser, "--worker-wait S", worker_wait, at_least=0, default=int(WAIT_SECONDS))


def is_distributed(args: argparse.Namespace) -> bool:
    """Whether one of the options is given."""
    return bool(args.jobs or args.scheduler is not None)


@contextmanager
def workers_of(args: argparse.Namespace) -> Iterator[Workers]:
    """The workers that the options name; without options, processes of this machine. They end with the block.

    Raises:  Refusal where there are none, also within the block
    """
    with refusing(ClusterError):
        if args.scheduler is None:
            workers = Workers(args.jobs or None)
        else:
            workers = connected(args.scheduler, wait_seconds=args.worker_wait)
        try:
            yield workers
        finally:
            workers.close()
