//! The driver on a Mac that is played: an image that is a file, a volume that is a folder.

mod played;

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use played::{Desk, Played};
use system::calls::Calls;

use crate::cell::{Cache, Cell, Driver, Encryption, Format};
use crate::image::passphrase::passphrase_text;
use crate::image::{ImageDriver, ImageFolder};
use crate::testing::{stays_in_memory, systems_that_evict_nothing};
use crate::workload::FileSpec;

const FILE: FileSpec = FileSpec { round: 1, set: 1, order: 1, size_bytes: 70_001 };

fn of(format: Format, encryption: Encryption) -> Cell {
    Cell { driver: Driver::Apple, format, encryption, ..crate::testing::cell() }
}

#[test]
fn every_image_is_made_attached_written_read_detached_measured_and_thrown_away() {
    for format in [Format::Udrw, Format::Udsp, Format::Udsb, Format::Asif] {
        let played = Played::new(&of(format, Encryption::None), 26);
        let mut driver = played.driver();
        let made = driver.create().unwrap();
        let mut volume = made.value;
        assert_eq!(made.note, Some(format!("{format} image of 100000000000 bytes")));
        volume.write(FILE).unwrap();
        assert!(driver.detach(volume).unwrap().value, "what is read next is cold");
        assert_eq!(played.desk().attached, None);
        let attached = driver.attach().unwrap();
        assert_eq!(attached.note, None);
        let mut volume = attached.value;
        volume.read(FILE).unwrap();
        volume.delete(&[FILE]).unwrap();
        driver.detach(volume).unwrap();
        let sizes = driver.sizes().unwrap();
        assert_eq!(sizes.bands, (format == Format::Udsb).then_some(2));
        assert!(sizes.apparent_bytes > 0 && sizes.volume_free_bytes.is_some());
        let quiet = driver.quiet().unwrap();
        let reached = [quiet.indexing_off, quiet.event_log_off, quiet.backup_off];
        assert_eq!(reached, [Some(true); 3]);
        driver.delete().unwrap();
        assert_eq!(fs::read_dir(played.work()).unwrap().count(), 0);
    }
}

#[test]
fn time_machine_stays_away_when_it_says_so_and_not_when_it_was_only_asked_to() {
    for (order, expected) in [("no-exclusion", Some(false)), ("exclusions-unknown", None)] {
        let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
        played.order(order);
        let mut driver = played.driver();
        let _volume = driver.create().unwrap().value;
        assert_eq!(driver.quiet().unwrap().backup_off, expected, "{order}");
    }
}

#[test]
fn what_an_image_is_is_an_error_until_it_was_asked_and_not_an_empty_answer() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    let mut driver = played.driver();
    let error = driver.effective().unwrap_err();
    assert!(error.line().contains("the image was not identified"), "{}", error.line());
    let _volume = driver.create().unwrap().value;
    driver.effective().unwrap();
}

#[test]
fn an_image_that_stays_in_memory_is_no_cold_one_and_the_step_says_so() {
    for calls in systems_that_evict_nothing() {
        let mut cell = of(Format::Udsb, Encryption::None);
        cell.io.cache = Cache::Drop;
        let played = Played::new(&cell, 26);
        stays_in_memory(&mut played.driver().calling(calls));
    }
}

#[test]
fn without_dropping_anything_an_image_that_stays_in_memory_is_seen() {
    let silent = |resident_bytes| Calls {
        drop_pages: |_, _| panic!("nothing is to be dropped"),
        resident_bytes,
        ..Calls::MACHINE
    };
    let played = Played::new(&of(Format::Udsb, Encryption::None), 26);
    let mut driver = played.driver().calling(silent(|_, size| Ok(size)));
    let volume = driver.create().unwrap().value;
    let detached = driver.detach(volume).unwrap();
    assert!(!detached.value, "what is read next may come from memory");
    let note = detached.note.unwrap();
    assert!(note.starts_with("detached, but of the image "), "{note}");
    let mut driver = driver.calling(silent(|_, _| Ok(0)));
    let volume = driver.attach().unwrap().value;
    let detached = driver.detach(volume).unwrap();
    assert_eq!((detached.value, detached.note), (true, None));
}

