"""A session with `irops server` for each file of tests."""

import pytest_lsp
from editor import Editor, server_config


@pytest_lsp.fixture(config=server_config(), scope="module")
async def editor(client: Editor):
    await client.start_session()
    yield
    await client.shutdown_session()
