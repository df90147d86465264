//! Everything that can be wrong: one line that says what to do, the documented exit code, nothing lost, nothing left.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests may stop and tell")]

mod common;

use common::{Ended, Study, at, cell};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a cell with this change and makes sure that nothing was written.
fn refused(code: i32, change: impl FnOnce(&mut Value)) -> String {
    let study = Study::new();
    let mut cell = cell();
    change(&mut cell);
    let ended = study.run(&cell);
    let line = ended.refused_with(code).to_owned();
    assert!(study.left().is_empty(), "{:?}", study.left());
    assert!(!study.record_path("fresh").exists());
    line
}

#[test]
fn a_wrong_description_is_refused_before_the_first_byte() {
    let line = refused(2, |cell| cell["format"] = json!("UDZO"));
    assert!(
        line.contains("format: unknown variant `UDZO`")
            && line.ends_with("correct it and run again"),
        "{line}"
    );
    let line = refused(2, |cell| cell["sizes_bytes"][1] = json!(-1));
    assert!(line.contains("sizes_bytes[1]: invalid value: integer `-1`"), "{line}");
    let line = refused(2, |cell| cell["colour"] = json!("red"));
    assert!(line.contains("unknown field `colour`"), "{line}");
    let line = refused(2, |cell| cell["phase"] = json!("stale"));
    assert!(line.contains("unknown phase `stale`"), "{line}");
    let line = refused(2, |cell| cell["phases"][0]["steps"][0]["step"] = json!("explode"));
    assert!(line.contains("unknown variant `explode`"), "{line}");
    let line = refused(2, |cell| cell["release"] = json!("macos-99-99A1"));
    assert!(
        line.contains("planned for macos-99-99A1: plan the study again on this machine"),
        "{line}"
    );
}

#[test]
fn a_description_that_is_truncated_or_missing_is_refused() {
    let study = Study::new();
    let text = cell().to_string();
    let path = study.path("cut.json");
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    let run = |cell: &Path| -> Ended {
        let (work, record) = (study.work(), study.record_path("fresh"));
        let mut command = study.command(&["run", "--progress", "none"]);
        command.arg("--cell").arg(cell).arg("--folder").arg(work).arg("--record").arg(record);
        Ended::of(&command.output().unwrap())
    };
    let ended = run(&path);
    assert!(ended.refused_with(2).contains("ends too early"), "{ended:?}");
    let ended = run(&study.path("missing.json"));
    assert!(
        ended.refused_with(2).ends_with("no such file or directory; check the path"),
        "{ended:?}"
    );
}

#[test]
fn a_wrong_command_line_is_one_line() {
    let study = Study::new();
    for arguments in [&["frobnicate"][..], &["run"], &["schema", "xml"], &[]] {
        let ended = study.call(arguments);
        assert!(ended.refused_with(2).ends_with("see `diskbench --help`"), "{ended:?}");
    }
    assert!(study.call(&["--help"]).done().stdout.contains("130  interrupted"));
    assert!(study.call(&["--version"]).done().stdout.starts_with("diskbench 0."));
}

/// Runs the small cell in this folder.
fn run_in(study: &Study, folder: &Path) -> Ended {
    let description = study.write_cell(&cell());
    let mut command = study.command(&["run", "--progress", "none"]);
    command.arg("--cell").arg(description).arg("--folder").arg(folder);
    Ended::of(&command.arg("--record").arg(study.record_path("fresh")).output().unwrap())
}

#[test]
fn a_folder_that_is_missing_or_a_file_or_read_only_is_refused() {
    let study = Study::new();
    fs::write(study.path("file"), "").unwrap();
    let mut wrong = vec![study.path("missing"), study.path("file")];
    // Not even root can make a folder there.
    if cfg!(target_os = "linux") {
        wrong.push("/proc".into());
    }
    for folder in wrong {
        let ended = run_in(&study, &folder);
        let line = ended.refused_with(4);
        assert!(line.contains("choose") && line.contains("folder"), "{line}");
        assert!(!study.record_path("fresh").exists());
    }
}

#[test]
fn a_read_only_disk_is_refused() {
    let study = Study::new();
    let Some(mounted) = Mounted::new(&study, "ro,size=1m") else { return };
    let ended = run_in(&study, &mounted.0);
    assert!(ended.refused_with(4).contains("read-only file system; make it writable"), "{ended:?}");
}

#[test]
fn too_little_space_is_refused_before_the_first_byte() {
    let line = refused(3, |cell| cell["sizes_bytes"] = json!([1_u64 << 50]));
    assert!(
        line.contains("are needed: free some space, choose another folder or a smaller scale"),
        "{line}"
    );
}

#[test]
fn a_place_for_the_record_that_cannot_be_written_is_refused_before_the_first_byte() {
    let study = Study::new();
    fs::write(study.path("records"), "a file where the folder should be").unwrap();
    let ended = study.run(&cell());
    ended.refused_with(4);
    assert!(study.left().is_empty());
}

