"""Where we deviate from an article's method."""

from lib import protocols, show, tables, words


def shown(name: str) -> show.Shown:
    """Each deviation of a protocol, its reason and its expected effect, folded."""
    found = protocols.deviations(name)
    table = tables.table(
        found,
        [
            tables.sentence("What", "what"),
            tables.text("Why", "why"),
            tables.text("Expected effect", "effect"),
        ],
        f"Deviations of the protocol {name} from its article",
        name=f"deviations-{name}",
    )
    count = words.count(len(found), "deviation")
    return show.folded(f"How {name} differs from the article: {count}", table)
