//! Our folders are created, locked, resumed and removed; foreign files are never touched.

use std::fs;

use diskimage::format::ImageFormat;

use super::{Found, ImageFolder};
use crate::cell::{Cell, Driver, Format};
use crate::exit_code::ExitCode;
use crate::protocol::forecast;
use crate::testing::{cell, left_by_the_first_phase};

#[test]
fn what_was_not_made_by_us_is_neither_used_nor_removed() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join(cell().image_key());
    fs::create_dir(&path).unwrap();
    fs::write(path.join("thesis.txt"), "x").unwrap();
    let mut folder = ImageFolder::of(&cell(), work.path());
    assert_eq!(folder.look().unwrap(), Found::Foreign);
    assert_eq!(folder.remove().unwrap_err().exit(), ExitCode::BadFolder);
    assert_eq!(folder.create().unwrap_err().exit(), ExitCode::BadFolder);
    assert!(path.join("thesis.txt").exists());
}

#[test]
fn a_stranger_s_file_inside_our_folder_survives_the_removal() {
    let work = tempfile::tempdir().unwrap();
    let mut folder = ImageFolder::of(&cell(), work.path());
    folder.create().unwrap();
    let thesis = folder.files().join("thesis.txt");
    fs::write(&thesis, "x").unwrap();
    let error = folder.remove().unwrap_err();
    assert!(error.line().contains("move away what diskbench did not write"), "{error}");
    assert!(thesis.exists());
    // It still is marked, so the next attempt works once the file is moved away.
    fs::remove_file(&thesis).unwrap();
    folder.remove().unwrap();
}

#[test]
fn a_folder_that_a_killed_run_had_not_yet_marked_is_taken_over() {
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join(cell().image_key());
    fs::create_dir(&path).unwrap();
    fs::write(path.join("..diskbench-image.json.partial"), "{").unwrap();
    let mut folder = ImageFolder::of(&cell(), work.path());
    assert_eq!(folder.look().unwrap(), Found::Nothing);
    folder.create().unwrap();
}

#[test]
fn a_folder_in_use_is_left_alone_by_others() {
    let work = tempfile::tempdir().unwrap();
    let mut first = ImageFolder::of(&cell(), work.path());
    first.create().unwrap();
    let mut second = ImageFolder::of(&cell(), work.path());
    assert_eq!(second.remove().unwrap_err().exit(), ExitCode::Busy);
    drop(first);
    second.remove().unwrap();
}

#[test]
fn an_image_is_resumed_only_when_every_file_is_there_with_its_size() {
    let work = tempfile::tempdir().unwrap();
    let mut cell = cell();
    cell.phase = "partly-filled".into();
    let (first, ledger) = left_by_the_first_phase(&cell, work.path());
    let file = ledger.alive()[0];
    let path = first.files().join(file.name());
    drop(first);
    let set_len = |bytes| fs::File::options().write(true).open(&path).unwrap().set_len(bytes);
    let resumes = || {
        ImageFolder::of(&cell, work.path())
            .resume(&cell, &ledger, crate::image::holds_exactly)
            .unwrap()
    };
    let extra = ImageFolder::of(&cell, work.path()).files().join("extra");
    fs::write(&extra, "").unwrap();
    assert!(!resumes(), "a file too many");
    fs::remove_file(&extra).unwrap();
    fs::rename(&path, work.path().join("lost")).unwrap();
    assert!(!resumes(), "a file too few");
    fs::rename(work.path().join("lost"), &path).unwrap();
    set_len(1).unwrap();
    assert!(!resumes(), "a file too short");
    set_len(file.size_bytes).unwrap();
    assert!(resumes());
    assert!(!resumes(), "begun and not finished since");
}

#[test]
fn a_link_in_the_place_of_the_files_is_not_followed() {
    let work = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let theirs = elsewhere.path().join("r01-s01-0001.bin");
    fs::write(&theirs, "x").unwrap();
    let mut folder = ImageFolder::of(&cell(), work.path());
    folder.create().unwrap();
    fs::remove_dir(folder.files()).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.files()).unwrap();
    assert_eq!(folder.look().unwrap(), Found::Foreign);
    assert_eq!(folder.remove().unwrap_err().exit(), ExitCode::BadFolder);
    folder.remove_ours().unwrap_err();
    assert!(theirs.exists());
}

#[test]
fn a_link_to_a_file_of_the_same_name_is_somebody_else_s() {
    let work = tempfile::tempdir().unwrap();
    let mut folder = ImageFolder::of(&cell(), work.path());
    folder.create().unwrap();
    let link = folder.files().join("r01-s01-0001.bin");
    std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
    folder.remove().unwrap_err();
    assert!(fs::symlink_metadata(&link).is_ok());
}

