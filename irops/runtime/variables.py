"""The variables of a stateful model, between runs and within one."""

from __future__ import annotations

from threading import Lock

from irops.values.element import Array


class Variables:
    """Values by variable_id. What a run assigns can be read by the next one; a run that fails assigns
    nothing.

    variables["id"] = array sets what the next run reads; reset() forgets one or all, as before the first run.
    """

    def __init__(self) -> None:
        self._values: dict[str, Array] = {}
        self._lock = Lock()

    def begin(self) -> Transaction:
        """The variables as one run sees them; its assignments take effect when they are committed."""
        with self._lock:
            return Transaction(dict(self._values))

    def commit(self, transaction: Transaction) -> None:
        """End a run: its assignments become what the next run reads."""
        kept = {variable_id: _copied(value) for variable_id, value in transaction.assigned.items()}
        with self._lock:
            self._values.update(kept)

    def reset(self, variable_id: str | None = None) -> None:
        """Forget a variable's value, or all."""
        with self._lock:
            if variable_id is None:
                self._values.clear()
            else:
                self._values.pop(variable_id, None)

    def __setitem__(self, variable_id: str, value: Array) -> None:
        kept = _copied(value)
        with self._lock:
            self._values[variable_id] = kept

    def __getitem__(self, variable_id: str) -> Array:
        return self._values[variable_id]

    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)


class Transaction:
    """The variables within one run: reads see the values from before the run, assignments are collected."""

    def __init__(self, values: dict[str, Array] | None = None) -> None:
        self._values = values or {}
        self.assigned: dict[str, Array] = {}

    def read(self, variable_id: str) -> Array | None:
        """The value, or None where nothing was assigned since the start or the last reset."""
        return self._values.get(variable_id)

    def assign(self, variable_id: str, value: Array) -> None:
        self.assigned[variable_id] = value


def _copied(value: Array) -> Array:
    """A read-only copy: the caller may go on to use its own array."""
    kept = value.copy()
    kept.flags.writeable = False
    return kept
