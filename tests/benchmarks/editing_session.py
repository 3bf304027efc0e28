"""Records a session of an editor: edits that break and repair a file of 5,000 layers, with the time of each
answer of `irops server`.

example:
  python tests/benchmarks/editing_session.py
  python tests/benchmarks/editing_session.py --layers 20000
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from lsprotocol import types

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from editor import Editor, server_config
from reading_models import write


class Session:
    """A session; text: the document as the editor has it."""

    def __init__(self, editor: Editor, uri: str, text: str) -> None:
        self.editor, self.uri, self.text, self.version = editor, uri, text, 1
        self.document = types.TextDocumentIdentifier(uri)

    async def timed(self, what: str, answer: Awaitable[Any]) -> Any:
        start = time.perf_counter()
        result = await answer
        took = time.perf_counter() - start
        size = (
            ""
            if result is None or isinstance(result, str)
            else f"{len(getattr(result, 'items', result))} items"
        )
        print(f"{what:58} {1000 * took:8.0f} ms  {size}")
        return result

    async def edit(self, what: str, old: str, new: str) -> None:
        """Replace the first occurrence of a text, and wait for the diagnostics."""
        offset = self.text.index(old)
        line = self.text.count("\n", 0, offset)
        column = offset - (self.text.rfind("\n", 0, offset) + 1)
        where = types.Range(types.Position(line, column), types.Position(line, column + len(old)))
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        self.editor.edit(self.uri, self.version, new, where)
        findings = await self.timed(what, self.editor.checked(self.uri, self.version))
        for one in findings[:2]:
            print(f"    {one.range.start} {one.code} {one.message.splitlines()[0]}")


async def record(layers: int) -> None:
    editor = await server_config().start()
    assert isinstance(editor, Editor)
    with tempfile.TemporaryDirectory() as folder:
        path = write(f"chain:{layers}", Path(folder))
        text = path.read_text()
        print(f"{text.count('<layer ')} layers, {len(text):,} characters; times include the pause of 150 ms")
        start = time.perf_counter()
        await editor.start_session()
        print(f"{'start the server':58} {1000 * (time.perf_counter() - start):8.0f} ms")
        session = Session(editor, editor.open(path), text)
        await session.timed("open: diagnostics", editor.checked(session.uri))
        await edits(session)
        await requests(session)
    await editor.shutdown_session()
    await editor.stop()


async def edits(session: Session) -> None:
    """Break and repair the file: its text, an attribute, an edge."""
    flags, unquoted, wrong = (
        f'transpose_a={flag} transpose_b="false"' for flag in ('"false"', '"false', '"no"')
    )
    await session.edit("remove a quote: the file is not well-formed", flags, unquoted)
    await session.edit("write the quote again", unquoted, flags)
    await session.edit("write a value outside the domain", flags, wrong)
    await session.edit("write the value again", wrong, flags)
    last = session.text.rindex("<edge ")
    edge = session.text[last : session.text.index("\n", last)]
    number = edge.split('"')[1]
    absent = edge.replace(f'from-layer="{number}"', 'from-layer="999999"')
    await session.edit("let an edge start at a layer that does not exist", edge, absent)
    await session.edit("write the edge again", absent, edge)


async def requests(session: Session) -> None:
    """Ask what an editor asks while one reads and types."""
    editor, document, lines = session.editor, session.document, session.text.splitlines()
    middle = len(lines) // 2
    line = next(k for k in range(middle, len(lines)) if 'type="MatMul"' in lines[k])
    here = types.Position(line, lines[line].index('type="MatMul"'))
    data = types.Position(line + 1, lines[line + 1].index("transpose_b"))
    around = types.Range(types.Position(line - 30, 0), types.Position(line + 30, 0))
    context = types.ReferenceContext(True)
    ask = session.timed
    await ask("hover over a layer", editor.hover(session.uri, line, here.character))
    await ask("hover over an attribute", editor.hover(session.uri, data.line, data.character))
    find = types.DefinitionParams(document, here)
    await ask("definition", editor.text_document_definition_async(find))
    refer = types.ReferenceParams(context, document, here)
    await ask("references", editor.text_document_references_async(refer))
    complete = types.CompletionParams(document, data)
    await ask("completion of an attribute", editor.text_document_completion_async(complete))
    hints = types.InlayHintParams(document, around)
    await ask("inlay hints of 60 lines", editor.text_document_inlay_hint_async(hints))
    listed = types.DocumentSymbolParams(document)
    await ask("symbols", editor.text_document_document_symbol_async(listed))
    folded = types.FoldingRangeParams(document)
    await ask("folding ranges", editor.text_document_folding_range_async(folded))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, default=5000)
    asyncio.run(record(parser.parse_args().layers))
