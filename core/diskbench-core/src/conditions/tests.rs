//! An idle machine gets no warning, and each disturbance its own.

use system::flush::Durability;

use super::{Evidence, warnings};
use crate::cell::{Cache, Encryption};
use crate::image::Reached;
use crate::record::{Ceiling, Cores, Op, Power, Pressure, Record, Sample, Snapshot, Thermal};
use crate::testing::{self, record};
use crate::warning::{Warning, WarningCode as Code};

/// The warnings of a quiet cell after these changes.
fn after(change: impl FnOnce(&mut Record, &mut Reached)) -> Vec<Warning> {
    with_pass(&record().conditions.before, change)
}

/// The same where the machine was in this state after a pass.
fn with_pass(state: &Snapshot, change: impl FnOnce(&mut Record, &mut Reached)) -> Vec<Warning> {
    let mut record = record();
    record.samples.clear();
    let mut reached = Reached { cache: Cache::None, durability: Durability::None };
    change(&mut record, &mut reached);
    warnings(&Evidence {
        cell: &record.cell,
        host: &record.host,
        conditions: &record.conditions,
        meanwhile: &[
            ("after step 6 (write) of".to_owned(), state.clone()),
            ("after step 9 (read) of".to_owned(), testing::record().conditions.after),
        ],
        reached,
        samples: &record.samples,
        ceiling: record.ceiling,
        warm_read_bytes: 0,
        total_bytes: Some(1_000_000_000_000),
        checked: false,
    })
}

#[test]
fn a_quiet_machine_earns_no_warning() {
    assert_eq!(after(|_, _| {}), Vec::new());
}

#[test]
fn what_was_over_at_the_end_of_the_cell_earns_the_same_warnings() {
    let state = Snapshot {
        load_1min_milli: Some(9000),
        power_source: Power::Battery,
        low_power_mode: Some(true),
        thermal_state: Thermal::Serious,
        free_bytes: Some(99_000_000_000),
        memory_available_bytes: None,
        memory_pressure: Some(Pressure::Critical),
    };
    let found = with_pass(&state, |_, _| {});
    let codes: Vec<Code> = found.iter().map(|warning| warning.code).collect();
    assert_eq!(
        codes,
        [
            Code::Busy,
            Code::Battery,
            Code::LowPower,
            Code::Hot,
            Code::MemoryPressure,
            Code::NearlyFull
        ]
    );
    assert!(found[0].text.starts_with("load was 9.00 after step 6 (write) of the cell"));
    assert!(found[3].text.starts_with("the thermal state was serious after step 6 (write) of"));
}

