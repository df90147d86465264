"""In which order values stand on pages, as SQL: that of the vocabulary."""

from lib import words

SCALES = ("gold", "half", "tenth", "smoke")  # the largest first

_KNOWN = {
    "format": words.FORMATS,
    "encryption": words.ENCRYPTIONS,
    "phase": words.PHASES,
    "protocol": words.PROTOCOLS,
    "driver": words.DRIVERS,
    "scale": SCALES,
}


def by(*columns: str) -> str:
    """What to order by: known values of these columns in their order, others behind."""
    known = {column: [*_KNOWN[column.rpartition(".")[2]]] for column in columns}
    return ", ".join(f"list_position({values}, {column})" for column, values in known.items())


# cells of one machine
CELLS = (
    f"{by('driver', 'protocol')}, protocol, {by('scale')}, storage, {by('format', 'encryption')}, "
    f"band_bytes nulls first, repeat, {by('phase')}"
)
