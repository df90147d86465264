//! Every format and encryption through the whole protocol, with the content checked, as by one process for each phase.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use diskimage::format::ImageFormat;
use system::flush::Durability;

use super::{Portable, holds_exactly};
use crate::cell::{Cache, Cell, Driver, Encryption, Format, Step};
use crate::clock::Still;
use crate::exit_code::ExitCode;
use crate::image::ImageDriver;
use crate::image::folder::{Found, ImageFolder};
use crate::interrupt::Stop;
use crate::meter::Meter;
use crate::protocol::{Engine, Keep, Nobody, Outcome};
use crate::testing::{cell, format_of, stays_in_memory, systems_that_evict_nothing};
use crate::transfer::Mover;
use crate::workload::FileSpec;
use crate::workload::ledger::Ledger;

const FILE: FileSpec = FileSpec { round: 1, set: 1, order: 1, size_bytes: 3_000_001 };

/// Every kind of image.
fn all() -> impl Iterator<Item = Cell> {
    let encryptions = [Encryption::None, Encryption::Aes128, Encryption::Aes256];
    ImageFormat::ALL.into_iter().flat_map(move |format| {
        encryptions.into_iter().map(move |encryption| of(format_of(format), encryption))
    })
}

fn of(format: Format, encryption: Encryption) -> Cell {
    Cell { driver: Driver::Portable, format, encryption, nominal_bytes: 1_000_000_000, ..cell() }
}

pub(super) fn driver(cell: &Cell, folder: &Rc<RefCell<ImageFolder>>, stop: &Stop) -> Portable {
    let mover = Mover::new(cell.seed, cell.io.block_bytes, true, Meter::new(), stop.clone());
    Portable::new(cell, Rc::clone(folder), mover, stop.clone()).unwrap()
}

pub(super) fn place(cell: &Cell, work: &Path) -> Rc<RefCell<ImageFolder>> {
    Rc::new(RefCell::new(ImageFolder::of(cell, work)))
}

#[test]
fn every_format_and_encryption_passes_the_protocol_with_its_content_checked() {
    for mut cell in all() {
        let label = format!("{} {}", cell.format, cell.encryption);
        let work = tempfile::tempdir().unwrap();
        // Larger than a band of each format, and no whole number of pages.
        cell.sizes_bytes = vec![10_000, 4096, 9_000_001];
        for phase in &mut cell.phases {
            phase.steps.push(Step::Compact {});
            phase.steps.push(Step::Measure { state: "compacted".into() });
        }
        let mut ledger = Ledger::new();
        let mut peak = 0;
        for (index, phase) in cell.phases.clone().iter().enumerate() {
            cell.phase = phase.phase.clone();
            let folder = place(&cell, work.path());
            if index > 0 {
                let resumed = folder
                    .borrow_mut()
                    .resume(&cell, &ledger, crate::image::holds_exactly)
                    .unwrap();
                assert!(resumed, "{label} {}", phase.phase);
            }
            let mut driver = driver(&cell, &folder, &Stop::never());
            let (clock, mut nobody) = (Still, Nobody);
            let mut outcome = Outcome::default();
            let mut engine = Engine::new(&cell, &mut driver, &clock, &mut nobody)
                .starting_with(ledger, index > 0);
            engine
                .run(phase, Keep::Everything, &mut outcome)
                .unwrap_or_else(|error| panic!("{label} {}: {error}", phase.phase));
            ledger = engine.ledger().clone();
            assert_eq!(outcome.samples.len(), 12, "{label}");
            for size in &outcome.sizes {
                let banded = cell.format.image().unwrap().row().has_map;
                assert_eq!(size.bands.is_some(), banded, "{label}");
                peak = peak.max(size.allocated_bytes);
            }
            let note = outcome.steps.iter().find(|step| step.step == "compact").unwrap();
            assert!(note.note.as_ref().unwrap().contains("allocated before"), "{note:?}");
            let image = folder.borrow().image_of(&cell).unwrap();
            assert!(holds_exactly(&cell, &image, &ledger), "{label}");
            let empty = ledger.alive().is_empty();
            assert_eq!(holds_exactly(&cell, &image, &Ledger::new()), empty, "{label}");
            folder.borrow_mut().finish(&phase.phase, &ledger).unwrap();
        }
        assert!(peak > 0 && peak < 100_000_000, "{label}: {peak} bytes for files of 18 MB");
        let mut folder = ImageFolder::of(&cell, work.path());
        assert!(matches!(folder.look().unwrap(), Found::Ours(_)), "{label}");
        folder.remove().unwrap();
        assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0, "{label}");
    }
}

