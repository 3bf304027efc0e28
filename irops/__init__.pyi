"""The names of irops with their types, for type checkers; the package itself reads where each one is."""

from irops.analysis.checks.run import check as check
from irops.analysis.model_analysis import infer as infer
from irops.analysis.writing import write as write
from irops.backends.backend import Declined as Declined
from irops.debugging.compare.comparison import compare as compare
from irops.debugging.origins.why import why as why
from irops.debugging.reduce.reduction import reduce as reduce
from irops.diagnostics.diagnostic import DefinitionError as DefinitionError
from irops.diagnostics.diagnostic import Diagnostic as Diagnostic
from irops.diagnostics.diagnostic import DiagnosticError as DiagnosticError
from irops.diagnostics.diagnostic import EvaluationError as EvaluationError
from irops.diagnostics.diagnostic import ReadError as ReadError
from irops.diagnostics.diagnostic import Rule as Rule
from irops.diagnostics.diagnostic import Severity as Severity
from irops.diagnostics.report import Report as Report
from irops.dialects.reading import read as read
from irops.dialects.registry import Registry as Registry
from irops.dialects.registry import definition as definition
from irops.dialects.registry import definitions as definitions
from irops.drawing.drawing import draw as draw
from irops.editing.conversion.convert import ConversionWarning as ConversionWarning
from irops.editing.conversion.convert import convert as convert
from irops.editing.diff import diff as diff
from irops.editing.extraction import extract as extract
from irops.editing.graph.graph import Graph as Graph
from irops.editing.translation.translate import translate as translate
from irops.files.limits import Limits as Limits
from irops.ir.model import Model as Model
from irops.runtime.call import call as call
from irops.runtime.gradients import vjp as vjp
from irops.runtime.session import Session as Session
from irops.runtime.session import run as run
from irops.spec.extension import rules as rules
from irops.surveys.survey import survey as survey
from irops.values.element import tagged as tagged

__version__: str
