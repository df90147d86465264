"""How much each study writes, the least time it takes, and how often that fills a drive."""

from types import ModuleType

from lib import project, show, tables

LINE = (tables.text("Study", 0), tables.text("Scale", 1))


def written() -> show.Shown:
    """Cells, bytes and times: all studies at each scale, and each study at its article's scale."""
    study = _amounts()
    return tables.table(
        study.rows(),
        [
            *LINE,
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
        ],
        "What one repeat of a study writes, and the least time that it takes",
        name="amounts",
    )


def drives() -> show.Shown:
    """How often each of these fills drives of several sizes."""
    study = _amounts()
    return tables.table(
        study.rows(),
        [
            *LINE,
            *(
                tables.number(drive, 2, lambda amount, size=size: study.times(amount.drives(size)))
                for drive, size in study.DRIVES.items()
            ),
        ],
        "How often one repeat of a study fills a drive of this size",
        name="drives",
    )


def _amounts() -> ModuleType:
    """Amounts computed by the study's own code, so that they agree with the plan."""
    return project.code("study.amounts")