#[test]
fn somebody_else_s_folder_in_the_place_of_the_image_is_refused_and_kept() {
    let study = Study::new();
    let place = study.work().join("usage-phases-smoke-internal-native-native-none-1");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("thesis.txt"), "x").unwrap();
    let ended = study.run(&cell());
    assert!(ended.refused_with(4).contains("was not made by diskbench: move it away"), "{ended:?}");
    assert!(place.join("thesis.txt").exists());
}

#[test]
fn a_disk_that_fills_up_leaves_a_failed_record_and_no_files() {
    let study = Study::new();
    // Room for bytes enough, but only for a few files: as full as a disk gets without being filled.
    let Some(mounted) = Mounted::new(&study, "size=600m,nr_inodes=8") else { return };
    let ended = run_in(&study, &mounted.0);
    let line = ended.refused_with(7);
    assert!(line.ends_with("the disk is full: free some space and run again"), "{line}");
    assert!(common::names(&mounted.0).is_empty(), "{:?}", common::names(&mounted.0));
    let record = study.record("fresh");
    assert_eq!(record["status"], "failed");
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.starts_with("step 5 of phase fresh (write): writing r01-"), "{reason}");
    let samples = record["samples"].as_array().unwrap().len();
    assert!((1..6).contains(&samples), "{samples} files were written before");
    study.call(&["verify", study.path("records").to_str().unwrap()]).done();
}

#[test]
fn a_limit_on_file_sizes_leaves_a_failed_record_and_no_files() {
    let study = Study::new();
    // 64 blocks of 512 or 1024 bytes: less than the largest file of the cell, more than its record.
    let mut cell = cell();
    cell["sizes_bytes"] = json!([300_000, 400_000, 1_000_000]);
    let run = study.run_command(&cell, &[]);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -f 600 && exec \"$0\" \"$@\""])
        .arg(run.get_program())
        .args(run.get_args());
    limited.env("TMPDIR", study.path("tmp"));
    let ended = Ended::of(&limited.output().unwrap());
    let line = ended.refused_with(7);
    assert!(line.contains("a limit on file sizes was reached: raise it"), "{line}");
    assert!(study.left().is_empty());
    assert_eq!(study.record("fresh")["status"], "failed");
}

#[test]
fn content_that_changed_on_the_disk_fails_the_cell_with_file_and_offset() {
    let study = Study::new();
    study.run(&at("fresh")).done();
    // The next phase only reads what this one left.
    let mut cell = at("partly-filled");
    let steps = json!([{"step": "attach"}, {"step": "read"}, {"step": "detach"}]);
    cell["phases"][1]["steps"] = steps;
    let mut first = cell.clone();
    first["phase"] = json!("fresh");
    study.run(&first).done();
    let files = study.work().join(&study.left()[0]).join("files");
    let name = common::names(&files).remove(0);
    let mut bytes = fs::read(files.join(&name)).unwrap();
    bytes[3000] ^= 1;
    fs::write(files.join(&name), bytes).unwrap();
    let ended = study.run_with(&cell, &["--check"]);
    let line = ended.refused_with(7);
    assert!(line.contains(&format!("reading {name}: byte 3000 is not what was written")), "{line}");
    assert_eq!(study.record("partly-filled")["status"], "failed");
    assert!(study.left().is_empty());
}

#[test]
fn damaged_records_are_named_one_line_each() {
    let study = Study::new();
    study.run(&cell()).done();
    let whole = fs::read_to_string(study.record_path("fresh")).unwrap();
    let folder = study.path("records");
    fs::write(folder.join("changed.json"), whole.replacen("10000", "10001", 1)).unwrap();
    fs::write(folder.join("cut.json"), &whole[..whole.len() - 100]).unwrap();
    fs::write(folder.join("empty.json"), "").unwrap();
    let ended = study.call(&["verify", folder.to_str().unwrap()]);
    assert_eq!((ended.code, ended.stdout.as_str()), (6, "4 records checked, 3 damaged\n"));
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(lines.len(), 3, "{ended:?}");
    for (line, (name, why)) in lines.iter().zip([
        ("changed.json", "its checksum does not match"),
        ("cut.json", "it ends too early"),
        ("empty.json", "it ends too early"),
    ]) {
        assert!(
            line.contains(name) && line.contains(why) && line.ends_with("measure the cell again"),
            "{line}"
        );
    }
}

/// A small disk in memory, if this machine lets us mount one.
struct Mounted(std::path::PathBuf);

impl Mounted {
    fn new(study: &Study, options: &str) -> Option<Self> {
        let place = study.path("mounted");
        fs::create_dir(&place).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(&place)
            .output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(place));
        }
        eprintln!("not tested: mounting a disk needs rights that this user does not have");
        None
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.0).status());
    }
}
