//! What the tests of several modules share.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use diskimage::format::ImageFormat;
use serde_json::{Value, json};
use system::calls::Calls;

use crate::cell::{Cache, Cell, Format};
use crate::cli::{ProgressArguments, ProgressMode, RunArguments};
use crate::image::ImageDriver;
use crate::image::folder::ImageFolder;
use crate::protocol::{Outcome, forecast};
use crate::record::{
    CacheModes, Conditions, Cores, DurabilityModes, Harness, Host, Os, Power, Pressure, Record,
    Snapshot, Status, Storage, Thermal,
};
use crate::run::RunTask;
use crate::workload::FileSpec;
use crate::workload::ledger::Ledger;

/// Longest that anything in a test may take, on the busiest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// A small cell: 2 sets of 3 sizes, the three phases of `usage-phases`.
pub(crate) fn cell_json() -> Value {
    json!({
        "cell_version": 1,
        "host": "test-host", "release": "debian-12-6.1",
        "protocol": "usage-phases", "scale": "smoke", "storage": "internal",
        "driver": "native", "format": "native", "encryption": "none", "repeat": 1, "phase": "fresh",
        "seed": 305_419_896, "sets": 2,
        "sizes_bytes": [10_000, 4096, 70_001],
        "nominal_bytes": 100_000_000_000_u64,
        "io": {"block_bytes": 8192, "cache": "none", "durability": "none"},
        "phases": [
            {"phase": "fresh", "steps": [
                {"step": "create"}, {"step": "detach"}, {"step": "measure", "state": "new"},
                {"step": "attach"}, {"step": "settle", "seconds": 10}, {"step": "write"}, {"step": "detach"},
                {"step": "attach"}, {"step": "read"}, {"step": "delete", "which": "last-sets", "sets": 1},
                {"step": "detach"}, {"step": "measure", "state": "partly-emptied"}]},
            {"phase": "partly-filled", "steps": [
                {"step": "attach"}, {"step": "write"}, {"step": "detach"},
                {"step": "attach"}, {"step": "read"}, {"step": "delete", "which": "all"}, {"step": "detach"}]},
            {"phase": "emptied", "steps": [
                {"step": "attach"}, {"step": "write"}, {"step": "detach"},
                {"step": "attach"}, {"step": "read"}, {"step": "detach"}]}
        ]
    })
}

/// The same, parsed.
pub(crate) fn cell() -> Cell {
    Cell::parse(&cell_json().to_string()).unwrap_or_else(|error| panic!("{error}"))
}

/// A format of images as a cell names it.
pub(crate) fn format_of(image: ImageFormat) -> Format {
    serde_json::from_value(image.name().into())
        .unwrap_or_else(|_| panic!("add {image} to `Format` in cell.rs"))
}

/// This cell, to be measured in this folder.
pub(crate) fn run_task(cell: Cell, work: &Path) -> RunTask {
    let arguments = RunArguments {
        cell: "cell.json".into(),
        folder: work.to_owned(),
        record: work.join("fresh.json"),
        log: None,
        position: None,
        planned: None,
        refuse: Vec::new(),
        storage_description: None,
        check: false,
        progress: ProgressArguments { progress: ProgressMode::None },
    };
    RunTask { arguments, cell }
}

/// The folder of files that the first phase of a cell leaves, and what is in it.
pub(crate) fn left_by_the_first_phase(cell: &Cell, work: &Path) -> (ImageFolder, Ledger) {
    let ledger = forecast::whole(cell).unwrap().swap_remove(0).ledger;
    let mut folder = ImageFolder::of(cell, work);
    folder.create().unwrap();
    for file in ledger.alive() {
        File::create(folder.files().join(file.name())).unwrap().set_len(file.size_bytes).unwrap();
    }
    folder.finish(&cell.phases[0].phase, &ledger).unwrap();
    (folder, ledger)
}

/// A record with exactly the expected results of the first phase of [`cell`].
pub(crate) fn record() -> Record {
    let cell = cell();
    let outcome = outcome(&cell);
    let snapshot = Snapshot {
        load_1min_milli: Some(120),
        power_source: Power::Ac,
        low_power_mode: Some(false),
        thermal_state: Thermal::Nominal,
        free_bytes: Some(500_000_000_000),
        memory_available_bytes: Some(8_000_000_000),
        memory_pressure: Some(Pressure::Normal),
    };
    Record {
        record_version: 1,
        harness: Harness::current(),
        status: Status::Measured,
        reason: None,
        cache: CacheModes { asked: cell.io.cache, reached: Some(cell.io.cache) },
        durability: DurabilityModes {
            asked: cell.io.durability,
            reached: Some(cell.io.durability),
        },
        cell,
        position: Some(1),
        planned: Some(3),
        started_utc: "2026-11-20T18:48:19Z".into(),
        finished_utc: "2026-11-20T18:48:25Z".into(),
        host: Host {
            os: Os {
                name: "debian".into(),
                version: "12".into(),
                build: "6.1".into(),
                kernel: "Linux 6.1".into(),
            },
            model: None,
            chip: Some("Some Chip".into()),
            architecture: "x86_64".into(),
            cores: vec![Cores { kind: "performance".into(), count: 2 }],
            memory_bytes: Some(16_000_000_000),
            page_bytes: 4096,
            virtual_machine: Some(false),
            storage: Storage { encryption: Some("none".into()), ..Storage::default() },
            tools: Vec::new(),
            stand_in: false,
        },
        conditions: Conditions { before: snapshot.clone(), after: snapshot },
        quiet: None,
        image: None,
        warnings: Vec::new(),
        warning_codes: Some(Vec::new()),
        access: None,
        ceiling: None,
        replayed_phases: Vec::new(),
        steps: outcome.steps,
        samples: outcome.samples,
        sizes: outcome.sizes,
        sha256: String::new(),
    }
}

/// What its first phase brings; in a forecast nothing takes time.
fn outcome(cell: &Cell) -> Outcome {
    let forecasts = forecast::whole(cell);
    let mut outcome = forecasts.unwrap_or_else(|error| panic!("{error}")).swap_remove(0).outcome;
    outcome.steps.iter_mut().for_each(|step| step.elapsed_ns = 1000);
    outcome.samples.iter_mut().for_each(|sample| sample.elapsed_ns = sample.size_bytes);
    outcome
}

/// Systems on which files stay in the page cache: one says that it evicted them, the other that it cannot.
pub(crate) fn systems_that_evict_nothing() -> [Calls; 2] {
    let silent = Calls { resident_bytes: |_, size| Ok(size), ..Calls::MACHINE };
    let refusing = Calls {
        drop_pages: |_, _| Err(io::ErrorKind::Unsupported.into()),
        resident_bytes: |_, _| Ok(0),
        ..Calls::MACHINE
    };
    [silent, refusing]
}

/// Makes sure that a driver on such a system calls no read cold, and says so in the step.
pub(crate) fn stays_in_memory(driver: &mut dyn ImageDriver) {
    let volume = driver.create().unwrap().value;
    let detached = driver.detach(volume).unwrap();
    assert!(!detached.value, "what is read next may come from memory");
    let note = detached.note.unwrap();
    assert!(note.contains("stayed in memory"), "{note}");
    let file = FileSpec { round: 1, set: 1, order: 1, size_bytes: 70_001 };
    driver.attach().unwrap().value.write(file).unwrap();
    assert_eq!(driver.reached().cache, Cache::None);
}
