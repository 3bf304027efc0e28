"""The requirements of conversions of whole models, and their refusals."""

from irops.analysis.checks.run import check
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.rules import rule
from irops.ir.model import Model


def require_valid(analysis: ModelAnalysis, done: str, harmless: tuple[str, ...] = ()) -> None:
    """Raises: DiagnosticError for a model with errors; done: what was to be done, translated or converted;
    harmless: errors that do not count
    """
    model = analysis.model
    errors = [
        d for d in check(analysis).errors if d.rule.check is None and d.name not in ("failed-rule", *harmless)
    ]
    if errors:
        count = f"{len(errors)} errors" if len(errors) > 1 else "an error"
        message = f"the model has {count}; only models without errors can be {done}"
        raise refusal(model, "invalid-source-model", message, *errors)


def refusal(model: Model, name: str, message: str, *more: Diagnostic) -> DiagnosticError:
    """The error for a whole model. name: of the rule; more: findings that explain it"""
    place = Location(model.source.path if model.source is not None else None)
    return DiagnosticError([Diagnostic(rule(name), message, place), *more])
