"""The protocols in words, from the study's own files (`workflow/config/protocols`)."""

from lib import project, words

FOLDER = "workflow/config/protocols"
WORDS = {
    "create": "create the image",
    "attach": "attach",
    "detach": "detach",
    "write": "write all files, timed one by one",
    "read": "read them back in the order written, timed one by one",
    "compact": "compact the image (macOS: sparse bundles and sparse images only)",
    "discard": "delete the image",
}
# steps in a guest that restarts: its own disk is measured, without an image; None: no action
WORDS_IN_GUEST = {
    "create": "make a folder for the files",
    "attach": None,
    "detach": "flush them to the disk",
    "restart": "restart the guest",
}


def all_protocols() -> dict[str, dict]:
    """The contents of every protocol file by name; oldest article first."""
    files = (project.ROOT / FOLDER).glob("*.yaml")
    found = {file.stem: project.document(f"{FOLDER}/{file.name}") for file in files}
    return dict(
        sorted(found.items(), key=lambda one: (one[1]["article"].rpartition("-")[2], one[0]))
    )


def steps(name: str) -> list[dict[str, str]]:
    """A row per phase of a protocol: the phase, and its steps in words."""
    protocol = project.document(f"{FOLDER}/{name}.yaml")
    return [
        {
            "phase": words.phase(phase["phase"]),
            "steps": ", ".join(_steps(phase["steps"])),
        }
        for phase in protocol["phases"]
    ]


def deviations(name: str) -> list[dict[str, str]]:
    """The deviations of a protocol from its article: what, why, expected effect."""
    return all_protocols()[name]["deviations"]


def _steps(steps: list[dict]) -> list[str]:
    """The steps in words. In a guest, files are flushed before it restarts; nothing is detached."""
    if {"step": "restart"} not in steps:
        return [_step(step) for step in steps]
    restart = steps.index({"step": "restart"})
    in_words = [
        WORDS_IN_GUEST.get(step["step"], _step(step))
        for at, step in enumerate(steps)
        if step["step"] != "detach" or at < restart
    ]
    return [step for step in in_words if step]


def _step(step: dict) -> str:
    match step:
        case {"step": "delete", "which": "all"}:
            return "delete all files"
        case {"step": "delete", "which": "last-sets", "sets": sets, "of": of}:
            return f"delete the last {sets} of {of} sets"
        case {"step": "delete", "which": "largest", "files": files}:
            return f"delete the {files} largest files"
        case {"step": "measure", "state": state}:
            return f"record its size ({state})"
        case {"step": "settle", "seconds": seconds}:
            return f"wait {seconds} s"
        case _:
            return WORDS.get(step["step"], step["step"])
