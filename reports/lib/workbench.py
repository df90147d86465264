"""The HTML of the page `query`: editor, result area and list of tables.

It is static, so that examples and tables can be read without the engine; the rest is in
`assets/query/page.js`.
"""

from dataclasses import asdict
from html import escape
from string import Template

from lib import dictionary, downloads, engine, links, show, theme, words
from lib.database import query
from lib.examples import EXAMPLES

FORM = engine.SOURCES / "workbench.html"
OUT = (
    "**No SQL engine: this page cannot run queries.** The engine comes from the npm registry, and "
    "could not be fetched when this site was made. Make the site again with a network: "
    "`bash workflow/run.sh`. Until then the same queries run in the "
    "[duckdb](https://duckdb.org) program, over [the database]({database})."
)


def missing() -> show.Shown | None:
    """A notice with the next step if the engine is missing."""
    if engine.made():
        return None
    return show.text(OUT.format(database=links.to(f"downloads/{downloads.DATABASE}")))


def workbench() -> show.Shown:
    """The editor, the result area and the list of tables."""
    first = EXAMPLES[0]
    options = "".join(
        f'<option value="{number}">{escape(example.title)}</option>'
        for number, example in enumerate(EXAMPLES)
    )
    form = Template(FORM.read_text(encoding="utf-8"))
    return show.html(
        form.substitute(
            options=options,
            sql=escape(first.sql, quote=False),
            tables=_tables(),
            settings=_settings(),
        )
    )


def _settings() -> str:
    """Settings for the page's script, as inert JSON."""
    made, database = engine.made(), downloads.database()
    look = {"colours": theme.SERIES, "config": theme.house()["config"]}
    settings = {
        "engine": made and _packed("engine", made),
        "database": _packed("downloads/packed", database),
        "examples": [
            {
                "sql": example.sql,
                "chart": example.chart and asdict(example.chart),
            }
            for example in EXAMPLES
        ],
        "look": look,
    }
    return show.in_script(settings)


def _packed(folder: str, state: dict) -> dict:
    """Addresses of compressed parts, for `payload.js`."""
    numbers = {name: state[name] for name in ("parts", "bytes")}
    return {"folder": folder, **numbers, "stamp": state["made_from"]}


def _tables() -> str:
    """Every table with its columns; clicking a name inserts it. Comments are on the page Data."""
    # SQL keywords that need quotes as names
    reserved = set(
        query(
            """
            select keyword_name from duckdb_keywords()
            where keyword_category in ('reserved', 'type_function')
            """
        )["keyword_name"]
    )
    columns = dictionary.columns()
    tables = dictionary.contents().rename(columns={"table": "name"}).sort_values("name")
    parts = []
    for table in tables.itertuples():
        of_table = columns[columns["table"] == table.name]
        # the ends that HTML implies are left out: there are hundreds of columns
        listed = "\n".join(
            f"<li>{_button(column.column, reserved)} <i>{escape(column.type.lower())}</i>"
            for column in of_table.itertuples()
        )
        parts.append(
            f'<li data-table="{escape(table.name)}">'
            f"{_button(table.name, reserved)} <small>{words.count(table.rows, 'row')}; "
            f'<a href="data.html#table-{escape(table.name)}" '
            f'aria-label="comments: {escape(table.name)}">comments</a></small>'
            f"<details><summary>{len(of_table)} columns of {escape(table.name)}</summary>"
            f"<ul>\n{listed}\n</ul></details></li>"
        )
    return "\n".join(parts)


def _button(name: str, reserved: set[str]) -> str:
    """A button that inserts a name into the editor, quoted if SQL needs that."""
    plain = name.isidentifier() and name == name.lower() and name not in reserved
    quoted = "" if plain else f' data-insert="{escape(chr(34) + name + chr(34))}"'
    return f"<button{quoted}>{escape(name)}</button>"
