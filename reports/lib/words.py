"""Wording of values on pages: names, figures with units, dates."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial

import pandas as pd

from lib import project

_KNOWN = project.document("workflow/config/vocabulary.yaml")


def _names(kind: str) -> dict[str, str]:
    return {slug: known["name"] for slug, known in _KNOWN[kind].items()}


FORMATS = _names("formats") | {
    "any": "any image",
    "unstated": "disk image, format not stated",
}
ENCRYPTIONS = _names("encryptions") | {"unstated": "encryption not stated"}
PHASES = _names("phases")
PROTOCOLS = _names("protocols")
# the articles' Macs, and one of another publication, which is never compared
HOSTS = _names("hosts") | {"m1-mac": "a Mac with M1 (model not stated)"}
STORAGES = _names("storages")
STATES = _names("states")
# words for codes of reasons: `words` in a sentence, `few` in a table
REASONS: dict[str, dict[str, str]] = _KNOWN["reasons"]
DISTURBED: tuple[str, ...] = tuple(_KNOWN["disturbed"])
COLOURS = {
    slug: known["colour"]
    for kind in ("encryptions", "phases", "protocols")
    for slug, known in _KNOWN[kind].items()
    if "colour" in known
}
# parts of slugs of Macs, for Macs that no article names
MAC_WORDS = {
    "mac": "Mac",
    "macbook": "MacBook",
    "imac": "iMac",
    "mini": "mini",
    "studio": "Studio",
    "air": "Air",
    "pro": "Pro",
    "max": "Max",
    "ultra": "Ultra",
}
BETA = re.compile(r"[A-Z]([5-9]\d{3}|\d{5}|\d{7,})[a-z]$")  # as `is_beta` of the database
SYSTEMS = {"macos": "macOS", "debian": "Debian", "ubuntu": "Ubuntu", "fedora": "Fedora"}
DRIVERS = {
    "native": FORMATS["native"],
    "apple": "images served by macOS",
    "portable": "images served by our own code, without macOS",
}
VERBS = {"write": "writing", "read": "reading"}
STAND_IN = "stand-in, no Mac"  # programs stood in for those of macOS
IMITATED = "images served by programs that imitate those of macOS"
# marks of figures from records that others measured (host.vouched_by)
VOUCHED = {"community": "sent by the community", "hosted runner": "measured on a hosted runner"}
OWN_LAYOUT = "own layout"  # of an encrypted ASIF image: Apple's layout is not public
VERDICTS = {
    "reproduced": "good",
    "costs next to nothing": "good",
    "faster": "good",
    "slower": "poor",
    "smaller": "good",
    "larger": "poor",
    "supported": "good",
    "contradicted": "poor",
}


def host(slug: object) -> str:
    """The name of a machine by its slug; unknown slugs are unchanged."""
    parts = str(slug).split("-")
    if slug not in HOSTS and parts[0] in ("mac", "macbook", "imac"):
        names = [MAC_WORDS.get(part) or _chip(part) for part in parts]
        return " ".join(names) if all(names) else str(slug)
    return name(HOSTS, slug)


def _chip(part: str) -> str:
    return part.upper() if re.fullmatch(r"m\d+", part) else ""


def release(slug: object) -> str:
    """The name of a release by its slug: `macos-26.4-25E246` is macOS 26.4 (25E246).

    `macos-26.4-25E5207k` is macOS 26.4 beta (25E5207k).
    """
    parts = str(slug).split("-", 2)
    if len(parts) < 3 or parts[0] not in SYSTEMS:
        return str(slug)
    system, version, build = parts
    if system == "macos" and BETA.search(build):
        version += " beta"
    return f"{SYSTEMS[system]} {version} ({build})"


def machine(slug: object, of: object, stand_in: bool = False, by: Iterable[object] = ()) -> str:
    """A host and its release; stand-ins are marked.

    `by`: who vouches for its figures (`vouched`).
    """
    said = f"{host(slug)}, {release(of)}" + (f" ({STAND_IN})" if stand_in else "")
    return measured_by(said, by)


def mac(of: object, macos: object) -> str:
    """A Mac and its release of macOS as a source names them; not what it leaves out."""
    return joined(part for part in (host(of), f"macOS {macos}") if "unstated" not in part)


def measured_by(text: str, by: Iterable[object]) -> str:
    """A text, and behind it who measured what it tells of, where that was not this project."""
    return joined([text, vouched(by)])


def vouched(by: Iterable[object]) -> str:
    """Who measured rows with this `vouched_by`; empty if only this project did."""
    vouchers = {word for one in by if not missing(one) for word in str(one).split(" and ")}
    others = listed([VOUCHED[word] for word in sorted(vouchers & VOUCHED.keys())])
    return f"in part {others}" if others and "own" in vouchers else others


def driver(where: object, of: object, slug: object, stand_in: bool) -> str:
    """A host, its release and its driver."""
    served = IMITATED if stand_in and slug == "apple" else on(of, name(DRIVERS, slug))
    return f"{machine(where, of, stand_in)}: {served} (driver {slug})"


def image(form: object, encryption: object, driver: object, band_bytes: object = None) -> str:
    """An image by format and encryption, with our layout and unusual bands or blocks marked."""
    text = name(FORMATS, form)
    if encryption == "unstated":
        text += f", {ENCRYPTIONS['unstated']}"
    elif encryption != "none":
        text += f", {encryption}" if form == "native" else f" {encryption}"
        if (form, driver) == ("ASIF", "portable"):
            text += f" ({OWN_LAYOUT})"
    if missing(band_bytes):
        return text
    what = "blocks" if form == "ASIF" else "bands"
    return f"{text}, {what} of {binary_size(band_bytes)}"


def image_of(row: Mapping[str, object]) -> str:
    """The image of a cell."""
    named = image(row["format"], row["encryption"], row["driver"], row["band_bytes"])
    return on(row["release"], named)


def on(of: object, text: str) -> str:
    """A text about a machine under a release: other machines than Macs may have no SSD."""
    if str(of).startswith("macos-"):
        return text
    return text.replace("the SSD itself", "the disk itself")


def short(form: object) -> str:
    """The short name of a format: `sparse bundle`."""
    return name(FORMATS, form).partition(" (")[0]


def missing(value: object) -> bool:
    """Whether a value is NULL in the database."""
    return value is None or (not isinstance(value, tuple) and bool(pd.isna(value)))


def name(words: dict[str, str], value: object) -> str:
    """The name of a slug; unknown slugs are unchanged."""
    return "" if missing(value) else words.get(str(value), str(value))


form = partial(name, FORMATS)
encryption = partial(name, ENCRYPTIONS)
phase = partial(name, PHASES)
protocol = partial(name, PROTOCOLS)
storage = partial(name, STORAGES)
state = partial(name, STATES)


def gbps(value: object) -> str:
    """A speed in GB/s with two decimals; slow ones with two significant figures."""
    if missing(value):
        return "not measured"
    number = float(value)
    if 0 < number < 0.1:
        return f"{number:#.2g}"
    return f"{number:.2f}"


def interval(low: object, high: object) -> str:
    """The interval of a speed in GB/s."""
    return "" if missing(low) or missing(high) else f"{gbps(low)} to {gbps(high)}"


def size(octets: object, figures: int = 3) -> str:
    """A size in decimal units, to this many significant figures."""
    if missing(octets):
        return "not measured"
    number = float(octets)
    for unit, power in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(number) >= power:
            return f"{significant(number / power, figures)} {unit}"
    return f"{number:.0f} bytes"


def binary_size(octets: object) -> str:
    """A size in binary units, as the tools accept it."""
    number = float(octets)
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:g} {unit}"
        number /= 1024
    return f"{number:g} GiB"


def memory(octets: object) -> str:
    """A size of memory: its GB is 2^30 bytes, as macOS counts."""
    return "unknown" if missing(octets) else f"{significant(float(octets) / 2**30)} GB"


def significant(number: float, figures: int = 3) -> str:
    """A number to this many significant figures, without exponent."""
    if number == 0:
        return "0"
    whole = len(str(int(abs(number)))) if abs(number) >= 1 else 0
    decimals = max(figures - whole, 0)
    # like elsewhere: 1000, but 10,000
    grouped = "," if abs(number) >= 10_000 else ""
    rounded = f"{number:{grouped}.{decimals}f}".replace("-", "\u2212")
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def bound(kind: object, quote: object) -> str:
    """The prefix of an inexact number; `quote` shows whether a bound is included."""
    if kind == "about":
        return "about "
    if kind == "below":
        return "less than " if re.search(r"less than|under", str(quote), re.I) else "at most "
    if kind == "above":
        return "at least " if re.search("at least", str(quote), re.I) else "more than "
    return ""


def printed(row: Mapping[str, object]) -> str:
    """A figure with just the digits that its source prints, and its unit."""
    return joined([row["as_printed"], row["unit"]], " ")


def ratio(value: object) -> str:
    """A ratio of measured to published."""
    return "" if missing(value) else f"{float(value):.2f}\u00d7"


def ratios(low: object, high: object) -> str:
    """The interval of a ratio."""
    return "" if missing(low) or missing(high) else f"{low:.2f} to {high:.2f}"


def percent(part: object) -> str:
    """A share in per cent, with one more digit if it would be rounded to 0."""
    if missing(part):
        return ""
    number = float(part)
    text = f"{number:.0%}"
    if number and text.strip("-") == "0%":
        text = f"{number:.1%}" if abs(number) >= 0.0005 else "less than 0.1%"
    return text.replace("%", "\u00a0%")


def percents(low: object, high: object) -> str:
    """A range of shares, `17 to 55 %`; one share if both ends print the same."""
    low, high = percent(low), percent(high)
    return low if low == high else f"{low.removesuffix('%').rstrip()} to {high}"


def span(low: str, high: str) -> str:
    """A range, `1 to 3`; one figure if both ends print the same."""
    return low if low == high else f"{low} to {high}"


def capital(text: object) -> str:
    """A text with its first letter in upper case and the rest unchanged."""
    return f"{str(text)[:1].upper()}{str(text)[1:]}"


def joined(parts: Iterable[object], by: str = ", ") -> str:
    """What there is of these parts, in a row."""
    return by.join(str(part) for part in parts if not missing(part) and part != "")


def quoted(text: object) -> str:
    """Words of a source, in quotation marks."""
    return f"\u201c{text}\u201d"


def number(count: int) -> str:
    """A small number as a word."""
    return {2: "two", 3: "three", 4: "four", 5: "five"}.get(count, str(count))


def count(number: object, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 file`, `160 files`."""
    return f"{int(number):,} {one if int(number) == 1 else many or one + 's'}"


