"""How much each study writes, the least time it takes, and how often that fills a drive."""

from lib import project, show, tables


def table() -> show.Shown:
    """All studies at each scale, and each study at its article's scale.

    The study's own code computes them, so that they agree with the plan.
    """
    study = project.code("study.amounts")
    return tables.table(
        study.rows(),
        [
            tables.text("Study", 0),
            tables.text("Scale", 1),
            tables.number("Cells", 2, lambda amount: amount.cells),
            tables.number("Written", 2, lambda amount: study.size(amount.written)),
            *(
                tables.number(
                    f"At {speed} GB/s",
                    2,
                    lambda amount, speed=speed: study.duration(amount.seconds(speed)),
                )
                for speed in study.SPEEDS
            ),
            *(
                tables.number(
                    f"Fills {drive}",
                    2,
                    lambda amount, size=size: study.times(amount.drives(size)),
                )
                for drive, size in study.DRIVES.items()
            ),
        ],
        "What one repeat of a study writes, the least time that it takes, and how often it fills a "
        "drive of this size",
        name="amounts",
        classes="wide",
    )