#[test]
fn the_passphrase_goes_to_stdin_alone_and_no_record_holds_it_or_a_path() {
    for (format, tail) in [(Format::Udsp, ""), (Format::Asif, "\n")] {
        let cell = of(format, Encryption::Aes256);
        let played = Played::new(&cell, 26);
        let mut driver = played.driver();
        let volume = driver.create().unwrap().value;
        driver.detach(volume).unwrap();
        let expected = format!("{}{tail}", passphrase_text(&cell));
        let given = vec![expected.clone(); 3];
        assert_eq!(played.desk().given, given, "create, ask what it is, attach");
        let commands = serde_json::to_string(&driver.take_commands()).unwrap();
        assert!(commands.contains("<image>") && commands.contains("<volume>"), "{commands}");
        let work = played.work().to_str().unwrap().to_owned();
        assert!(!commands.contains(&work) && !commands.contains(expected.trim()), "{commands}");
        assert!(driver.take_commands().is_empty());
    }
}

#[test]
fn what_a_failed_attach_leaves_is_detached_before_it_is_tried_again() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    played.order("leave-attached");
    let mut driver = played.driver();
    let made = driver.create().unwrap();
    let note = made.note.unwrap();
    assert!(note.contains("not at the first attempt: hdiutil: attach failed"), "{note}");
    assert_eq!(played.desk().attached, Some(5), "the second device");
    assert!(!note.contains(played.work().to_str().unwrap()));
}

#[test]
fn an_image_that_stays_locked_fails_with_what_to_do_and_is_left_detached() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    for _ in 0..3 {
        played.order("locked-attach");
    }
    let error = played.driver().create().err().unwrap().line();
    assert!(error.starts_with("attaching the image: ") && error.ends_with("run again"), "{error}");
    assert!(!error.contains(played.work().to_str().unwrap()), "{error}");
    assert_eq!(played.desk().attached, None);
    assert!(played.waited() > 0);
}

#[test]
fn nothing_is_written_when_the_device_or_the_place_is_not_ours() {
    let not_there = "its volume is not where it was to be mounted";
    for (order, why) in [
        ("foreign-device", "the device belongs to another image"),
        ("mounted-elsewhere", "its volume was mounted elsewhere"),
        ("wrong-info", not_there),
        ("info-error", not_there),
    ] {
        let played = Played::new(&of(Format::Udsb, Encryption::None), 26);
        for _ in 0..3 {
            played.order(order);
        }
        let mut driver = played.driver();
        let error = driver.create().err().unwrap().line();
        assert!(error.starts_with("attaching the image: "), "{order}: {error}");
        assert!(error.contains(why), "{order}: {error}");
        assert_eq!(played.desk().attached, None, "{order}");
        assert!(!played.mount_point().join("files").exists(), "{order}");
    }
}

#[test]
fn a_volume_that_was_attached_and_not_mounted_is_mounted() {
    for release in [15, 26] {
        let played = Played::new(&of(Format::Udrw, Encryption::None), release);
        played.order("not-mounted");
        let mut driver = played.driver();
        let mut volume = driver.create().unwrap().value;
        volume.write(FILE).unwrap();
        assert_eq!(played.calls("hdiutil attach").len(), 1, "{release}");
        assert_eq!(
            played.calls("diskutil mount"),
            ["diskutil mount nobrowse -mountOptions noowners -mountPoint <volume> disk14s1"]
        );
    }
}

#[test]
fn a_volume_that_is_mounted_and_not_said_to_be_is_left_where_it_is() {
    let played = Played::new(&of(Format::Asif, Encryption::None), 26);
    played.order("unsaid-mount-point");
    let mut volume = played.driver().create().unwrap().value;
    volume.write(FILE).unwrap();
    assert_eq!(played.calls("diskutil mount"), Vec::<String>::new());
}

#[test]
fn a_mount_point_that_goes_with_the_volume_is_made_again_for_every_try() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 27);
    for order in ["wrong-info", "remove-mount-point", "remove-mount-point"] {
        played.order(order);
    }
    let mut driver = played.driver();
    let made = driver.create().unwrap();
    assert_eq!(played.calls("hdiutil attach").len(), 2, "{:?}", made.note);
    driver.detach(made.value).unwrap();
    assert!(!played.mount_point().exists());
    let attached = driver.attach().unwrap();
    assert_eq!(attached.note, None);
    driver.detach(attached.value).unwrap();
    driver.delete().unwrap();
}

