"""The allowed words in files of published figures."""

import vocabulary

UNSTATED = "unstated"
HOSTS, STORAGES, FORMATS, ENCRYPTIONS, PHASES, PROTOCOLS = (
    {*known, UNSTATED}
    for known in (
        vocabulary.HOSTS,
        vocabulary.STORAGES,
        vocabulary.FORMATS,
        vocabulary.ENCRYPTIONS,
        vocabulary.PHASES,
        vocabulary.PROTOCOLS,
    )
)
SCALES = {"gold", "half", "tenth", UNSTATED}
KINDS = {"exact", "about", "below", "above"}
ANY_KIND = KINDS | {"range"}
SHAPES = {"stated", "inferred from the text"}
SIZE_QUANTITIES = {
    "on-disk",
    "nominal",
    "free",
    "reclaimed",
    "band",
    "block",
    "bands",
    "capacity",
    "files",
    "files-total",
    "files-left",
    "files-deleted",
    "smallest-file",
    "largest-file",
    "smallest-deleted-file",
    "largest-deleted-file",
}
SIZE_STATES = {*vocabulary.STATES, "any"}
SIZE_UNITS = {"bytes", "MB", "GB", "TB", "bands", "files"}
# quantities of the other figures
QUANTITIES = {
    "speed",  # a bound, a range or a rating, not one measurement's result
    "share",  # of the speed of the compared image
    "times",  # the speed of the compared image
    "difference",  # in speed, from the compared image
    "cpu",  # share of a core that a process used
    "cores",
    "memory",
    "sets",  # passes over the 16 file sizes
    "tests",
    "images",
    "bands",
    "blocks",
    "wait",
    "age",
    "year",
    "version",
    "capacity",
}
FIGURE_UNITS = {
    "GB/s",
    "Gb/s",
    "%",
    "times",
    "cores",
    "GB",
    "MB",
    "sets",
    "tests",
    "images",
    "bands",
    "blocks",
    "seconds",
    "months",
    "years",
    "year",
    "version",
}

# of the figures in elsewhere.csv: Macs and disks that no article of ours measured
OTHER_QUANTITIES = {
    "speed",
    "on-disk",
    "nominal",
    "growth on disk",
    "gain over a sparse image",
    "share of the speed of the disk",
    "share of the speed without encryption",
    "share of the nominal size",
    "files-total",
    "files",
}

# how much of the article was read
READ_AS = {"opening", "second-hand"}

# factor from the printed unit to the unit of the tables
SPEED_UNITS = {"GB/s": "1", "MB/s": "0.001"}

# numbers that the articles write as words
NUMBER_WORDS = {
    "half": "0.5",
    "twice": "2",
    "two": "2",
    "three": "3",
    "five": "5",
    "ten": "10",
    "one-tenth": "0.1",
    "one tenth": "0.1",
}

# what a conclusion compares, and the words that decide it (workflow/sql/marts/18_verdict_rule.sql)
COMPARISONS = {"speed", "size", "reclaimed", "spread", "rounds", "relation"}
RULES = {
    "more",
    "less than",
    "no more",
    "the same",
    "about",
    "just under",
    "almost",
    "almost a figure",
    "similar",
    "slightly more",
    "significantly more",
    "high",
    "much more",
    "little",
    "no relationship",
}