#[test]
fn what_the_finder_leaves_behind_stops_nothing_and_goes_with_the_folder() {
    let work = tempfile::tempdir().unwrap();
    let mut cell = cell();
    cell.phase = "partly-filled".into();
    let (first, ledger) = left_by_the_first_phase(&cell, work.path());
    let top = first.files().parent().unwrap().to_owned();
    for place in [&first.files(), &top] {
        fs::write(place.join(".DS_Store"), "x").unwrap();
        fs::write(place.join("._r01-s01-0001.bin"), "x").unwrap();
        for folder in [".fseventsd", ".Spotlight-V100", ".Trashes"] {
            fs::create_dir(place.join(folder)).unwrap();
            fs::write(place.join(folder).join("x"), "x").unwrap();
        }
    }
    drop(first);
    let mut second = ImageFolder::of(&cell, work.path());
    assert!(second.resume(&cell, &ledger, crate::image::holds_exactly).unwrap());
    assert_eq!(second.contents().unwrap().files.len(), ledger.alive().len());
    second.remove().unwrap();
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}

#[test]
fn a_stranger_s_file_beside_the_marker_survives_and_the_marker_stays() {
    let work = tempfile::tempdir().unwrap();
    let mut folder = ImageFolder::of(&cell(), work.path());
    folder.create().unwrap();
    let thesis = folder.files().parent().unwrap().join("thesis.txt");
    fs::write(&thesis, "x").unwrap();
    let error = folder.remove().unwrap_err();
    assert!(error.line().contains("it holds thesis.txt; move away"), "{error}");
    assert!(thesis.exists() && matches!(folder.look().unwrap(), Found::Ours(_)));
}

#[test]
fn an_image_that_macos_serves_is_gone_on_with_when_it_lies_there_alone() {
    let work = tempfile::tempdir().unwrap();
    let mut cell = Cell { driver: Driver::Apple, format: Format::Udsp, ..cell() };
    cell.phase = "partly-filled".into();
    let ledger = forecast::whole(&cell).unwrap()[0].ledger.clone();
    let mut first = ImageFolder::of(&cell, work.path());
    first.create_for_image().unwrap();
    first.finish("fresh", &ledger).unwrap();
    let (image, mount_point) = (first.image(ImageFormat::Udsp), first.mount_point());
    drop(first);
    let resumes = || {
        let mut second = ImageFolder::of(&cell, work.path());
        let resumed = second.resume(&cell, &ledger, crate::image::holds_exactly).unwrap();
        if resumed {
            assert_eq!(second.marked_files().len(), ledger.alive().len());
            second.finish("fresh", &ledger).unwrap();
        }
        resumed
    };
    assert!(!resumes(), "without an image");
    fs::write(&image, "x").unwrap();
    // macOS 27 removes the mount point when the volume is detached.
    assert!(resumes());
    fs::create_dir(&mount_point).unwrap();
    assert!(resumes());
    fs::create_dir(mount_point.join("files")).unwrap();
    assert!(!resumes(), "something is attached");
}

#[test]
fn of_two_that_begin_at_one_moment_the_second_is_told_that_the_folder_is_in_use() {
    let work = tempfile::tempdir().unwrap();
    let mut first = ImageFolder::of(&cell(), work.path());
    let mut second = ImageFolder::of(&cell(), work.path());
    assert_eq!((first.look().unwrap(), second.look().unwrap()), (Found::Nothing, Found::Nothing));
    first.create().unwrap();
    for error in [second.create().unwrap_err(), second.remove().unwrap_err()] {
        assert_eq!(error.exit(), ExitCode::Busy);
        assert_eq!(error.in_record().exit(), ExitCode::Busy, "no record is written of it");
    }
    assert!(first.files().is_dir());
}

#[test]
fn a_folder_that_another_one_has_removed_meanwhile_is_not_held() {
    let work = tempfile::tempdir().unwrap();
    let mut folder = ImageFolder::of(&cell(), work.path());
    folder.create().unwrap();
    let held = fs::File::open(folder.path()).unwrap();
    fs::rename(folder.path(), work.path().join("aside")).unwrap();
    fs::create_dir(folder.path()).unwrap();
    assert!(!super::is_still(&held, folder.path()).unwrap());
    assert!(super::is_still(&held, &work.path().join("aside")).unwrap());
}

#[test]
fn a_folder_that_cannot_be_looked_at_is_not_called_in_use() {
    let work = tempfile::tempdir().unwrap();
    let held = fs::File::open(work.path()).unwrap();
    let file = work.path().join("file");
    fs::write(&file, "").unwrap();
    super::is_still(&held, &file.join("below")).unwrap_err();
}
