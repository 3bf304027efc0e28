"""IR65: errors of runs whose batch is split."""

from __future__ import annotations

from irops.diagnostics.rule import Rule, Severity

RULES: tuple[Rule, ...] = (
    Rule(
        "IR651",
        "items-meet",
        Severity.ERROR,
        "a layer does not keep the items of a batch apart",
        """
        A run on several workers splits the inputs along the batch. That is possible only if each result of an
        item depends on that item alone. The layer mixes items (it sums over the batch, or sorts along it), it
        has a size of the batch as a constant, or no rule says what it does.

        Run the model on one machine, or extract the part before the layer and split that part.
        """,
    ),
    Rule(
        "IR652",
        "unequal-workers",
        Severity.ERROR,
        "a worker does not compute as this process does",
        """
        Equal results, bit for bit, need the same version of NumPy, the same library for matrix products and
        the same processor features on all machines. With exact=False, results may differ by rounding.
        """,
    ),
    Rule(
        "IR653",
        "lost-block",
        Severity.ERROR,
        "a part of a batch was not computed",
        """
        The process that computed the part ended, or failed, each time it was tried: it needed more memory
        than it may use, for example.
        """,
    ),
)
