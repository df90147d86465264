"""The probes by name in the order of running: cheap and informative ones first."""

from collections.abc import Callable
from dataclasses import dataclass

from probe.bench import Bench
from probe.probes import failing, files, images, machine, opening, structure, taking


@dataclass(frozen=True)
class Probe:
    """A probe; `of_kernel` if it needs a Mac's kernel, which stand-ins lack."""

    name: str
    look: Callable[[Bench], None]
    of_kernel: bool = False


PROBES = (
    Probe("facts", machine.facts),
    Probe("creating", images.creating),
    Probe("layouts", structure.layouts),
    Probe("asif", structure.asif),
    Probe("encrypted-layouts", structure.encrypted_layouts),
    Probe("identifying", images.identifying),
    Probe("attaching", opening.attaching),
    Probe("inventory", opening.inventories),
    Probe("mount-points", opening.mount_points),
    Probe("detaching", taking.detaching),
    Probe("refusals", failing.refusals),
    Probe("passphrases", failing.passphrases),
    Probe("locked", failing.locked),
    Probe("busy", failing.busy),
    Probe("no-space", failing.no_space),
    Probe("language", failing.language),
    Probe("compacting", images.compacting),
    Probe("battery", images.battery),
    Probe("backup", machine.backup),
    Probe("own-images", images.own_images),
    Probe("sizes", images.sizes),
    Probe("disk", machine.disk, of_kernel=True),
    Probe("policy", machine.policy, of_kernel=True),
    Probe("cache", machine.cache, of_kernel=True),
    Probe("rewriting", files.rewriting, of_kernel=True),
    Probe("event-log", files.event_log, of_kernel=True),
    Probe("freeing", files.freeing, of_kernel=True),
    Probe("helpers", machine.helpers, of_kernel=True),
    Probe("series", taking.series),
    # writes the most
    Probe("sparse-nodes", structure.sparse_nodes, of_kernel=True),
)
