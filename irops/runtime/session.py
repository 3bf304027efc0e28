"""irops.run and irops.Session: a model's results from its inputs."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

from irops.analysis.model_analysis import AnyModel, analyse
from irops.analysis.signature import Key, Signature, by_key
from irops.backends.backend import Backend
from irops.backends.catalogue import chain
from irops.diagnostics.diagnostic import Diagnostic, EvaluationError
from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, shortened
from irops.diagnostics.rules import rule
from irops.diagnostics.suggestions import did_you_mean
from irops.dialects.registry import Registry
from irops.environment import naming_arguments
from irops.files.limits import Limits
from irops.ir.model import LayerKind
from irops.runtime.evaluator import Evaluator, Progress, Variables, kept_layers
from irops.runtime.plan import ValueKey
from irops.runtime.profile import Profile
from irops.runtime.run import Record, run_model
from irops.values.arrays import as_tensor, fact_of, is_foreign, like
from irops.values.element import Array

Keep = Literal["all"] | Key | Iterable[Key]


class Results(dict[Any, Array]):
    """Arrays by the name of their tensor or, where it has none, of their Result; and of kept layers.

    The name of the Result's layer, other names of the tensor and the position find them too, and ("split", 1)
    an output of a kept layer; for an unknown name the KeyError suggests a known one.
    """

    def __init__(
        self, values: Mapping[str, Array], aliases: Mapping[Key, str], record: Record | None = None
    ) -> None:
        super().__init__(values)
        self._aliases, self.record = aliases, record or Record(0)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings of the run: requirements that its shapes and values violate, without effect."""
        return self.record.warnings

    @property
    def profile(self) -> Profile | None:
        """The time and the bytes of each layer, if the run was asked to measure them."""
        return self.record.profile

    def _repr_html_(self) -> str:
        """A table for notebooks: element type, shape and first elements of each array."""
        arrays = ((name, as_tensor(array)) for name, array in self.items())
        rows = ((name, fact_of(array), " ".join(map(str, array.ravel()[:6]))) for name, array in arrays)
        return html_table(plural(len(self), "array"), ("name", "tensor", "first elements"), rows)

    def like(self, inputs: Mapping[Key, Any]) -> Self:
        """The same, with arrays of the library of the first input that is not of NumPy.

        Raises:  ValueError for an array of a type that the library lacks
        """
        foreign = next((item for item in inputs.values() if is_foreign(item)), None)
        if foreign is not None:
            self.update({name: like(array, foreign) for name, array in self.items()})
        return self

    def _name(self, key: Any) -> str:
        """The name that an array has here."""
        spelled = f"{key[0]}:{key[1]}" if isinstance(key, tuple) and len(key) == 2 else key
        name: str = self._aliases.get(spelled, spelled)
        return name

    def __missing__(self, key: Any) -> Array:
        name = self._name(key)
        if not dict.__contains__(self, name):
            known = (*self, *(alias for alias in self._aliases if isinstance(alias, str)))
            raise KeyError(f"there is no result {key!r}{did_you_mean(key, known)}")
        return self[name]

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, key) or dict.__contains__(self, self._name(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """The array of a name or a position, or the default where there is none."""
        return dict.get(self, key, dict.get(self, self._name(key), default))


class Session:
    """A model ready to run again and again; its variables keep their values from run to run.

    model: a Model, its ModelAnalysis, or a path; backends, registry, limits, progress: see irops.run.
    Threads may share a session; a run sees the variables as they were when it began.
    """

    @naming_arguments
    def __init__(
        self,
        model: AnyModel,
        *,
        backends: str | Iterable[str | Backend] | None = None,
        registry: Registry | None = None,
        limits: Limits | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.analysis = analyse(model, registry, limits)
        self.model = self.analysis.model
        self.variables = Variables()
        names = [backends] if isinstance(backends, str) else backends
        self.evaluator = Evaluator(self.analysis, chain(names), progress=progress)

    def __repr__(self) -> str:
        backends = ", ".join(backend.name for backend in self.evaluator.backends)
        return f"<Session of {self.model!r} on {shortened(backends)}>"

    @property
    def signature(self) -> Signature:
        """The model's inputs and results."""
        return self.analysis.signature

    def reset(self) -> None:
        """Forget all variables, as before the first run."""
        self.variables.reset()

    def check(self) -> tuple[Diagnostic, ...]:
        """The findings of inference for the declared shapes."""
        return self.analysis.infer().diagnostics

    @naming_arguments
    def run(
        self, inputs: Mapping[Key, Any] | Iterable[Any] = (), *, keep: Keep = (), profile: bool = False
    ) -> Results:
        """The model's results.

        inputs: arrays by tensor name, layer name or position; keep: further layers, by name or id, or "all";
        profile: measure time and bytes of each layer, for the profile of the results
        Arrays of other libraries that offer DLPack, in the memory of the CPU: the results are of the library
        of the first of them.
        Raises:  EvaluationError, with .diagnostics: inputs that do not fit, a broken requirement, a limit;
            DiagnosticError for an unknown input; KeyError for an unknown layer to keep; ValueError for a
            result of a type that the library lacks
        """
        for element in self.model.legacy:
            if element.tag == "pre-process":
                hint = "irops does not, write them as a Subtract"
                message = f"OpenVINO subtracts the mean values of <pre-process> from an input; {hint}"
                place = self.model.location(at=element.at)
                raise EvaluationError([Diagnostic(rule("unsupported-mean-values"), message, place)])
        inputs = by_key(inputs)
        kept = self.kept(keep)
        record = Record(self.analysis.limits.findings, Profile() if profile else None)
        arrays = self.signature.arrays(inputs)
        values = run_model(self.evaluator, arrays, kept, self.variables, record)
        return self.named(values, kept, record).like(inputs)

    def kept(self, keep: Keep) -> frozenset[int]:
        """The ids of the layers to keep; KeyError, with a suggestion, for one that does not exist."""
        root = self.analysis.root
        if keep == "all":
            return frozenset(root.layers)
        return kept_layers(root, (keep,) if isinstance(keep, (str, int)) else tuple(keep))

    def named(
        self,
        values: Mapping[ValueKey, Array],
        kept: frozenset[int] = frozenset(),
        record: Record | None = None,
    ) -> Results:
        """Values by the names of their results and layers."""
        results = {port.name: values[port.layer.id, 0] for port in self.signature.results}
        for (layer_id, index), array in values.items():
            layer = self.analysis.root.layers[layer_id].layer
            if layer_id in kept and layer.kind is not LayerKind.RESULT:
                name = layer.name if len(layer.outputs) < 2 else f"{layer.name}:{index}"
                if results.setdefault(name, array) is not array:  # another tensor has the layer's name
                    results[f"{layer.name}:{index}"] = array
        return Results(results, self.signature.aliases(), record)


def run(
    model: AnyModel,
    inputs: Mapping[Key, Any] | Iterable[Any] = (),
    *,
    backends: str | Iterable[str | Backend] | None = None,
    keep: Keep = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    profile: bool = False,
) -> Results:
    """A model's results: arrays by tensor name; the names of Result layers and positions find them too.

    inputs: arrays by tensor name, layer name or position; one array where the model has one input; backends:
    what computes, by name or as objects, the first that can (by default the fastest that is installed, then
    the reference); keep: further layers by name or id, or "all"; progress: called with (layers done, layers
    in all, layer); profile: measure time and bytes of each layer: results.profile has .ops and .layers.
    Raises:  ReadError; EvaluationError, with .diagnostics: inputs that do not fit, a broken requirement,
        a limit
    """
    session = Session(model, backends=backends, registry=registry, limits=limits, progress=progress)
    session.evaluator.run_once()
    return session.run(inputs, keep=keep, profile=profile)
