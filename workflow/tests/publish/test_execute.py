"""The Pythons that run pages, as they start."""

import asyncio
import socket
from pathlib import Path

import nbformat

from publish import plain
from publish.execute import Kernel


def test_a_kernel_whose_port_another_program_took_meanwhile_is_started_again(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("6 * 7")])

    async def run() -> None:
        kernel = Kernel(tmp_path)
        # chosen, and not looked at again
        kernel._manager.cache_ports = False
        kernel._manager.shell_port = taken.getsockname()[1]
        try:
            await kernel.run(Path("page.qmd"), notebook)
        finally:
            await kernel.stop()

    with socket.socket() as taken, plain.jupyter_kept_here():
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        asyncio.run(run())
    assert notebook.cells[0].outputs[0].data["text/plain"] == "42"