#[test]
fn sizes_attached_and_detached_differ_by_a_step_of_growth_and_grow_with_what_is_written() {
    for cell in all() {
        let work = tempfile::tempdir().unwrap();
        let mut driver = driver(&cell, &place(&cell, work.path()), &Stop::never());
        let mut volume = driver.create().unwrap().value;
        let empty = driver.sizes().unwrap();
        volume.write(FILE).unwrap();
        let attached = driver.sizes().unwrap();
        driver.detach(volume).unwrap();
        let detached = driver.sizes().unwrap();
        assert_eq!(attached.bands, detached.bands, "{} {}", cell.format, cell.encryption);
        let ahead = attached.apparent_bytes - detached.apparent_bytes;
        assert!(ahead < 64 << 20, "{} {}: {ahead}", cell.format, cell.encryption);
        assert!(detached.allocated_bytes >= FILE.size_bytes, "{detached:?}");
        assert!(empty.allocated_bytes < 20_000_000, "{empty:?}");
        assert!(detached.bands >= empty.bands, "{empty:?} {detached:?}");
        if cell.format == Format::Udrw {
            assert!(detached.apparent_bytes >= 999_997_440, "{detached:?}");
        }
    }
}

#[test]
fn an_image_that_stays_in_memory_is_no_cold_one_and_the_step_says_so() {
    for calls in systems_that_evict_nothing() {
        let mut cell = of(Format::Udsb, Encryption::None);
        cell.io.cache = Cache::Drop;
        let work = tempfile::tempdir().unwrap();
        let folder = place(&cell, work.path());
        stays_in_memory(&mut driver(&cell, &folder, &Stop::never()).calling(calls));
    }
}

#[test]
fn what_is_deleted_and_compacted_is_given_back() {
    for cell in all() {
        let work = tempfile::tempdir().unwrap();
        let mut driver = driver(&cell, &place(&cell, work.path()), &Stop::never());
        let mut volume = driver.create().unwrap().value;
        let large = FileSpec { size_bytes: 40_000_000, ..FILE };
        volume.write(large).unwrap();
        driver.detach(volume).unwrap();
        let full = driver.sizes().unwrap();
        let mut volume = driver.attach().unwrap().value;
        volume.delete(&[large]).unwrap();
        driver.detach(volume).unwrap();
        driver.compact().unwrap();
        let compacted = driver.sizes().unwrap();
        let back = full.allocated_bytes - compacted.allocated_bytes;
        assert!(back > 20_000_000, "{} {}: {back}", cell.format, cell.encryption);
        assert!(compacted.bands <= full.bands);
    }
}

#[test]
fn the_note_of_a_new_image_says_what_it_is_and_no_passphrase() {
    for cell in all() {
        let work = tempfile::tempdir().unwrap();
        let note = driver(&cell, &place(&cell, work.path()), &Stop::never()).create().unwrap().note;
        let note = note.unwrap();
        let start = format!("{} image of 999997440 bytes", cell.format);
        assert!(note.starts_with(&start), "{note}");
        let encrypted = cell.encryption != Encryption::None;
        assert_eq!(note.contains("PBKDF2-HMAC-SHA1 of "), encrypted, "{note}");
        let own = note.contains("layout of an encrypted ASIF is not public");
        assert_eq!(own, encrypted && cell.format == Format::Asif, "{note}");
        assert!(
            !note.split(|c: char| !c.is_ascii_hexdigit()).any(|word| word.len() > 16),
            "{note}"
        );
    }
}

#[test]
fn another_cell_s_passphrase_opens_nothing() {
    for cell in all().filter(|cell| cell.encryption != Encryption::None) {
        let work = tempfile::tempdir().unwrap();
        let folder = place(&cell, work.path());
        let mut first = driver(&cell, &folder, &Stop::never());
        let volume = first.create().unwrap().value;
        first.detach(volume).unwrap();
        let other = Cell { seed: cell.seed + 1, ..cell.clone() };
        let image = folder.borrow().image_of(&cell).unwrap();
        assert!(holds_exactly(&cell, &image, &Ledger::new()));
        assert!(!holds_exactly(&other, &image, &Ledger::new()));
        let error = driver(&other, &folder, &Stop::never()).attach().err().unwrap();
        assert_eq!(error.exit(), ExitCode::CellFailed);
        assert!(!error.line().contains(work.path().to_str().unwrap()), "{error}");
    }
}

#[test]
fn going_past_the_cache_is_not_offered_and_dropping_is_what_a_detach_does() {
    // Beside the sources, since the folder for temporary files is often in memory itself.
    let work = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    for (asked, reached) in [(Cache::Bypass, Cache::None), (Cache::Drop, Cache::Drop)] {
        let mut cell = of(Format::Udrw, Encryption::None);
        cell.io.cache = asked;
        let folder = place(&cell, work.path());
        let mut driver = driver(&cell, &folder, &Stop::never());
        let made = driver.create().unwrap();
        assert_eq!(
            made.note.unwrap().contains("uncached I/O is not supported"),
            asked == Cache::Bypass
        );
        let mut volume = made.value;
        volume.write(FILE).unwrap();
        let done = driver.detach(volume).unwrap();
        driver.compact().unwrap();
        let mut volume = driver.attach().unwrap().value;
        volume.read(FILE).unwrap();
        let file_system = crate::host::storage(work.path()).file_system;
        let in_memory_only = matches!(file_system.as_deref(), Some("tmpfs" | "ramfs"));
        if cfg!(target_os = "linux") && !in_memory_only {
            assert!(done.value, "{:?}", done.note);
            assert_eq!(driver.reached().cache, reached);
        }
        drop(volume);
        folder.borrow_mut().remove().unwrap();
    }
}

