"""What a record states reaches its tables, and what it does not know is null."""


def test_facts_of_the_record_reach_their_tables(example):
    one = example.execute(
        """
        select host, release, os_name, os_version, protocol, harness_epoch, cache_reached,
            ceiling_write_gbps, cast(started_utc as varchar), seed, position, planned
        from cell where cell = 'made-up-linux/debian-12-6.1.147/usage-phases-gold/internal/native/native-none/1/fresh'
        """
    ).fetchall()
    assert one == [
        ("made-up-linux", "debian-12-6.1.147", "debian", "12", "usage-phases", 1, "none", 12.0,
         "2026-11-20 18:48:19", 305419896, 1, 5)
    ]  # fmt: skip
    machine = "select chip, cores, memory_bytes, virtual_machine, tools, cells, stand_in from host where os_version = '12'"
    assert example.execute(machine).fetchall() == [
        ("made-up chip", "2 performance", 25_769_803_776, True, None, 3, False)
    ]
    assert example.execute("select distinct bus, file_system from storage_device").fetchall() == [
        ("virtio", "ext4")
    ]
    assert example.execute(
        "select moment, load_1min, low_power_mode from condition limit 2"
    ).fetchall() == [("before", 0.12, False), ("after", 1.2, False)]
    assert example.execute(
        'select "order", step, elapsed_ns, note from step limit 2'
    ).fetchall() == [(1, "create", 1234, None), (2, "detach", 1, "nothing to detach")]
    sizes = "select state, allocated_bytes, apparent_bytes, bands, free_bytes from container_size"
    assert example.execute(f"{sizes} limit 1").fetchall() == [("new", 4096, 0, None, 1)]


def test_what_a_record_does_not_know_or_is_older_than_is_null(save, query):
    unknown = dict.fromkeys(("chip", "memory_bytes", "virtual_machine")) | {"cores": []}
    nothing = dict.fromkeys(("ceiling", "position", "planned", "access")) | {"host": unknown}
    save(parts=nothing, release="debian-13-6.12.1")
    save(repeat=2)
    newer = {
        f"{what}_bytes_per_second": speed * 10**9
        for what, speed in (("null_write", 400), ("null_read", 900), ("content", 75))
    }
    for repeat, access in ((3, (3, 4_194_304)), (4, (0, None))):
        keys = ("cipher_threads", "ahead_bytes")
        save(
            parts={"ceiling": newer, "access": dict(zip(keys, access, strict=True))}, repeat=repeat
        )
    limits = "ceiling_write_gbps, ceiling_null_write_gbps, ceiling_null_read_gbps, ceiling_content_gbps, ceiling_clock_ns"
    assert query(f"select position, {limits}, cipher_threads, ahead_bytes from cell order by repeat") == [
        (None,) * 8,
        (1, 12.0, None, None, None, 63, None, None),
        (1, 12.0, 400.0, 900.0, 75.0, 63, 3, 4_194_304),
        (1, 12.0, 400.0, 900.0, 75.0, 63, 0, None),
    ]  # fmt: skip
    facts = (
        "select chip, cores, memory_bytes, virtual_machine from host order by release desc limit 1"
    )
    assert query(facts) == [(None,) * 4]


def test_records_that_a_test_made_mark_their_host(save, query):
    marked = [
        ("mac-mini-m4-pro", "Mac16,11", "Apple M4 Pro", False),
        ("linux-box", None, None, False),
        ("made-up-linux", None, "Apple M4 Pro", True),
        ("mac-mini-m4-pro", None, "made-up chip", True),
        ("mac-mini-m4-pro", "synthetic", "Apple M4 Pro", True),
    ]
    for number, (host, model, chip, _) in enumerate(marked):
        save(parts={"host": {"model": model, "chip": chip}}, host=host, release=f"macos-26.{number}-25A")  # fmt: skip
    found = query("select made_up from host order by release")
    assert found == [(mark,) for *_, mark in marked]


def test_of_records_that_differ_the_latest_describes_the_machine_and_its_disk(save, query):
    for day, bus in ((2, "usb4"), (3, "apple-fabric"), (1, "virtio")):
        facts = {"memory_bytes": day << 30, "storage": {"bus": bus}}
        parts = {"started_utc": f"2026-11-0{day}T10:00:00Z", "host": facts}
        save(parts=parts, scale="tenth", repeat=day)
    found = "select memory_bytes, bus from host inner join storage_device using (host, release)"
    assert query(found) == [(3 << 30, "apple-fabric")]
