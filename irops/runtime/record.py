"""What a run reports beside its values: its warnings, and what was verified."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from irops.diagnostics.diagnostic import Diagnostic, in_document_order
from irops.diagnostics.printable import plural
from irops.runtime.profile import Profile
from irops.verdicts.verdict import Verdict

LayerKey = tuple[tuple[str, ...], int]
"""The path of a graph and the id of a layer in it."""


@dataclass(slots=True)
class Record:
    """The findings of one run; limit: the largest number of warnings that are kept.

    profile: collects the time and the bytes of the run, if that is asked for.
    """

    limit: float
    profile: Profile | None = None
    compared: dict[LayerKey, str] = field(default_factory=dict)
    """The layers whose results were compared with the reference, and the backend that computed each."""
    unverified: dict[LayerKey, str] = field(default_factory=dict)
    """The other layers that compute, and why they were not compared."""
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    """How the outputs of these layers compare with the reference."""
    _warnings: dict[object, Diagnostic] = field(default_factory=dict)

    def warn(self, warning: Diagnostic) -> None:
        """Keep a warning; one of a loop's body is kept once."""
        place = warning.location
        key = (warning.code, warning.constraint, place.path, place.layer_id, warning.message)
        if len(self._warnings) < self.limit:
            self._warnings.setdefault(key, warning)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return in_document_order(self._warnings.values())

    def verification(self) -> str:
        """What was verified, in a sentence."""
        by_backend = Counter(self.compared.values())
        others = Counter(self.unverified.values())
        total = plural(len(self.compared) + len(self.unverified), "layer")
        text = f"verified {len(self.compared)} of {total} against the reference"
        if by_backend:
            text += f" ({', '.join(f'{name} {count}' for name, count in by_backend.most_common())})"
        if self.verdicts:
            text += f": {', '.join(f'{count} {verdict}' for verdict, count in self.verdicts.most_common())}"
        if others:
            text += f"; not compared: {', '.join(f'{count} {why}' for why, count in others.most_common())}"
        return f"{text}; all types and shapes are as inferred"
