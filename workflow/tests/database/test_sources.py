"""Every input of the tables is in a hash: what the next build computes anew follows from them."""

import os
import shutil
from pathlib import Path

import made_up
from probed import keep

import voucher
from database import batch, sources

MAC = {"host": "made-up-a", "release": "macos-26.4-25E241", "scale": "tenth"}


def test_an_edit_that_kept_size_and_time_of_the_file_is_seen(folders):
    made_up.save(made_up.record(**MAC | {"host": "made-up-b"}), folders.runs)
    path = made_up.save(made_up.record(**MAC), folders.runs)
    before = sources.hosts(folders.runs)
    old = path.stat()
    path.write_bytes(path.read_bytes().replace(b'"order": 9,', b'"order": 8,', 1))
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (old.st_size, old.st_mtime_ns)
    after = sources.hosts(folders.runs)
    assert {name for name in before if before[name] != after[name]} == {"made-up-a"}


def test_a_label_that_comes_later_is_seen(folders):
    made_up.save(made_up.record(**MAC), folders.runs)
    before = sources.hosts(folders.runs)
    voucher.write(folders.runs, MAC["host"], MAC["release"], voucher.COMMUNITY)
    assert sources.hosts(folders.runs) != before


def test_hosts_are_batched_whole_and_in_order(monkeypatch):
    monkeypatch.setattr(batch, "BATCH_BYTES", 10)
    hosts = [
        sources.Host(name, (), size, "") for name, size in zip("abcd", (5, 5, 20, 1), strict=True)
    ]
    found = [[host.name for host in one] for one in batch.batches(hosts)]
    assert found == [["a", "b"], ["c"], ["d"]]


def test_every_dependency_of_the_tables_changes_the_hash_of_the_rules(
    folders, tmp_path, monkeypatch
):
    home = shutil.copytree(sources.SCRIPTS, tmp_path / "scripts" / "database")
    shutil.copy(sources.SCRIPTS.parent / "record.py", home.parent)
    published = shutil.copytree(folders.published, tmp_path / "published")
    sql = shutil.copytree(folders.sql, tmp_path / "sql")
    schema = Path(shutil.copy(folders.schema, tmp_path / "schema.json"))
    probes = tmp_path / "probes"
    monkeypatch.setattr(sources, "SCRIPTS", home)
    withdrawn = tmp_path / "withdrawn.csv"
    withdrawn.touch()

    def word():
        return sources.rules(published, sql, schema, probes, withdrawn)

    words = {word()}
    keep(probes, "25E241", {"hdiutil-creates": [True]})
    words.add(word())
    changed = [
        published / "speeds.csv",
        sql / "marts/21_sample.sql",
        sql / "conclusions/83_conclusion_answers.sql",
        home / "build.py",
        home / "statistics" / "series.py",
        home.parent / "record.py",
        schema,
        withdrawn,
        *probes.rglob("probe.json"),
    ]
    for file in changed:
        file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        words.add(word())
    monkeypatch.setattr(sources.importlib.metadata, "version", lambda library: f"{library} 0")
    words.add(word())
    assert len(words) == 1 + 1 + 9 + 1
