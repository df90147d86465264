"""Every reason code has words, and every sentence of older cores is recognized."""

import json
import re

import made_up

import vocabulary

# as cores wrote them before records had codes
SENTENCES = {
    "load was 2.20 before the cell: something else may have been running": "busy",
    "load was 7.25 after the restart, before the rest of the cell: something else may have been running": "busy",
    "the machine ran on battery: it may have saved energy": "battery",
    "low power mode was on: the machine was slowed down": "low-power",
    "the thermal state was fair before the cell: the machine may have been slowed down": "hot",
    "memory was under pressure: other programs were using it": "memory-pressure",
    "only 99.00 GB were free: nearly full disks are slower": "nearly-full",
    "the machine slept during 3 files, or diskbench was stopped (Ctrl-Z): their times say nothing": "slept",
    "cache bypass was asked for, none reached: the file system refused it, or used its cache all the same": "cache-not-reached",
    "cache drop was asked for, none reached: files stayed in memory, or none was dropped": "cache-not-reached",
    "durability full was asked for, fsync reached: the file system refused it": "durability-not-reached",
    "blocks of 512 bytes are too small to be written past the cache on this system": "blocks-cached",
    "5.33 GB of the 5.33 GB that were read had not been dropped from memory: these reads may be memory's": "read-from-memory",
    "the files were in memory, not on a disk: the figures are memory's": "in-memory",
    "content was checked while reading: read times include it and cannot be compared": "checked",
    "writing was nearly as fast as the harness without a disk: its figures are the harness's and the memory's, and say "
    "at most that the disk is not slower": "near-limit",
    "encrypted ASIF has a layout of our own: Apple's is not publicly known": "own-layout",
    "the cell says encryption FileVault, but the disk has none": "encryption-differs",
    "the thread that measures had the class background, not user-initiated: it may have run slowly": "low-class",
    "the I/O policy was throttle, not important: the figures are the throttle's, not the disk's": "io-policy",
    "the I/O policy was standard, not important": "io-policy",
    "the machine could not be kept from falling asleep": "may-sleep",
    "Spotlight was not kept away from the image's volume: it may have read there": "indexed",
    "the image's volume kept a log of its changes: writing it takes time": "event-log",
    "Time Machine was not kept away from the image: it may have read it": "backed-up",
    "the machine was not quite the same before and after the restart: stated is what it was after it": "machine-changed",
    "what was done so that nothing disturbs was not the same before and after the restart: stated is what was done "
    "after it": "quiet-changed",
    "the clock of the machine was set back by 5 s meanwhile: no duration depends on it, and the end is stated by the "
    "clock of the beginning": "clock-set",
    "the image could not be compacted: the sizes after that are not those of a compacted image": "not-compacted",
    "diskbench was translated by Rosetta: the architecture is not the machine's, and times may be longer": "translated",
}  # fmt: skip


def test_the_sentences_of_older_records_are_known_by_their_codes(save, query):
    save(parts={"warnings": [*SENTENCES, "a sentence of nobody"]})
    found = query('select warning, code from warning order by "order"')
    assert found == [*SENTENCES.items(), ("a sentence of nobody", None)]
    assert set(SENTENCES.values()) == set(vocabulary.WARNINGS)


def test_no_size_after_a_compaction_that_failed_is_one_of_a_compacted_image(save, query):
    sizes = made_up.sized(
        made_up.record(), *((state, 4096, None, None) for state in ("emptied-again", "compacted"))
    )["sizes"]
    for repeat, codes in ((1, []), (2, ["not-compacted"])):
        parts = {"sizes": sizes, "warnings": ["a sentence"] * len(codes), "warning_codes": codes}
        save(repeat=repeat, parts=parts)
    found = query(
        'select repeat, state from container_size join cell using (cell) order by repeat, "order"'
    )
    assert found == [(1, "emptied-again"), (1, "compacted"), (2, "emptied-again")]


def test_every_code_that_the_core_can_write_is_known(folders):
    schema = json.loads(folders.schema.read_text(encoding="utf-8"))
    codes = {one["const"] for one in schema["$defs"]["WarningCode"]["oneOf"]}
    assert codes == set(vocabulary.WARNINGS)


def test_every_code_of_the_tables_has_its_words(folders, example):
    written = set()
    for file in folders.sql.rglob("*.sql"):
        text = file.read_text(encoding="utf-8")
        if "codes(" in text:
            written |= set(re.findall(r"case when .* then '([a-z-]+)' end\b", text))
            written |= set(re.findall(r"then \['([a-z-]+)'\]", text))
    assert {"smoke", "near-limit", "no-native", "other-chip", "other-storage"} <= written
    known = {code for (code,) in example.execute("select code from reason").fetchall()}
    assert known == set(vocabulary.REASONS)
    assert written <= known


def test_the_core_warns_from_the_share_of_its_limit_on_that_the_rules_have(folders, example):
    source = folders.schema.parents[2] / "core/diskbench-core/src/ceiling.rs"
    percent = re.search(r"NEAR_PERCENT: \w+ = (\d+);", source.read_text(encoding="utf-8"))[1]
    asked = (
        "select tolerance from verdict_rule where comparison = 'measured_speed' and rule = 'limit'"
    )
    assert example.execute(asked).fetchone() == (int(percent) / 100,)
