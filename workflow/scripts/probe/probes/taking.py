"""Probes of detaching, once and many times."""

import time
from collections import Counter
from typing import Any

from probe import inventory, lines
from probe.bench import Bench, Image, UnseenError
from probe.programs import Answer

# attach and detach cycles in all; each takes about half a second on an idle Mac
TRIES = 200
# seconds reserved for the rest of the probe
LEFT_FOR_OTHERS = 90
# fewer cycles say nothing about a rate of one in a hundred
LEAST_TRIES = 100
# from this release on the driver detaches with diskutil (core: image/apple/capabilities.rs)
EJECTS_SINCE = 27

# how long the driver waits for a device to disappear (core: image/macos/detach.rs, GOING_MS)
GOING_SECONDS = (0, 0.1, 0.2, 0.4, 0.8, 1.6)


def detaching(bench: Bench) -> None:
    """Detaching with each program, of images attached by either."""
    for image in (one for one in list(bench.images.values()) if one.encryption == "none"):
        for program in ("hdiutil", "diskutil"):
            statement = "hdiutil-detaches" if program == "hdiutil" else "eject-detaches"
            with bench.attached(image, image.tool) as (_, attached):
                if attached is None:
                    bench.cannot(statement, f"{image.name} could not be attached")
                    continue
                name = f"detach-{image.name}-with-{program}"
                answer = _detach(bench, name, program, attached.disk)
                done = f"{program}: detach {image.name}"
                gone = _goes(bench) if answer.is_good else False
                bench.saw_end(statement, answer, done, works=True)
                if answer.is_good:
                    seen = "gone" if gone else "still listed"
                    bench.saw("detached-images-are-gone", done, seen, gone)


def _detach(bench: Bench, name: str | None, program: str, disk: str) -> Answer:
    return bench.programs.call(name, *lines.call(f"detach by {program}", disk=disk), limit=60)


def _goes(bench: Bench) -> bool:
    for pause in GOING_SECONDS:
        time.sleep(pause)
        if not inventory.attached(bench.programs, bench.folder):
            return True
    return False


def series(bench: Bench) -> None:
    """How often attaching and detaching fail, and how long they take."""
    images = [
        one
        for key in (("hdiutil", "UDSB", "none"), ("diskutil", "ASIF", "none"))
        if (one := bench.images.get(key))
    ]
    if not images:
        raise UnseenError("no image could be made")
    for image in images:
        found = _series(bench, image, TRIES // len(images))
        bench.series.append(found)
    tries = sum(one["tries"] for one in bench.series)
    failed = sum(sum(one["failures"].values()) for one in bench.series)
    seen = f"{failed} of {tries} tries failed"
    done = f"attach and detach {tries} times"
    if tries < LEAST_TRIES:
        bench.cannot("retries-suffice", f"time was left for {tries} tries; {failed} failed")
    else:
        bench.saw("retries-suffice", done, seen, failed * 100 < tries)
    words = bench.statement("detach-times-out").words[0]
    if any(words in text.lower() for one in bench.series for text in one["failures"]):
        bench.saw("detach-times-out", done, "it was said", True)
    else:
        bench.cannot("detach-times-out", f"it was not said in {tries} tries")


def _series(bench: Bench, image: Image, tries: int) -> dict[str, Any]:
    program = (
        "diskutil" if image.tool == "diskutil" or bench.mac.release >= EJECTS_SINCE else "hdiutil"
    )
    failures: Counter[str] = Counter()
    attach_ms: list[int] = []
    detach_ms: list[int] = []
    done = 0
    while done < tries and bench.programs.left() > LEFT_FOR_OTHERS:
        done += 1
        answer = bench.attach_call(image, image.tool, None, bench.mount_point())
        disk = inventory.whole_disk(inventory.read(answer.stdout))
        if not answer.is_good or disk is None:
            failures[f"attach: {bench.cleaner.text(answer.message)[:200]}"] += 1
            bench.detach_all()
            continue
        attach_ms.append(answer.elapsed_ms)
        answer = _detach(bench, None, program, disk)
        if answer.is_good:
            detach_ms.append(answer.elapsed_ms)
        else:
            failures[f"detach: {bench.cleaner.text(answer.message)[:200]}"] += 1
            bench.detach_all()
    return {
        "format": image.format,
        "attached_by": image.tool,
        "detached_by": program,
        "tries": done,
        "failures": dict(failures),
        "attach_ms": attach_ms,
        "detach_ms": detach_ms,
    }