#[test]
fn programs_are_given_whole_paths_wherever_the_work_folder_is_said_to_be() {
    let cell = of(Format::Udrw, Encryption::None);
    let folder = Rc::new(RefCell::new(ImageFolder::of(&cell, Path::new(".diskbench/work"))));
    let driver = Played::new(&cell, 26).driver_of(&folder);
    let here = std::env::current_dir().unwrap().canonicalize().unwrap();
    let expected = here.join(".diskbench/work").join(cell.image_key());
    assert_eq!(driver.session.image, expected.join("image.dmg"));
    assert_eq!(driver.session.mount_point, expected.join("volume"));
}

#[test]
fn an_image_that_somebody_attached_is_detached_before_it_is_attached() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    driver.detach(volume).unwrap();
    played.desk().attached = Some(9);
    let note = driver.attach().unwrap().note.unwrap();
    assert!(note.starts_with("it was already attached"), "{note}");
    assert_eq!(played.desk().attached, Some(5));
}

#[test]
fn a_record_says_that_an_image_could_not_be_removed_because_it_stays_attached() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    driver.detach(volume).unwrap();
    played.desk().attached = Some(9);
    played.order("never-detached");
    let said = driver.delete().unwrap_err().line();
    assert!(
        said.starts_with("cannot remove the work folder: the image stays attached as disk9"),
        "{said}"
    );
    assert!(!said.contains(played.work().to_str().unwrap()), "{said}");
}

#[test]
fn the_device_of_asking_what_an_image_is_has_gone_before_the_image_is_attached() {
    let played = Played::new(&of(Format::Asif, Encryption::None), 26);
    let mut driver = played.driver();
    let made = driver.create().unwrap();
    assert_eq!(made.note.as_deref(), Some("ASIF image of 100000000000 bytes"));
    // It goes by itself, so no command fails for its sake.
    for detaching in ["diskutil eject", "hdiutil detach"] {
        assert_eq!(played.calls(detaching), Vec::<String>::new());
    }
    driver.detach(made.value).unwrap();
}

#[test]
fn a_busy_creation_is_tried_again_and_what_it_left_is_removed() {
    let played = Played::new(&of(Format::Udsb, Encryption::None), 14);
    played.order("resource-busy-create");
    let made = played.driver().create().unwrap();
    assert!(made.note.unwrap().contains("not at the first attempt: hdiutil: create failed"));
    assert_eq!(played.calls("hdiutil create").len(), 2);
}

#[test]
fn a_creation_that_leaves_no_image_is_no_success() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 14);
    (0..9).for_each(|_| played.order("makes-nothing"));
    let error = played.driver().create().err().unwrap();
    assert!(error.line().contains("no image is at its path"), "{}", error.line());
}

#[test]
fn a_full_disk_is_not_tried_again() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    played.order("no-space");
    let error = played.driver().create().err().unwrap();
    assert_eq!(error.line(), "making the image: the disk is full: free some space and run again");
    assert_eq!(played.calls("hdiutil create").len(), 1);
}

#[test]
fn what_hdiutil_no_longer_does_diskutil_does_and_else_the_cell_is_skipped() {
    let played = Played::new(&of(Format::Udrw, Encryption::Aes256), 28);
    played.order("hdiutil-gone");
    let made = played.driver().create().unwrap();
    assert!(made.note.unwrap().contains("not by the preferred program"));
    assert!(played.calls("diskutil image create")[0].contains("--format RAW"));

    let played = Played::new(&of(Format::Udsp, Encryption::None), 28);
    played.order("hdiutil-gone");
    let error = played.driver().create().err().unwrap();
    assert!(error.is_unsupported());
    assert!(error.line().contains("cannot create UDSP images"), "{error}");
}

#[test]
fn compaction_tells_what_it_took_and_what_the_program_says() {
    for format in [Format::Udsp, Format::Udsb] {
        let played = Played::new(&of(format, Encryption::None), 15);
        let mut driver = played.driver();
        let volume = driver.create().unwrap().value;
        driver.detach(volume).unwrap();
        let done = driver.compact().unwrap();
        assert!(done.value);
        let note = done.note.unwrap();
        assert!(note.contains("bytes allocated before, "), "{note}");
        assert!(note.ends_with("Reclaimed 2.2 GB out of 523.5 GB possible."), "{note}");
    }
}