#[test]
fn a_mac_s_own_work_in_the_background_is_nothing_else() {
    let busy = |system: &str, cores: &[(&str, u64)], load_milli: u64| {
        after(|record, _| {
            record.host.os.name = system.to_owned();
            let cores = cores.iter();
            record.host.cores =
                cores.map(|&(kind, count)| Cores { kind: kind.to_owned(), count }).collect();
            record.conditions.before.load_1min_milli = Some(load_milli);
        })
    };
    let m4_pro = [("performance", 8), ("efficiency", 4)];
    assert_eq!(busy("macos", &m4_pro, 6000), Vec::new());
    assert_eq!(busy("macos", &m4_pro, 6010).len(), 1);
    assert_eq!(busy("debian", &m4_pro, 2010).len(), 1);
    // which names its levels in another way
    let m5_pro = [("super", 6), ("performance", 12)];
    assert_eq!(busy("macos", &m5_pro, 14_000), Vec::new());
    assert_eq!(busy("macos", &m5_pro, 14_010).len(), 1);
    // of an Intel Mac's one kind none is left to the background
    assert_eq!(busy("macos", &[("performance", 8)], 2010).len(), 1);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn each_thing_that_is_not_quiet_earns_one_warning_of_its_own() {
    let sample =
        Sample { op: Op::Read, order: 1, set: 1, size_bytes: 1, elapsed_ns: 1, slept: true };
    let fast = Sample { op: Op::Write, slept: false, ..sample };
    // One byte in a nanosecond is 1 GB/s.
    let limit = Ceiling {
        write_bytes_per_second: 1_200_000_000,
        read_bytes_per_second: 1_200_000_000,
        null_write_bytes_per_second: None,
        null_read_bytes_per_second: None,
        content_bytes_per_second: None,
        clock_ns: 50,
    };
    type Change = Box<dyn FnOnce(&mut Record, &mut Reached)>;
    let cases: Vec<(Change, Code, &str)> = vec![
        (
            Box::new(|r, _| r.conditions.before.load_1min_milli = Some(2200)),
            Code::Busy,
            "load was 2.20 before the cell: something else may have been running",
        ),
        (
            Box::new(|r, _| r.conditions.after.load_1min_milli = Some(2010)),
            Code::Busy,
            "load was 2.01 after the cell: something else may have been running",
        ),
        (
            Box::new(|r, _| r.conditions.after.power_source = Power::Battery),
            Code::Battery,
            "the machine ran on battery",
        ),
        (
            Box::new(|r, _| r.conditions.before.low_power_mode = Some(true)),
            Code::LowPower,
            "low power mode was on",
        ),
        (
            Box::new(|r, _| r.conditions.after.thermal_state = Thermal::Serious),
            Code::Hot,
            "the thermal state was serious after the cell",
        ),
        (
            Box::new(|r, _| r.conditions.before.memory_pressure = Some(Pressure::Warning)),
            Code::MemoryPressure,
            "memory was under pressure",
        ),
        (
            Box::new(|r, _| r.conditions.after.free_bytes = Some(99_000_000_000)),
            Code::NearlyFull,
            "only 99.00 GB were free",
        ),
        (
            Box::new(move |r, _| r.samples.push(sample)),
            Code::Slept,
            "the machine slept during 1 files",
        ),
        (
            Box::new(|r, _| r.cell.io.cache = Cache::Bypass),
            Code::CacheNotReached,
            "requested cache mode bypass, effective cache mode none: the file system refused it, or used its cache anyway",
        ),
        (
            Box::new(|r, _| r.cell.io.cache = Cache::Drop),
            Code::CacheNotReached,
            "requested cache mode drop, effective cache mode none: files stayed in the page cache",
        ),
        (
            Box::new(|r, reached| {
                r.cell.io.durability = Durability::Full;
                reached.durability = Durability::Fsync;
            }),
            Code::DurabilityNotReached,
            "requested durability full, effective durability fsync",
        ),
        (
            Box::new(|r, _| r.host.storage.bus = Some("memory".into())),
            Code::InMemory,
            "the files were in memory",
        ),
        (
            Box::new(move |r, _| {
                r.host.storage.bus = Some("loop".into());
                r.samples.push(Sample { op: Op::Read, ..fast });
            }),
            Code::ReadFromMemory,
            "the disk is a file (a loop device), which may have been in memory",
        ),
        (
            Box::new(move |r, _| {
                r.samples.push(fast);
                r.ceiling = Some(limit);
            }),
            Code::NearLimit,
            "writing was nearly as fast as the harness without a disk",
        ),
        (
            Box::new(move |r, _| {
                r.samples.push(Sample { op: Op::Read, ..fast });
                r.ceiling = Some(limit);
            }),
            Code::NearLimit,
            "reading was nearly as fast as the harness without a disk",
        ),
        (
            Box::new(|r, _| r.cell.encryption = Encryption::FileVault),
            Code::EncryptionDiffers,
            "the cell states encryption FileVault, but the disk has none",
        ),
    ];
    for (change, code, expected) in cases {
        let found = after(change);
        assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), [code], "{expected}");
        assert!(found[0].text.starts_with(expected), "{expected}: {found:?}");
    }
}

#[test]
fn another_disk_may_be_encrypted_otherwise_than_the_machine_s_own() {
    let found = after(|record, _| {
        record.cell.encryption = Encryption::FileVault;
        record.cell.storage = "usb4-980pro".into();
    });
    assert_eq!(found, Vec::new());
}

#[test]
fn reads_of_which_more_than_one_percent_may_come_from_memory_earn_a_warning_on_any_mac() {
    let mut record = record();
    let mut count = |warm_read_bytes, memory_bytes, cache| {
        record.host.memory_bytes = Some(memory_bytes);
        let read = |order, size_bytes| Sample {
            op: Op::Read,
            order,
            set: 1,
            size_bytes,
            elapsed_ns: u64::MAX,
            slept: false,
        };
        warnings(&Evidence {
            cell: &record.cell,
            host: &record.host,
            conditions: &record.conditions,
            meanwhile: &[],
            reached: Reached { cache, durability: Durability::None },
            // Written bytes do not count as read.
            samples: &[
                read(1, 53_000_000_000),
                read(2, 300_000_000),
                Sample { op: Op::Write, ..read(1, 53_300_000_000) },
            ],
            ceiling: None,
            warm_read_bytes,
            total_bytes: None,
            checked: false,
        })
        .iter()
        .filter(|warning| warning.text.contains("these reads may have come from memory"))
        .count()
    };
    for memory in [8 << 30, 48 << 30, 1 << 40] {
        assert_eq!(count(0, memory, Cache::None), 0);
        assert_eq!(count(533_000_000, memory, Cache::None), 0);
        assert_eq!(count(533_000_001, memory, Cache::None), 1);
        assert_eq!(count(53_300_000_000, memory, Cache::None), 1);
        assert_eq!(count(53_300_000_000, memory, Cache::Bypass), 0);
    }
}