#[test]
fn every_durability_that_is_offered_is_reached() {
    let all = [Durability::None, Durability::Fsync, Durability::Barrier, Durability::Full];
    for durability in all {
        let work = tempfile::tempdir().unwrap();
        let mut cell = of(Format::Udrw, Encryption::None);
        cell.io.durability = durability;
        let mut driver = driver(&cell, &place(&cell, work.path()), &Stop::never());
        driver.create().unwrap().value.write(FILE).unwrap();
        assert_eq!(driver.reached().durability, system::flush::offered(durability));
    }
}

#[test]
fn a_cancellation_ends_a_write_and_a_detach_and_the_image_can_be_removed() {
    let work = tempfile::tempdir().unwrap();
    let cell = of(Format::Udrw, Encryption::None);
    let folder = place(&cell, work.path());
    let stop = Stop::never();
    let mut driver = driver(&cell, &folder, &stop);
    let mut volume = driver.create().unwrap().value;
    stop.request();
    assert_eq!(volume.write(FILE).unwrap_err().exit(), ExitCode::Interrupted);
    assert_eq!(driver.detach(volume).unwrap_err().exit(), ExitCode::Interrupted);
    folder.borrow_mut().remove().unwrap();
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}

#[test]
fn an_image_that_is_gone_or_damaged_fails_the_step_without_a_path() {
    let work = tempfile::tempdir().unwrap();
    let cell = of(Format::Udrw, Encryption::None);
    let folder = place(&cell, work.path());
    let mut driver = driver(&cell, &folder, &Stop::never());
    let volume = driver.create().unwrap().value;
    driver.detach(volume).unwrap();
    let image = folder.borrow().image(ImageFormat::Udrw);
    fs::write(&image, [0; 4096]).unwrap();
    let error = driver.attach().err().unwrap();
    assert!(
        error.line().starts_with("attaching the image: the image contains no volume"),
        "{error}"
    );
    fs::remove_file(&image).unwrap();
    let error = driver.attach().err().unwrap();
    assert!(!error.line().contains(work.path().to_str().unwrap()), "{error}");
}

#[test]
fn what_others_put_into_an_image_s_folder_is_never_removed() {
    let work = tempfile::tempdir().unwrap();
    let cell = of(Format::Udsb, Encryption::None);
    let folder = place(&cell, work.path());
    folder.borrow_mut().create_for_image().unwrap();
    let bundle = folder.borrow().image(ImageFormat::Udsb);
    // By hand: this is about the folder, not about the format.
    for part in ["bands", "mapped"] {
        fs::create_dir_all(bundle.join(part)).unwrap();
    }
    let ours = ["Info.plist", "Info.bckup", "token", "lock", "bands/0", "bands/1f", ".DS_Store"];
    // What macOS keeps in the last one is not known; what is called like a band there is a part of the image.
    for file in ours.into_iter().chain(["mapped/1f"]) {
        fs::write(bundle.join(file), "x").unwrap();
    }
    let theirs = [
        "thesis.txt",
        "bands/1G",
        "bands/thesis.txt",
        "mapped/thesis.txt",
        "bands/00000000000000001",
    ];
    for theirs in theirs {
        let theirs = bundle.join(theirs);
        fs::write(&theirs, "x").unwrap();
        folder.borrow_mut().remove().unwrap_err();
        assert!(theirs.exists(), "{}", theirs.display());
        fs::remove_file(theirs).unwrap();
    }
    // A link is somebody else's, whatever it is called.
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("0"), "x").unwrap();
    let link = bundle.join("bands/2");
    std::os::unix::fs::symlink(elsewhere.path().join("0"), &link).unwrap();
    folder.borrow_mut().remove().unwrap_err();
    assert!(fs::symlink_metadata(&link).is_ok() && elsewhere.path().join("0").exists());
    fs::remove_file(link).unwrap();
    folder.borrow_mut().remove().unwrap();
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}

#[test]
fn a_link_in_the_place_of_an_image_is_not_followed() {
    for format in [Format::Udrw, Format::Udsb] {
        let (work, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let cell = of(format, Encryption::None);
        let folder = place(&cell, work.path());
        folder.borrow_mut().create_for_image().unwrap();
        let theirs = elsewhere.path().join("token");
        fs::write(&theirs, "x").unwrap();
        let target = if format == Format::Udsb { elsewhere.path() } else { theirs.as_path() };
        std::os::unix::fs::symlink(target, folder.borrow().image_of(&cell).unwrap()).unwrap();
        folder.borrow_mut().remove().unwrap_err();
        assert!(theirs.exists());
    }
}
