"""The findings of the published sizes, and how many were measured again."""

import pandas as pd

from lib import articles, show, status, words

# verdicts of `article_size_table` that say nothing about the published figure
NO_VERDICT = ("not comparable", "could not be measured", "another release", "too few runs")


def shown(rows: pd.DataFrame) -> show.Shown:
    """Sentences on the published sizes of formats, and how many were measured again."""
    said = rows[rows["quantity"] == "on-disk"].drop_duplicates(["article", "table_order"])
    newest = said[said["article"] == said["article"].iloc[0]]
    sizes = []
    for form, part in newest.groupby("format", sort=False):
        one = {row["state"]: row for row in part.to_dict("records")}
        if {"new", "emptied-again"} <= set(one):
            sizes.append(
                f"{words.form(form)} new {words.printed(one['new'])}, "
                f"emptied {words.printed(one['emptied-again'])}"
            )
    month = words.month(articles.about(newest["article"].iloc[0]).published_on)
    judged = rows[rows["shown"]]
    sentences = [f"Allocated size of a 100 GB image, as published in {month}: {'; '.join(sizes)}."]
    if judged.empty:
        sentences.append(status.no_mac())
    else:
        with_verdict = judged[~judged["verdict"].isin(NO_VERDICT)]
        counts = [
            f"{count} {what}" for what, count in with_verdict["verdict"].value_counts().items()
        ]
        again = words.measured_by("Measured again", with_verdict["vouched_by"])
        sentences.append(
            f"{again}, of {words.count(len(with_verdict), 'figure')} {words.listed(counts)}."
            if counts
            else "No size measured so far has a verdict; the table says why."
        )
    return show.text(" ".join(sentences))
