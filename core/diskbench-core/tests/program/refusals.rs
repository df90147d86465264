//! Everything that can be wrong: one line that says what to do, the documented exit code, nothing lost, nothing left.

#![expect(clippy::unwrap_used, reason = "helpers of tests may stop")]

use crate::common::{Ended, Study, at, cell, shell, skipped};
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

/// The folder of the image that `cell()` describes, below the folder to work in.
const IMAGE: &str = "usage-phases-smoke-internal-native-native-none-1";

/// A limit on file sizes, in blocks of 512 or 1024 bytes.
const LIMIT: &str = "ulimit -f 600 && exec \"$0\" \"$@\"";

#[test]
fn a_wrong_description_is_refused_before_the_first_byte() {
    let line = refused(2, |cell| cell["format"] = json!("UDZO"));
    assert!(
        line.contains("format: unknown variant `UDZO`")
            && line.ends_with("correct it and run again"),
        "{line}"
    );
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
    let run = |cell: &Path| {
        let mut command = study.run_in(cell, &study.work(), &study.record_path("fresh"));
        Ended::of(&command.output().unwrap())
    };
    let ended = run(&path);
    assert!(ended.refused_with(2).contains("ends too early"), "{ended:?}");
    let ended = run(&study.path("missing.json"));
    assert!(
        ended
            .refused_with(2)
            .ends_with("no such file or directory: check the path, then run again"),
        "{ended:?}"
    );
}

#[test]
fn a_wrong_command_line_is_one_line() {
    let study = Study::new();
    let ended = study.call(&["frobnicate"]);
    assert!(ended.refused_with(2).ends_with("see `diskbench --help`"), "{ended:?}");
    assert!(study.call(&["--help"]).done().stdout.contains("130  interrupted"));
    assert!(study.call(&["--version"]).done().stdout.starts_with("diskbench 0."));
}

#[test]
fn a_place_beyond_the_last_planned_cell_is_refused() {
    let study = Study::new();
    let ended = study.run_with(&cell(), &["--position", "5", "--planned", "3"]);
    assert!(ended.refused_with(2).contains("--position is more than --planned"), "{ended:?}");
}

/// Runs the small cell in this folder.
fn run_in(study: &Study, folder: &Path) -> Ended {
    let (description, record) = (study.write_cell(&cell()), study.record_path("fresh"));
    Ended::of(&study.run_in(&description, folder, &record).output().unwrap())
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
    assert!(
        ended.refused_with(4).contains(
            "the file system is read-only: check the disk or choose another folder, then run again"
        ),
        "{ended:?}"
    );
}