def runs_of(runs: list[int], files: list[int]) -> str:
    """`3 runs of 160 files`; `1 to 3 runs of 150 to 160 files` if cells differ."""

    return " of ".join(
        f"{span(f'{int(min(numbers)):,}', f'{int(max(numbers)):,}')} "
        f"{what if max(numbers) == 1 else f'{what}s'}"
        for what, numbers in (("run", runs), ("file", files))
    )


def when(moment: object) -> str:
    """A date and time in UTC, to the minute."""
    if missing(moment):
        return "not recorded"
    return pd.Timestamp(moment).strftime("%Y-%m-%d %H:%M UTC")


def day(moment: datetime) -> str:
    """A date."""
    return pd.Timestamp(moment).strftime("%-d %B %Y")


def month(moment: object) -> str:
    """The month of a date, which may be missing."""
    return "unknown date" if missing(moment) else f"{pd.Timestamp(moment):%B %Y}"


def listed(items: list[str], last: str = "and") -> str:
    """A list in words: `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def parts(text: object) -> list[str]:
    """The parts of `a, b, c`, sorted; empty without a text."""
    return [] if missing(text) else sorted(str(text).split(", "))


def value(given: object, otherwise: str = "unknown") -> str:
    """A value of a record, or `otherwise` if it is missing."""
    if missing(given):
        return otherwise
    return f"{int(given):,}" if isinstance(given, float) and given == int(given) else str(given)


def hundredths(low: object, high: object) -> str:
    """A range of numbers with two decimals, such as load averages."""
    if missing(low):
        return "unknown"
    return span(f"{low:.2f}", f"{high:.2f}")


# quantities of an article's numbers that are neither speeds nor sizes
QUANTITIES = {
    "share": "share of the speed",
    "times": "factor",
    "difference": "difference in speed",
    "cpu": "processor time",
    "blocks": "blocks of the SSD",
    "sets": "sets of files",
    "bands": "number of bands",
}
