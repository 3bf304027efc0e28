"""The outcomes of tries, kept in a file so that an interrupted reduction goes on where it was."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from irops.ir.pending import Pending

VERSION = 1
FILE = "tries.jsonl"


class OtherReduction(ValueError):
    """A folder has the outcomes of another reduction."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found of a case.

    reason: for which it fails, or None; note: which limit it exceeded, so that it was not judged
    """

    reason: str | None
    note: str = ""


class Memory:
    """Outcomes by the key of the case; with a file, also those of earlier processes."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}
        self._path: Path | None = None
        self._header: dict[str, object] = {}
        self._file: IO[str] | None = None

    @classmethod
    def of_folder(cls, folder: Path, of: str) -> Memory:
        """The outcomes in a folder, but for cases that exceeded a limit, which may be another one now.

        of: the whole model and its oracle
        Raises:  OtherReduction if the folder has the outcomes of another reduction; OSError
        """
        memory = cls()
        memory._path, memory._header = folder / FILE, {"schema_version": VERSION, "of": of}
        lines = memory._path.read_text("utf-8").splitlines() if memory._path.exists() else []
        if lines and _parsed(lines[0]) != memory._header:
            raise OtherReduction(
                f"{memory._path} has the tries of another model, other inputs or another oracle; choose"
                " another folder, or delete the file"
            )
        for line in lines[1:]:
            entry = _parsed(line)
            if isinstance(entry, dict) and isinstance(entry.get("case"), str) and not entry.get("note"):
                memory._outcomes[entry["case"]] = Outcome(entry.get("reason"))
        return memory

    def begin(self) -> None:
        """Write outcomes to the file from now on, as it is known that there is something to reduce.

        Raises:  OSError
        """
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = [self._header, *(_entry(key, outcome) for key, outcome in self._outcomes.items())]
        with Pending(self._path) as (file,):
            file.write("".join(f"{json.dumps(line)}\n" for line in lines).encode())
        self._file = self._path.open("a", encoding="utf-8")

    def reason(self, key: str) -> Outcome | None:
        """The outcome of a case, if it was judged."""
        return self._outcomes.get(key)

    def remember(self, key: str, outcome: Outcome) -> Outcome:
        """Keep the outcome of a case."""
        self._outcomes[key] = outcome
        if self._file is not None:
            self._file.write(f"{json.dumps(_entry(key, outcome))}\n")
            self._file.flush()
        return outcome

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _entry(key: str, outcome: Outcome) -> dict[str, object]:
    note = {"note": outcome.note} if outcome.note else {}
    return {"case": key, "reason": outcome.reason, **note}


def _parsed(line: str) -> object:
    """A line of the file; None for one that was not written to its end."""
    try:
        return json.loads(line)
    except ValueError:
        return None
