"""The protocols: their articles, and each step by step."""

from lib import protocols, show, tables, words
from lib.article import deviations, method
from lib.database import query


def overview() -> show.Shown:
    """A row per protocol: its article, and how much it writes at most."""
    titles = query("select article, title, published_on from article").set_index("article")
    return tables.table(
        protocols.all_protocols().items(),
        [
            tables.text(
                "Protocol",
                0,
                lambda name: tables.link(name, f"#protocol-{name}"),
            ),
            tables.text(
                "The method of",
                1,
                lambda protocol: tables.with_small(
                    tables.link(
                        titles.loc[protocol["article"], "title"],
                        f"articles/{protocol['article']}.html",
                    ),
                    words.month(titles.loc[protocol["article"], "published_on"]),
                ),
            ),
            tables.number("Image", 1, lambda protocol: words.size(protocol["nominal_bytes"])),
            tables.text("Scale at most", 1, lambda protocol: protocol["article_scale"]),
            tables.number("Phases", 1, lambda protocol: len(protocol["phases"])),
        ],
        "The protocols, each the method of one article",
        name="protocols",
    )


def steps(name: str) -> show.Shown:
    """The steps of a protocol, its deviations, and where its file is."""
    return show.together(
        show.html(f'<span id="protocol-{name}"></span>'),
        method.phases(name, f"steps-{name}"),
        deviations.shown(name),
        show.text(f"`{protocols.FOLDER}/{name}.yaml` has the article\u2019s words for each step."),
    )
