"""Gradients of ops of other dialects that are an op of OpenVINO under other names: they are that op's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import numpy as np

from irops.spec import sharing
from irops.spec.binding import Function, Functions
from irops.spec.definition import Attribute, Definition, Gradient

Pick = sharing.Pick


def with_gradients(
    definition: Definition, base: Definition, functions: Functions, found: Functions
) -> Definition:
    """The definition, with the gradients of the op that it shares under its own names; their functions are
    put beside those found.

    Raises:  NotSharedError
    """
    own = sharing.own_attributes(definition)
    names = {
        port.name: sharing.source_of(definition, base, own, place, port)
        for place, port in enumerate(base.inputs)
    }
    gradients = {}
    for of, stated in base.gradients.items():
        reached = names[of][0]
        if reached is not None:
            shared = _Shared(definition, base, own, names, stated)
            gradients[reached] = Gradient(
                reached, f"As of {of} of {base.id}: {stated.text}", tuple(shared.saves.values()), stated.when
            )
            function, role = functions.gradients[of], f"gradient of {of}"
            found.gradients[reached] = shared.function(function, functions.keyword_params[role])
            found.keyword_params[f"gradient of {reached}"] = shared.taken(functions.keyword_params[role])
    return replace(definition, gradients=gradients)


class _Shared:
    """One gradient of the base, under an op's own names. saves: the base's name of what is saved, to the op's
    own.
    """

    def __init__(
        self,
        definition: Definition,
        base: Definition,
        own: Mapping[str, Attribute],
        names: Mapping[str, tuple[str | None, str | None]],
        stated: Gradient,
    ) -> None:
        self.definition, self.base, self.own, self.names, self.stated = definition, base, own, names, stated
        outputs = {theirs.name: ours.name for theirs, ours in zip(base.outputs, definition.outputs)}
        inputs = {name: source[0] for name, source in names.items() if source[0] is not None}
        self.about = {
            f"{theirs}_{what}": f"{ours}_{what}"
            for theirs, ours in inputs.items()
            for what in ("shape", "type")
        }
        self.saves = {
            name: ours for name in stated.saves if (ours := (inputs | outputs).get(name)) is not None
        }

    def taken(self, theirs: frozenset[str] | None) -> frozenset[str]:
        """The keywords that the function takes."""
        attributes = {attribute.parameter for attribute in self.definition.attributes.values()}
        return frozenset(attributes | {self.about[name] for name in theirs or () if name in self.about})

    def function(self, function: Function, theirs: frozenset[str] | None) -> Function:
        """The base's gradient function, called as the op's own."""
        keywords = dict(
            sharing.keyword_picks(
                self.base, self.own, sharing.fixed_values(self.definition, self.base), theirs
            )
        )
        count = len(self.definition.outputs)
        ports = {port.name: port for port in self.base.inputs}
        picks: list[Pick] = [
            (
                partial(_saved, self.saves[name])
                if name in self.saves
                else partial(sharing.input_of, ports[name], None, self.names[name][1], np.asarray)
            )
            for name in self.stated.saves
        ]

        @wraps(function)
        def call(*given: Any, **said: Any) -> Any:
            saved = dict(zip(self.saves.values(), given[count:]))
            about = {
                name: said[ours]
                for name, ours in self.about.items()
                if name in (theirs or ()) and ours in said
            }
            return function(
                *given[:count],
                *(pick(saved, said) for pick in picks),
                **{name: pick(saved, said) for name, pick in keywords.items()},
                **about,
            )

        return call


def _saved(name: str, saved: Mapping[str, Any], _: Mapping[str, Any]) -> Any:
    return saved[name]
