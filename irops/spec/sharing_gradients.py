"""Gradients of ops of other dialects that share the functions of an OpenVINO op."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import numpy as np

from irops.spec import sharing
from irops.spec.sharing import Pick
from irops.spec.binding import Function, Functions
from irops.spec.definition import Attribute, Definition, Gradient



def with_gradients(
    definition: Definition, base: Definition, functions: Functions, adapted: Functions
) -> Definition:
    """The definition with the gradients of the shared op; adds their functions to adapted.

    Raises:  NotSharedError
    """
    own = sharing.own_attributes(definition)
    names = {
        port.name: sharing.source_of(definition, base, own, place, port)
        for place, port in enumerate(base.inputs)
    }
    gradients = {}
    for of, declared in base.gradients.items():
        target = names[of][0]
        if target is not None:
            shared = _Shared(definition, base, own, names, declared)
            text = f"As of {of} of {base.id}: {declared.text}"
            gradients[target] = Gradient(target, text, tuple(shared.saves.values()), declared.when)
            function, role = functions.gradients[of], f"gradient of {of}"
            adapted.gradients[target] = shared.function(function, functions.keyword_params[role])
            adapted.keyword_params[f"gradient of {target}"] = shared.keyword_params(
                functions.keyword_params[role]
            )
    return replace(definition, gradients=gradients)


class _Shared:
    """One gradient of the shared op, under the names of this op. saves: this op's name of each saved input or
    output, by its name in the shared op.
    """

    def __init__(
        self,
        definition: Definition,
        base: Definition,
        own: Mapping[str, Attribute],
        names: Mapping[str, tuple[str | None, str | None]],
        declared: Gradient,
    ) -> None:
        self.definition, self.base, self.own, self.names = definition, base, own, names
        self.declared = declared
        outputs = {theirs.name: ours.name for theirs, ours in zip(base.outputs, definition.outputs)}
        inputs = {name: source[0] for name, source in names.items() if source[0] is not None}
        self.about = {
            f"{theirs}_{what}": f"{ours}_{what}"
            for theirs, ours in inputs.items()
            for what in ("shape", "type")
        }
        self.saves = {
            name: ours for name in declared.saves if (ours := (inputs | outputs).get(name)) is not None
        }

    def keyword_params(self, theirs: frozenset[str] | None) -> frozenset[str]:
        """The keyword parameters of the adapted function; theirs: those of the shared function."""
        attributes = {attribute.parameter for attribute in self.definition.attributes.values()}
        return frozenset(attributes | {self.about[name] for name in theirs or () if name in self.about})

    def function(self, function: Function, theirs: frozenset[str] | None) -> Function:
        """The gradient function of the shared op, adapted to the names of this op."""
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
            for name in self.declared.saves
        ]

        @wraps(function)
        def call(*tensors: Any, **keyword_values: Any) -> Any:
            saved = dict(zip(self.saves.values(), tensors[count:]))
            about = {
                name: keyword_values[ours]
                for name, ours in self.about.items()
                if name in (theirs or ()) and ours in keyword_values
            }
            return function(
                *tensors[:count],
                *(pick(saved, keyword_values) for pick in picks),
                **{name: pick(saved, keyword_values) for name, pick in keywords.items()},
                **about,
            )

        return call


def _saved(name: str, saved: Mapping[str, Any], _: Mapping[str, Any]) -> Any:
    return saved[name]