#[test]
fn too_little_space_is_refused_before_the_first_byte() {
    let study = Study::new();
    let mut cell = cell();
    cell["sizes_bytes"] = json!([1_u64 << 50]);
    let run = study.run_command(&cell, &[]);
    // Under a limit on file sizes, so that a check that does not work fills no disk.
    let ended = Ended::of(&shell(LIMIT, &run).output().unwrap());
    let line = ended.refused_with(3);
    assert!(study.left().is_empty() && !study.record_path("fresh").exists());
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
    let place = study.work().join(IMAGE);
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
    assert!(crate::common::names(&mounted.0).is_empty(), "{:?}", crate::common::names(&mounted.0));
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
    // Less than the largest file of the cell, more than its record.
    let mut cell = cell();
    cell["sizes_bytes"] = json!([300_000, 400_000, 1_000_000]);
    let run = study.run_command(&cell, &[]);
    let ended = Ended::of(&shell(LIMIT, &run).output().unwrap());
    let line = ended.refused_with(7);
    assert!(line.contains("or a limit (ulimit -f), allows no longer file: choose another folder or raise the limit"), "{line}");
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
    let name = crate::common::names(&files).remove(0);
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

#[test]
fn of_many_damaged_records_ten_are_named_and_the_others_counted() {
    let study = Study::new();
    let folder = study.path("records");
    fs::create_dir_all(&folder).unwrap();
    for (damaged, lines, last) in [(10, 10, "09.json is damaged"), (12, 11, "and 2 more")] {
        for number in 0..damaged {
            fs::write(folder.join(format!("{number:02}.json")), "{").unwrap();
        }
        let ended = study.call(&["verify", folder.to_str().unwrap()]);
        assert_eq!(ended.stdout, format!("{damaged} records checked, {damaged} damaged\n"));
        let told: Vec<&str> = ended.stderr.lines().collect();
        assert_eq!(told.len(), lines, "{ended:?}");
        assert!(told[lines - 1].contains(last), "{ended:?}");
    }
}

#[test]
fn the_name_of_a_record_gives_the_terminal_no_orders() {
    let study = Study::new();
    study.run(&cell()).done();
    let folder = study.path("records");
    fs::write(folder.join("a\u{1b}[2J\n\u{202e}\u{200b}b.json"), "{").unwrap();
    let ended = study.call(&["verify", folder.to_str().unwrap()]);
    assert_eq!((ended.code, ended.stderr.lines().count()), (6, 1), "{ended:?}");
    assert!(ended.stderr.contains("/a [2J   b.json is damaged"), "{ended:?}");
}

#[test]
fn a_record_that_cannot_be_read_is_damaged_and_the_others_are_looked_at() {
    let study = Study::new();
    study.run(&cell()).done();
    let folder = study.path("records");
    std::os::unix::fs::symlink("nowhere", folder.join("a.json")).unwrap();
    let ended = study.call(&["verify", folder.to_str().unwrap()]);
    assert_eq!((ended.code, ended.stdout.as_str()), (6, "2 records checked, 1 damaged\n"));
    assert!(
        ended.stderr.contains("a.json is damaged: it is a link that leads nowhere"),
        "{ended:?}"
    );
    // the one that was asked for by its name is a mistake of whoever asked
    let named = study.call(&["verify", folder.join("a.json").to_str().unwrap()]);
    assert_eq!((named.code, named.stderr.lines().count()), (2, 1), "{named:?}");
}

#[cfg(target_os = "linux")] // whose file systems take any bytes for a name
#[test]
fn a_record_whose_name_is_no_text_is_told_of_in_json_as_well() {
    use std::os::unix::ffi::OsStrExt;
    let study = Study::new();
    study.run(&cell()).done();
    let folder = study.path("records");
    fs::write(folder.join(std::ffi::OsStr::from_bytes(b"\xff.json")), "{").unwrap();
    let ended = study.call(&["verify", "--json", folder.to_str().unwrap()]);
    assert_eq!((ended.code, ended.stdout.lines().count()), (6, 2), "{ended:?}");
}

/// Runs the small cell with this record and log, which must be refused with nothing written.
fn refused_places(study: &Study, record: &Path, log: Option<&Path>) -> String {
    let mut command = study.run_in(&study.write_cell(&cell()), &study.work(), record);
    if let Some(log) = log {
        command.arg("--log").arg(log);
    }
    let ended = Ended::of(&command.output().unwrap());
    assert!(study.left().is_empty(), "{:?}", study.left());
    ended.refused_with(4).to_owned()
}

#[test]
fn a_record_never_takes_the_place_of_something_else() {
    let study = Study::new();
    let description = study.write_cell(&cell());
    let fifo = study.path("fifo.json");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let thesis = study.path("thesis.json");
    fs::write(&thesis, "{\"title\": \"my thesis\"}").unwrap();
    let before = fs::read(&description).unwrap();
    for (record, why) in [
        (&description, "is the cell's description"),
        (&fifo, "is not a record"),
        (&thesis, "is not a record"),
        (&study.path("tmp"), "not a regular file but a folder"),
        (&study.work().join(IMAGE).join("record.json"), "is in the folder of the image"),
    ] {
        let line = refused_places(&study, record, None);
        assert!(line.contains(why), "{line}");
    }
    assert_eq!(fs::read(&description).unwrap(), before);
    assert_eq!(fs::read(&thesis).unwrap(), b"{\"title\": \"my thesis\"}");
    assert!(fs::symlink_metadata(&fifo).is_ok_and(|found| !found.is_file()));
}

#[test]
fn a_device_in_the_place_of_the_record_stays_a_device() {
    let study = Study::new();
    let device = study.path("null.json");
    // A device node of our own, like /dev/null; only root can make one.
    let made = Command::new("mknod").arg(&device).args(["c", "1", "3"]).output();
    if !made.is_ok_and(|output| output.status.success()) {
        skipped("making a device needs rights that this user does not have");
        return;
    }
    assert!(refused_places(&study, &device, None).contains("is not a record"));
    assert!(fs::symlink_metadata(&device).is_ok_and(|found| !found.is_file()));
}

#[test]
fn a_log_never_takes_the_place_of_the_record_or_the_description() {
    let study = Study::new();
    let (record, description) = (study.record_path("fresh"), study.path("cell.json"));
    let hard_link = study.path("link.log");
    study.write_cell(&cell());
    fs::hard_link(&description, &hard_link).unwrap();
    let inside = study.work().join(IMAGE).join("cell.log");
    for log in [&record, &description, &hard_link, &inside, &study.path("tmp")] {
        refused_places(&study, &record, Some(log));
    }
    assert_eq!(fs::read(&description).unwrap(), cell().to_string().into_bytes());
    assert!(!record.exists());
}

#[test]
fn a_measurement_survives_a_disk_that_its_own_files_have_filled() {
    let study = Study::new();
    // As many names as the image's files and folders take, and none for the record: the root, the folders for work
    // and records, the image's folder, its state file, its folder for files, and six files.
    let Some(mounted) = Mounted::new(&study, "size=600m,nr_inodes=12") else { return };
    let (work, records) = (mounted.0.join("work"), mounted.0.join("records"));
    fs::create_dir(&work).unwrap();
    fs::create_dir(&records).unwrap();
    let mut cell = cell();
    cell["phases"][0]["steps"] = json!([{"step": "create"}, {"step": "write"}, {"step": "detach"}]);
    let record = records.join("fresh.json");
    let mut command = study.run_in(&study.write_cell(&cell), &work, &record);
    Ended::of(&command.output().unwrap()).done();
    let text = fs::read_to_string(&record).unwrap();
    assert!(text.contains("\"status\": \"measured\""), "{text}");
    assert!(crate::common::names(&work).is_empty(), "room was made for the record");
}

#[test]
fn a_record_that_cannot_be_written_at_all_is_one_line_and_leaves_no_files() {
    let study = Study::new();
    // A folder in the place of the temporary file: not even root can write there.
    fs::create_dir_all(study.path("records/.fresh.json.partial")).unwrap();
    let ended = study.run(&cell());
    ended.refused_with(4);
    assert!(study.left().is_empty(), "{:?}", study.left());
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
        skipped("mounting a disk needs rights that this user does not have");
        None
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.0).status());
    }
}

#[test]
fn the_image_of_another_program_is_named_with_its_exit_code_and_left_as_it_is() {
    let study = Study::new();
    let path = study.path("x.img");
    let bytes = [&b"QFI\xfb\0\0\0\x03"[..], &[0x5a; 1016]].concat();
    fs::write(&path, &bytes).unwrap();
    for ended in study.every_verb(&path, &[], "") {
        assert!(ended.refused_with(2).contains("it is a qcow2 image, and"), "{ended:?}");
    }
    assert!(study.left().is_empty(), "{:?}", study.left());
    assert!(fs::read(&path).unwrap() == bytes);
}
