//! The mount point in an image's folder, and an image that may be attached.

use super::{Found, ImageFolder};
use crate::exit_code::ExitCode;
use crate::image::contents::{Contents, MountPoint};
use crate::image::macos::testing::{Mac, Says};
use crate::testing::cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A folder with a bundle and its mount point; gives the paths of the two.
fn folder(work: &Path) -> (ImageFolder, PathBuf, PathBuf) {
    let mut folder = ImageFolder::of(&cell(), work);
    folder.create_for_image().unwrap();
    let path = work.join(cell().image_key());
    let (image, volume) = (path.join("image.sparsebundle"), path.join("volume"));
    fs::create_dir_all(image.join("bands")).unwrap();
    fs::write(image.join("bands/0"), "x").unwrap();
    fs::create_dir(&volume).unwrap();
    (folder, image, volume)
}

#[test]
fn an_image_is_detached_before_its_files_are_removed() {
    let work = tempfile::tempdir().unwrap();
    let (mut folder, image, _) = folder(work.path());
    let mac = Mac::with(&[(&image, "disk4")]);
    folder.remove_by(Some(&mut mac.programs().0)).unwrap();
    assert!(mac.disks().is_empty());
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}

#[test]
fn an_image_whose_file_is_gone_is_detached_as_well() {
    let work = tempfile::tempdir().unwrap();
    let (mut folder, image, _) = folder(work.path());
    fs::remove_dir_all(&image).unwrap();
    let mac = Mac::with(&[(&image, "disk4")]);
    folder.remove_by(Some(&mut mac.programs().0)).unwrap();
    assert!(mac.disks().is_empty());
}

#[test]
fn nothing_is_removed_where_nobody_knows_what_is_attached() {
    let work = tempfile::tempdir().unwrap();
    let (mut folder, image, _) = folder(work.path());
    let mac = Mac::with(&[(&image, "disk4")]).but(|mac| {
        mac.ioreg.extend([Says::Fails; 9]);
        mac.info.extend([Says::Fails; 9]);
    });
    let error = folder.remove_by(Some(&mut mac.programs().0)).unwrap_err();
    assert_eq!(error.exit(), ExitCode::BadFolder);
    assert!(error.line().contains("neither ioreg nor hdiutil"), "{error}");
    assert!(image.join("bands/0").exists());
    // It works as soon as they answer.
    folder.remove_by(Some(&mut mac.programs().0)).unwrap_err();
    folder.remove_by(Some(&mut mac.programs().0)).unwrap_err();
    folder.remove_by(Some(&mut mac.programs().0)).unwrap();
}

#[test]
fn a_left_over_mount_point_is_ours_and_a_taken_one_is_not() {
    let work = tempfile::tempdir().unwrap();
    let (mut folder, image, volume) = folder(work.path());
    let state = |folder: &Path| Contents::of(folder).unwrap().mount_point;
    let path = volume.parent().unwrap();
    fs::write(volume.join(".DS_Store"), "x").unwrap();
    assert_eq!(state(path), Some(MountPoint::Empty));
    fs::create_dir(volume.join("files")).unwrap();
    fs::write(volume.join("files/r01-s01-0001.bin"), "x").unwrap();
    assert_eq!(state(path), Some(MountPoint::Taken));
    assert_eq!(Contents::of(path).unwrap().first_foreign(), Some("volume".into()));

    let error = folder.remove_by(Some(&mut Mac::default().programs().0)).unwrap_err();
    assert!(
        error.line().contains("its folder volume is not empty or has something mounted"),
        "{error}"
    );
    assert!(image.join("bands/0").exists() && volume.join("files/r01-s01-0001.bin").exists());
    fs::remove_dir_all(volume.join("files")).unwrap();
    folder.remove().unwrap();
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
}

#[test]
fn a_mount_point_without_a_marker_or_one_that_is_a_link_is_not_ours() {
    let work = tempfile::tempdir().unwrap();
    fs::create_dir_all(work.path().join("unmarked/volume")).unwrap();
    let unmarked = ImageFolder::at(work.path().join("unmarked"));
    assert_eq!(unmarked.look().unwrap(), Found::Foreign);

    let elsewhere = tempfile::tempdir().unwrap();
    let (mut folder, image, volume) = folder(work.path());
    fs::remove_dir(&volume).unwrap();
    symlink(elsewhere.path(), &volume).unwrap();
    assert_eq!(folder.look().unwrap(), Found::Foreign);
    let error = folder.remove_by(Some(&mut Mac::default().programs().0)).unwrap_err();
    assert_eq!(error.exit(), ExitCode::BadFolder);
    assert!(image.exists());
}
