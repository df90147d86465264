"""Titles of a cell's charts, which state the finding."""

from lib import words


def fitted(one: dict[str, dict]) -> str:
    """The slope of each direction, with its interval within the run shown."""
    parts = []
    for op, verb in words.VERBS.items():
        if op in one and not words.missing(one[op]["theil_sen_gbps"]):
            span = words.interval(one[op]["theil_sen_gbps_low"], one[op]["theil_sen_gbps_high"])
            parts.append(
                f"{verb} {words.gbps(one[op]['theil_sen_gbps'])} GB/s"
                + (f" ({span})" if span else "")
            )
    return f"Slope: {', '.join(parts)}" if parts else "No slope could be fitted"


def apart(one: dict[str, dict]) -> str:
    """The slowest and the fastest file of each direction."""
    parts = [
        f"{verb} {words.interval(one[op]['min_gbps'], one[op]['max_gbps'])} GB/s"
        for op, verb in words.VERBS.items()
        if op in one
    ]
    return f"From file to file: {', '.join(parts)}"


def ordered(one: dict[str, dict]) -> str:
    """Whether order matters in each direction."""
    told = []
    for op, verb in words.VERBS.items():
        if op not in one or words.missing(one[op]["order_correlation"]):
            continue
        figure = f"{one[op]['order_correlation']:+.2f}".replace("-", "\u2212")
        if not one[op]["order_counts"]:
            told.append(f"{verb}, no effect of order ({figure})")
        else:
            later = "slower" if one[op]["order_correlation"] < 0 else "faster"
            told.append(f"{verb}, later files are {later} ({figure})")
    return words.capital("; ".join(told)) if told else "Too few files of a size to see an order"
