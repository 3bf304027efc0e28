"""irops.run: a model's results from its inputs, on this machine or on several."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.signature import Key
from irops.backends.backend import Backend
from irops.ir.model import Model
from irops.limits import Limits
from irops.registry import Registry
from irops.runtime.evaluator import Progress
from irops.runtime.session import Keep, Results, Session
from irops.splitting.split import Splitting


def run(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    inputs: Mapping[Key, Any] | Iterable[Any] = (),
    *,
    backends: str | Iterable[str | Backend] | None = None,
    keep: Keep = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
    verify: bool = False,
    progress: Progress | None = None,
    profile: bool = False,
    client: Any = None,
    batched: Key | Iterable[Key] | None = None,
    exact: bool = True,
    items_per_block: int | None = None,
) -> Results:
    """A model's results: arrays by Result name; tensor names and positions find them too.

    inputs: arrays by tensor name, layer name or position; backends: what computes, by name or as objects, the
    first that can (by default the fastest that is installed, then the reference); keep: further layers by
    name or id, or "all"; verify: compare every result of other backends with the reference; progress:
    called with
    (layers done, layers in all, layer); profile: measure time and bytes of each layer: results.profile has
    .ops and .layers, and .write(path) writes a trace for Perfetto.

    client: a dask.distributed.Client. Its workers compute blocks of the batch, the items along the first axis
        of the inputs; where model is a path or a URL, they read it themselves. The results are those of a run
        without client, bit for bit; results.batching says what was distributed.
    batched: the inputs that have the batch (by default those whose first axis has the most common size)
    exact: False allows differences of rounding, so that more is distributed
    items_per_block: how many items a worker gets at a time
    Raises:  ReadError; EvaluationError, with .diagnostics: inputs that do not fit, a broken requirement,
        a limit, a layer at which items of the batch meet (IR651)
    """
    if client is None:
        session = Session(
            model, backends=backends, registry=registry, limits=limits, verify=verify, progress=progress
        )
        session.evaluator.run_once()
        return session.run(inputs, keep=keep, profile=profile)
    if progress is not None or profile:
        raise ValueError(
            "progress and profile are those of a run in this process; they cannot be given with client"
        )
    splitting = Splitting(model, backends, registry, limits, verify, exact, items_per_block)
    return splitting.run(inputs, keep, batched, client)
