"""Findings as diagnostics of LSP, and their fixes as code actions."""

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types

from irops.server.outline import Text
from irops.server.records import FindingRecord, FixRecord, ServerOptions

EXPLAIN = "irops.explain"
SOURCE = "irops"
FIX_ALL = "source.fixAll.irops"
_MARKED = re.compile(r"""<[^<>\s/]*|[^\s=<>"'/]+(?:\s*=\s*(?:"[^"<\r\n]*"?|'[^'<\r\n]*'?))?|\S""")


def diagnostic(record: FindingRecord, text: Text, options: ServerOptions) -> types.Diagnostic:
    """A finding; its range is the tag or the attribute at its place."""
    start = text.offset_of(record.line, record.column)
    marked = _MARKED.match(text.source, start)
    end = marked.end() if marked else start
    if record.column is None and record.line is not None:
        line = text.lines[min(record.line, len(text.lines)) - 1]
        end = start + len(line.rstrip())
        start += len(line) - len(line.lstrip())
    docs = None
    if options.docs is not None:
        docs = types.CodeDescription(f"{options.docs.rstrip('/')}/rules/{record.code}.html")
    return types.Diagnostic(
        range=text.range(start, max(start, end)),
        message="\n".join((record.message, *(f"note: {note}" for note in record.notes))),
        severity=types.DiagnosticSeverity.Error if record.is_error else types.DiagnosticSeverity.Warning,
        code=record.code,
        code_description=docs,
        source=SOURCE,
        data={"name": record.name},
    )


def actions(
    uri: str,
    text: Text,
    findings: Sequence[tuple[FindingRecord, types.Diagnostic]],
    params: types.CodeActionParams,
) -> list[types.CodeAction]:
    """The fixes of the findings in a range, one action that fixes all of the file, and explanations.

    findings: all of the text, with their diagnostics
    """
    here = [pair for pair in findings if _overlap(pair[1].range, params.range)]
    only = params.context.only
    result: list[types.CodeAction] = []
    if _is_wanted(only, types.CodeActionKind.QuickFix):
        for record, shown in here:
            if record.fix is not None:
                result.append(_action(record.fix.what, uri, text, [record.fix], shown))
        result.extend(_explanations(here))
    fixes = tuple(_compatible([record.fix for record, _ in findings if record.fix is not None]))
    if fixes and _is_wanted(only, FIX_ALL) and (here or only is not None):
        title = f"irops: fix all problems that have one solution ({len(fixes)})"
        result.append(_action(title, uri, text, fixes, None))
    return result


def _explanations(here: Sequence[tuple[FindingRecord, types.Diagnostic]]) -> Iterator[types.CodeAction]:
    by_code = {record.code: (record, shown) for record, shown in here}
    for code, (record, shown) in by_code.items():
        title = f"Explain {code} ({record.name})"
        command = types.Command(title=title, command=EXPLAIN, arguments=[code])
        kind = types.CodeActionKind.QuickFix
        yield types.CodeAction(title=title, kind=kind, diagnostics=[shown], command=command)


def _action(
    title: str, uri: str, text: Text, fixes: Sequence[FixRecord], shown: types.Diagnostic | None
) -> types.CodeAction:
    edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(text.range(text.offset_of(*start), text.offset_of(*end)), new)
        for fix in fixes
        for start, end, new in fix.edits
    ]
    where = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=text.version)
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix if shown is not None else FIX_ALL,
        diagnostics=None if shown is None else [shown],
        is_preferred=shown is not None,
        edit=types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(where, edits)]),
    )


def _compatible(fixes: Sequence[FixRecord]) -> Iterator[FixRecord]:
    """The fixes without those that overlap or touch an earlier one, as irops check --fix applies them."""
    edited: list[tuple[tuple[int, int], tuple[int, int]]] = []
    for fix in fixes:
        if all(end < low or high < start for start, end, _ in fix.edits for low, high in edited):
            edited.extend((start, end) for start, end, _ in fix.edits)
            yield fix


def _is_wanted(only: Sequence[types.CodeActionKind | str] | None, kind: str) -> bool:
    words = [one.value if isinstance(one, types.CodeActionKind) else one for one in only or ()]
    return only is None or any(kind == word or kind.startswith(f"{word}.") for word in words)


def _overlap(one: types.Range, other: types.Range) -> bool:
    start, end = (other.start.line, other.start.character), (other.end.line, other.end.character)
    return (one.start.line, one.start.character) <= end and start <= (one.end.line, one.end.character)
