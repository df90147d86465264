"""Archives as another project would send them, and how they are taken in here."""

from pathlib import Path

from harmful import file_of

import voucher
from contribution import archive
from contribution.taking import take
from proofs.support import bulk, records
from proofs.support.bulk import hourly as record

PROJECT = Path(__file__).parents[3]
EPOCH_3 = {"name": "diskbench-core", "version": "0.1.0", "epoch": 3}
HOST = "mac-mini-m4-pro"
RELEASE = bulk.RELEASES[1]
EARLIER = {
    "failed": {"status": "failed", "reason": "the volume vanished", "samples": [], "sizes": []},
    "skipped": {"status": "skipped", "reason": "no ASIF", "samples": [], "sizes": []},
    "of an older epoch": {"harness": {"name": "diskbench-core", "version": "0.1.0", "epoch": 2}},
}


def save(number=0, host=HOST, folder="data/runs", **changes):
    made = record(host, number)
    made["cell"] |= changes
    return records.save(made, Path(folder))


def sent(name="sent.tgz", numbers=(0, 1), host=HOST, sender="a"):
    """An archive of records of another project."""
    return packed(name, sender, *(record(host, number) for number in numbers))


def packed(name, sender, *made):
    """An archive of records, with the mark of a sender."""
    path = Path(name)
    path.write_bytes(archive.pack(dict(map(file_of, made)) | {archive.SENDER: mark(sender)}))
    return path


def mark(sender):
    return f"{sender * 32}\n".encode()


def taken(path, by=voucher.COMMUNITY, same_mac=False):
    return take(path, by, same_mac=same_mac)
