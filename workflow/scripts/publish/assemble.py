"""Turns the executed parts of a page into Markdown for pandoc, as Quarto does."""

from publish.parts import Part, split_options


def assemble(parts: list[Part], defaults: dict) -> str:
    """The Markdown of a page; `defaults` are options of cells."""
    return "\n\n".join(_cell(part, defaults) if part.is_cell else part.source for part in parts)


def _cell(cell: Part, defaults: dict) -> str:
    options, code = split_options(cell.source)
    options = defaults | options
    wanted = options.get("output", True)
    outputs = cell.shown if wanted else []
    if wanted == "asis":  # no enclosing div: its headings belong to the page's table of contents
        return "\n\n".join(outputs)
    echoed = options.get("echo", True) and code
    blocks = [f"````{{.python .cell-code}}\n{code}\n````"] if echoed else []
    blocks += [f"::: {{.cell-output}}\n\n{output}\n\n:::" for output in outputs if output]
    return "\n\n".join([f"::: {{.cell #{cell.label}}}", *blocks, ":::"]) if blocks else ""
