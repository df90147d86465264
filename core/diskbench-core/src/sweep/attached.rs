//! Cleaning up on a Mac: images that a killed run left attached are detached and removed, but no foreign ones.

use super::{Swept, sweep_by};
use crate::image::folder::ImageFolder;
use crate::image::macos::testing::{Mac, Reaction};
use crate::program::script::Notes;
use crate::testing::cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A folder of ours as a killed run leaves it; gives the path of its image.
fn left_over(work: &Path, repeat: u32) -> PathBuf {
    let mut cell = cell();
    cell.repeat = repeat;
    ImageFolder::of(&cell, work).create_for_image().unwrap();
    let folder = work.join(cell.image_key());
    fs::create_dir(folder.join("volume")).unwrap();
    fs::write(folder.join("image.dmg"), "x").unwrap();
    folder.join("image.dmg")
}

fn swept(work: &Path, mac: &Mac) -> (Swept, Notes) {
    let (mut programs, notes) = mac.programs();
    (sweep_by(work, Some(&mut programs)).unwrap(), notes)
}

#[test]
fn what_a_killed_run_left_attached_is_detached_and_removed() {
    let work = tempfile::tempdir().unwrap();
    let (first, second) = (left_over(work.path(), 1), left_over(work.path(), 2));
    let mac = Mac::with(&[(&first, "disk4"), (&second, "disk7")]);
    let (swept, _) = swept(work.path(), &mac);
    assert_eq!((swept.removed.len(), swept.kept.len()), (2, 0), "{swept:?}");
    assert!(mac.disks().is_empty());
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}

#[test]
fn what_stays_attached_is_left_whole_and_named() {
    let work = tempfile::tempdir().unwrap();
    let image = left_over(work.path(), 1);
    let mac = Mac::with(&[(&image, "disk4")]).but(|mac| {
        mac.hdiutil.extend([Reaction::Busy; 20]);
        mac.diskutil.extend([Reaction::Dissent; 20]);
        mac.immovable = true;
    });
    let (swept, _) = swept(work.path(), &mac);
    assert_eq!((swept.removed.len(), swept.kept.len()), (0, 1));
    assert!(swept.kept[0].contains("stays attached as disk4"), "{swept:?}");
    assert!(swept.kept[0].contains("PID 20848 (mds)"), "{swept:?}");
    assert!(image.exists() && image.with_file_name(".diskbench-image.json").exists());
}

/// The small Mac fails the test as soon as an image is to be detached that is not ours.
#[test]
fn images_of_somebody_else_are_neither_detached_nor_removed() {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    let tenth = left_over(work.path(), 10);
    let ours = left_over(work.path(), 1);
    assert!(tenth.to_str().unwrap().starts_with(ours.parent().unwrap().to_str().unwrap()));

    // The same file name, attached from another folder.
    fs::create_dir(at("downloads")).unwrap();
    fs::write(at("downloads/image.dmg"), "x").unwrap();
    // A folder like ours, without a state file.
    let unmarked = at(&cell().image_key().replace("-1", "-3"));
    fs::create_dir_all(unmarked.join("volume")).unwrap();
    fs::write(unmarked.join("image.dmg"), "x").unwrap();
    // A copy of one of ours under another name.
    fs::create_dir_all(at("copy/volume")).unwrap();
    fs::copy(ours.with_file_name(".diskbench-image.json"), at("copy/.diskbench-image.json"))
        .unwrap();
    fs::write(at("copy/image.dmg"), "x").unwrap();
    // A link to a folder of ours elsewhere.
    let elsewhere = tempfile::tempdir().unwrap();
    let far = left_over(elsewhere.path(), 5);
    symlink(
        far.parent().unwrap(),
        at(far.parent().unwrap().file_name().unwrap().to_str().unwrap()),
    )
    .unwrap();
    // The image of a folder that begins like ours is held by a running process.
    let running = fs::File::open(tenth.parent().unwrap()).unwrap();
    running.try_lock().unwrap();

    let theirs =
        [at("downloads/image.dmg"), unmarked.join("image.dmg"), at("copy/image.dmg"), far, tenth];
    let mut mac = Mac::with(&[(&ours, "disk4")]);
    for (number, image) in theirs.iter().enumerate() {
        mac = mac.and_theirs(image, &format!("disk{}", number + 10));
    }
    let (swept, _) = swept(work.path(), &mac);
    assert_eq!(swept.removed, [cell().image_key()], "{swept:?}");
    assert_eq!(mac.disks(), ["disk10", "disk11", "disk12", "disk13", "disk14"]);
    assert!(theirs.iter().all(|image| image.exists()));
}

#[test]
fn an_image_that_is_a_link_is_somebody_else_s() {
    let work = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let theirs = elsewhere.path().join("image.dmg");
    fs::write(&theirs, "x").unwrap();
    let image = left_over(work.path(), 1);
    fs::remove_file(&image).unwrap();
    symlink(&theirs, &image).unwrap();
    // The system may name it by either path.
    for named in [&theirs, &image] {
        let mac = Mac::default().and_theirs(named, "disk4");
        let (swept, _) = swept(work.path(), &mac);
        assert_eq!((swept.removed.len(), swept.kept.len()), (0, 1), "{swept:?}");
        assert_eq!(mac.disks(), ["disk4"]);
        assert!(theirs.exists());
    }
}

#[test]
fn folders_of_files_are_removed_without_asking_any_program() {
    let work = tempfile::tempdir().unwrap();
    ImageFolder::of(&cell(), work.path()).create().unwrap();
    let (swept, notes) = swept(work.path(), &Mac::default());
    assert_eq!((swept.removed.len(), notes.calls().len()), (1, 0), "{swept:?}");
}
