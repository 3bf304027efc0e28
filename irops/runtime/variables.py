"""The variables of a stateful model, between runs and within one."""

from __future__ import annotations

from irops.values.element import Array


class Variables:
    """Values by variable_id. What is assigned during a run can be read in the next one; a run that fails
    assigns nothing.

    variables["id"] = array sets what the next run reads; reset() forgets one or all, as before the first run.
    """

    def __init__(self) -> None:
        self._values: dict[str, Array] = {}
        self._assigned: dict[str, Array] = {}

    def read(self, variable_id: str) -> Array | None:
        """The value, or None where nothing was assigned since the start or the last reset."""
        return self._values.get(variable_id)

    def assign(self, variable_id: str, value: Array) -> None:
        self._assigned[variable_id] = value

    def commit(self) -> None:
        """End a run: what was assigned becomes what is read."""
        for variable_id, value in self._assigned.items():
            self[variable_id] = value
        self._assigned.clear()

    def rollback(self) -> None:
        """End a run that failed: forget what it assigned."""
        self._assigned.clear()

    def reset(self, variable_id: str | None = None) -> None:
        """Forget a variable's value, or all."""
        if variable_id is None:
            self._values.clear()
        else:
            self._values.pop(variable_id, None)
        self._assigned.clear()

    def __setitem__(self, variable_id: str, value: Array) -> None:
        kept = value.copy()  # the caller may go on to use its own
        kept.flags.writeable = False
        self._values[variable_id] = kept

    def __getitem__(self, variable_id: str) -> Array:
        return self._values[variable_id]

    def keys(self) -> tuple[str, ...]:
        return tuple(self._values)