#[test]
fn what_cannot_be_compacted_is_left_and_the_protocol_goes_on() {
    for format in [Format::Udrw, Format::Asif] {
        let played = Played::new(&of(format, Encryption::None), 26);
        let mut driver = played.driver();
        let volume = driver.create().unwrap().value;
        driver.detach(volume).unwrap();
        let done = driver.compact().unwrap();
        assert!(done.value);
        assert_eq!(
            done.note.unwrap(),
            format!("macOS has no compaction for {format}: nothing was done")
        );
        assert!(played.calls("hdiutil compact").is_empty());
    }
}

#[test]
fn a_compaction_that_fails_is_noted_and_the_protocol_goes_on() {
    let played = Played::new(&of(Format::Udsb, Encryption::None), 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    driver.detach(volume).unwrap();
    played.order("no-compaction");
    let done = driver.compact().unwrap();
    assert!(!done.value);
    let note = done.note.unwrap();
    assert!(
        note.starts_with("compacting the image: ") && note.contains("internal error"),
        "{note}"
    );
    played.stop();
    assert_eq!(driver.compact().err().unwrap(), crate::error::Error::interrupted());
}

#[test]
fn a_cancellation_is_heeded_after_attaching_and_leaves_nothing_attached() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    played.order("stop-while-attaching");
    let error = played.driver().create().err().unwrap();
    assert_eq!(error, crate::error::Error::interrupted());
    assert_eq!(played.desk().attached, None);
}

#[test]
fn a_volume_is_detached_after_a_stop_and_when_its_device_is_gone() {
    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    played.stop();
    assert_eq!(driver.detach(volume).err().unwrap(), crate::error::Error::interrupted());
    assert_eq!(played.desk().attached, None);

    let played = Played::new(&of(Format::Udrw, Encryption::None), 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    played.vanish();
    let done = driver.detach(volume).unwrap();
    assert!(done.value && done.note.unwrap().contains("already"));
}

#[test]
fn an_image_that_was_changed_between_two_phases_is_not_gone_on_with() {
    let cell = of(Format::Udsb, Encryption::None);
    let played = Played::new(&cell, 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    driver.detach(volume).unwrap();
    // Another process finds the image; its state file lists no file.
    let mut driver = played.driver();
    let volume = driver.attach().unwrap().value;
    driver.detach(volume).unwrap();
    fs::write(played.home().join("files/r01-s01-0001.bin"), "x").unwrap();
    let error = played.driver().attach().err().unwrap().line();
    assert!(error.starts_with("the volume lacks files of earlier phases"), "{error}");
    assert_eq!(played.desk().attached, None);
}

#[test]
fn with_cache_drop_the_image_s_own_files_leave_memory_too() {
    let mut cell = of(Format::Udrw, Encryption::None);
    cell.io.cache = Cache::Drop;
    let played = Played::new(&cell, 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    let note = driver.detach(volume).unwrap().note.unwrap();
    assert!(note.contains("the cache of 1 files was"), "{note}");
}

#[test]
fn a_folder_with_an_image_of_ours_is_gone_on_with_only_when_nothing_is_mounted_in_it() {
    let cell = of(Format::Udsb, Encryption::None);
    let played = Played::new(&cell, 26);
    let mut driver = played.driver();
    let volume = driver.create().unwrap().value;
    let folder = Rc::clone(&played.folder);
    let is_clean = |folder: &RefCell<crate::image::folder::ImageFolder>| {
        folder.borrow().contents().unwrap().foreign.is_empty()
    };
    assert!(!is_clean(&folder), "what is mounted is nobody's to remove");
    driver.detach(volume).unwrap();
    assert!(is_clean(&folder));
    let Desk { attached, .. } = &*played.desk();
    assert_eq!(*attached, None);
}

#[test]
fn what_hung_for_long_is_not_tried_again_and_what_hung_for_minutes_is() {
    for (format, calls) in [(Format::Udrw, 1), (Format::Udsb, 2)] {
        let played = Played::new(&of(format, Encryption::None), 26);
        played.order("hang-create");
        assert_eq!(played.driver().create().is_ok(), calls == 2, "{format}");
        assert_eq!(played.calls("hdiutil create").len(), calls, "{format}");
    }
}
