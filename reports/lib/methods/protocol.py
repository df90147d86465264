"""The protocols: whose methods they are, and each step by step."""

from lib import project, protocols, show, tables, words
from lib.article import deviations
from lib.database import query


def overview() -> show.Shown:
    """One row for each protocol: whose method it is, how much it writes at most."""
    titles = query("select article, title, published_on from article").set_index("article")
    lines = []
    for name, told in protocols.all_protocols().items():
        about = titles.loc[told["article"]]
        lines.append(
            {
                "protocol": tables.link(name, f"#protocol-{name}"),
                "article": tables.with_small(
                    tables.link(about["title"], f"articles/{told['article']}.html"),
                    words.month(about["published_on"]),
                ),
                "nominal": words.size(told["nominal_bytes"]),
                "scale": told["article_scale"],
                "phases": len(told["phases"]),
            }
        )
    return tables.table(
        lines,
        {
            "protocol": "Protocol",
            "article": "The method of",
            "nominal": "Image",
            "scale": "Scale at most",
            "phases": "Phases",
        },
        "The protocols, and the articles whose methods they are",
        numbers=["nominal", "phases"],
        name="protocols",
    )


def steps(name: str) -> show.Shown:
    """A protocol as it is run, and its file with the article's words beside each step."""
    text = project.text(f"workflow/config/protocols/{name}.yaml").strip()
    return show.together(
        show.html(f'<span id="protocol-{name}"></span>'),
        tables.table(
            protocols.steps(name),
            {"phase": "Phase", "steps": "Steps"},
            f"The protocol {name}, as it is run",
            name=f"steps-{name}",
        ),
        show.folded(
            f"{name}.yaml, {words.count(len(protocols.deviations(name)), 'deviation')}",
            show.text(f"```yaml\n{text}\n```"),
            deviations.table(name),
        ),
        *deviations.machines([name]),
    )
