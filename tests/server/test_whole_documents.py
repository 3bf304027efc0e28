"""All answers about whole documents, and about each position in them."""

from itertools import groupby
from pathlib import Path

import pytest
from editor import shown
from lsprotocol import types
from stored import assert_stored

from irops.server import features, findings, navigation
from irops.server.outline import Text, lines_of, outline_of
from irops.server.records import ServerOptions
from irops.server.worker import Worker

DOCUMENTS = Path(__file__).parent / "documents"
OPTIONS = ServerOptions(docs="https://site.example/")
HERE = types.TextDocumentIdentifier("model.xml")
EVERYWHERE = types.Range(types.Position(0, 0), types.Position(10**6, 0))


def view_of(name):
    """A document with its findings, once it is checked."""
    source = (DOCUMENTS / f"{name}.xml").read_text("utf-8")
    checked = Worker(OPTIONS)((f"{name}.xml", source))
    text, lookup = Text(tuple(lines_of(source)), 7), navigation.OpLookup(OPTIONS)
    view = navigation.View(HERE.uri, text, outline_of(source), lookup, checked.outputs)
    return view, [(found, findings.diagnostic(found, text, OPTIONS)) for found in checked.findings]


def at_each_position(view, answer):
    """Each answer, behind the places that have it."""
    places = {}
    for found, group in groupby(range(len(view.text.source) + 1), lambda k: answer(view.text.position(k))):
        run = list(group)
        text = found if isinstance(found, str) else shown(found)
        places.setdefault(text, []).append(shown(view.text.range(run[0], run[-1])))
    return [f"{' '.join(where)}\n  {text}" for text, where in places.items() if text not in ("null", "[]")]


@pytest.mark.parametrize("name", ["bodies", "typed"])
def test_the_answers_about_a_document_are_those_that_are_stored(name):
    view, found = view_of(name)
    lines = ["DOCUMENT"]
    answers = navigation.symbols, navigation.folding_ranges, navigation.lenses, features.formatting
    lines += [shown(item) for answer in answers for item in answer(view, None)]
    lines += map(shown, navigation.hints(view, types.InlayHintParams(HERE, EVERYWHERE)))
    lines += map(shown, navigation.layers_named(view, "RO"))
    for _, one in found:
        params = types.CodeActionParams(HERE, one.range, types.CodeActionContext([one]))
        actions = findings.actions(HERE.uri, view.text, found, params)
        lines += [shown(one), *(f"  {shown(action)}" for action in actions)]
    context = types.ReferenceContext(include_declaration=True)
    for answer, params in (
        (features.hovered, lambda at: types.HoverParams(HERE, at)),
        (navigation.definitions, lambda at: types.DefinitionParams(HERE, at)),
        (navigation.references, lambda at: types.ReferenceParams(context, HERE, at)),
        (navigation.name_range, lambda at: types.PrepareRenameParams(HERE, at)),
        (navigation.signature, lambda at: types.SignatureHelpParams(HERE, at)),
    ):
        lines += ["", answer.__name__.upper()]
        lines += at_each_position(view, lambda at, ask=answer, of=params: ask(view, of(at)))
    assert_stored("".join(f"{line}\n" for line in lines), DOCUMENTS / f"{name}.txt")


def test_the_completions_of_a_document_that_is_being_typed_are_those_that_are_stored():
    """The first labels, and the first item; not where more than two characters are typed."""
    view, _ = view_of("typed")

    def completed(at):
        items = features.completions(view, at, snippets=True).items
        start = items[0].text_edit.range.start.character if items else 0
        if not items or start < at.character - 2:
            return "[]"
        labels = " ".join(item.label for item in items[:7])
        first = features.described(items[0], view.ops)
        return f"{labels}\n  {shown(first)}".replace(
            shown(items[0].text_edit.range), f"{start - at.character}"
        )

    lines = at_each_position(view, completed)
    assert view.ops.page_of("Absent") is None
    assert_stored("".join(f"{line}\n" for line in lines), DOCUMENTS / "typed.completions.txt")
