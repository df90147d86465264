//! A cell whose protocol restarts this machine: measured by two calls of the same command, whatever comes in between.
//!
//! The machine is a macOS guest that a folder of shell scripts stands in for; writing another name into a file of that
//! folder restarts it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of tests may stop")]

use crate::common::{Ended, Study, cell, ended, endless, files, names, signal};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const CHECKPOINT: &str = ".diskbench-waiting.json";

/// A guest, and a study in it.
struct Guest {
    study: Study,
}

impl Guest {
    fn new() -> Self {
        let guest = Self { study: Study::new() };
        guest.study.answer(
            "sw_vers",
            "case $1 in -productVersion) echo 26.4;; *) cat \"$here/build\";; esac",
        );
        // Answers as in XNU's sysctls; the load of a machine that has just been started is another one.
        guest.study.answer(
            "sysctl",
            "case $2 in kern.hv_vmm_present) cat \"$here/guest\";; kern.bootsessionuuid) cat \"$here/boot\";;
             kern.osrelease) echo 25.4.0;; hw.memsize) cat \"$here/memory\";;
             vm.loadavg) cat \"$here/load\";; *) exit 1;; esac",
        );
        for (name, text) in [
            ("build", "25E241"),
            ("guest", "1"),
            ("boot", "6F9619FF-8B86-D011-B42D-00C04FC964FF"),
            ("memory", "17179869184"),
            ("load", "{ 0.50 0.40 0.30 }"),
        ] {
            guest.set(name, text);
        }
        // Asked for, and without an answer: what is not known stands as null in the record.
        for name in ["diskutil", "hdiutil", "pmset", "vm_stat", "df"] {
            guest.study.answer(name, "exit 1");
        }
        guest
    }

    fn set(&self, name: &str, text: &str) {
        fs::write(self.study.programs().join(name), format!("{text}\n")).unwrap();
    }

    fn restart(&self, name: &str) {
        self.set("boot", name);
    }

    fn command(&self, cell: &Value, more: &[&str]) -> Command {
        self.study.on_the_mac(self.study.run_command(cell, more))
    }

    fn run(&self, cell: &Value) -> Ended {
        Ended::of(&self.command(cell, &[]).output().unwrap())
    }

    fn call(&self, arguments: &[&str]) -> Ended {
        Ended::of(&self.study.on_the_mac(self.study.command(arguments)).output().unwrap())
    }

    /// The folder of the one image that is there.
    fn image(&self) -> PathBuf {
        let left = self.study.left();
        assert_eq!(left.len(), 1, "{left:?}");
        self.study.work().join(&left[0])
    }

    /// Checks the record as `verify` does, and that nothing else is left.
    fn finished(&self) -> Value {
        let path = self.study.record_path("fresh");
        self.study.call(&["verify", path.to_str().unwrap()]).done();
        assert!(self.study.left().is_empty(), "{:?}", self.study.left());
        assert_eq!(names(&self.study.path("records")), ["fresh.json"]);
        self.study.record("fresh")
    }
}

/// The protocol `restart`: 2 sets of 3 sizes on the guest's own disk.
fn guest_cell() -> Value {
    let mut cell = cell();
    cell["release"] = json!("macos-26.4-25E241");
    cell["protocol"] = json!("restart");
    cell["format"] = json!("VM");
    cell["phases"] = json!([{"phase": "fresh", "steps": [
        {"step": "create"}, {"step": "write"}, {"step": "detach"}, {"step": "restart"},
        {"step": "attach"}, {"step": "read"}, {"step": "detach"}, {"step": "measure", "state": "filled"}]}]);
    cell
}

fn ops(record: &Value) -> (usize, usize) {
    let samples = record["samples"].as_array().unwrap();
    let writes = samples.iter().filter(|sample| sample["op"] == "write").count();
    (writes, samples.len() - writes)
}

#[test]
fn a_restart_stops_the_run_and_the_same_command_goes_on_after_it() {
    let guest = Guest::new();
    let first = guest.run(&guest_cell());
    let line = first.refused_with(8).to_owned();
    assert!(line.ends_with("restart this machine, then run the same command again"), "{line}");
    assert_eq!(guest.image().join("files").read_dir().unwrap().count(), 6);
    assert!(files(&guest.study.path("records")).is_empty());
    let kept = fs::read(guest.image().join(CHECKPOINT)).unwrap();

    // Without a restart: the same again, and nothing lost.
    assert_eq!(guest.run(&guest_cell()).refused_with(8), line);
    assert_eq!(fs::read(guest.image().join(CHECKPOINT)).unwrap(), kept);
    let kept: Value = serde_json::from_slice(&kept).unwrap();

    guest.restart("0E984725-C51C-4BF4-9960-E1C80E27ABA0");
    guest.run(&guest_cell()).done();
    let record = guest.finished();
    assert_eq!(record["status"], "measured");
    assert_eq!(ops(&record), (6, 6));
    let steps: Vec<&str> = record["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["step"].as_str().unwrap())
        .collect();
    let asked = ["create", "write", "detach", "restart", "attach", "read", "detach", "measure"];
    assert_eq!(steps, asked);
    // Of the first call: its files and times, its beginning, its conditions.
    for key in ["samples", "steps"] {
        let kept = kept["outcome"][key].as_array().unwrap();
        assert_eq!(&record[key].as_array().unwrap()[..kept.len()], kept);
    }
    let known = &kept["known"];
    assert_eq!(record["started_utc"], known["started_utc"]);
    assert_eq!(record["conditions"]["before"], known["before"]);
    assert_eq!(record["ceiling"], known["ceiling"]);
    assert!(record["steps"][3]["note"].as_str().unwrap().contains("this machine was restarted"));
    let codes = record["warning_codes"].as_array().unwrap();
    assert!(
        !codes.iter().any(|code| code == "read-from-memory"),
        "what is read after a restart is cold: {codes:?}"
    );
    let warnings = record["warnings"].to_string();
    assert!(!warnings.contains("restart"), "nothing was odd: {warnings}");
    // Where it was, and which start of the system, stands in no record.
    let text = record.to_string();
    assert!(!text.contains("0E984725") && !text.contains("6F9619FF"), "{text}");
    assert!(!text.contains(guest.study.work().to_str().unwrap()), "{text}");
}

#[test]
fn outside_of_a_guest_the_cell_is_skipped_and_the_record_says_what_to_do() {
    let guest = Guest::new();
    guest.set("guest", "0");
    guest.run(&guest_cell()).done();
    let record = guest.finished();
    assert_eq!(record["status"], "skipped");
    let reason = record["reason"].as_str().unwrap();
    assert!(
        reason.contains("run `bash workflow/run.sh --config study=vm-2026` inside one"),
        "{reason}"
    );
}

#[test]
fn on_linux_the_disk_of_a_guest_is_not_measured_and_format_native_has_no_restart() {
    let study = Study::new();
    let mut elsewhere = guest_cell();
    elsewhere["release"] = json!(crate::common::release());
    study.run(&elsewhere).done();
    assert_eq!(study.record("fresh")["status"], "skipped");
    elsewhere["format"] = json!("native");
    study.run(&elsewhere).done();
    let reason = study.record("fresh")["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("measure format VM inside a guest"), "{reason}");
}

#[test]
fn a_guest_that_does_not_name_its_starts_is_skipped() {
    let guest = Guest::new();
    guest.study.answer("sysctl", "case $2 in kern.hv_vmm_present) echo 1;; *) exit 1;; esac");
    guest.run(&guest_cell()).done();
    let reason = guest.study.record("fresh")["reason"].to_string();
    assert!(reason.contains("a restart cannot be detected"), "{reason}");
}

#[test]
fn what_the_restart_changed_stands_in_the_warnings() {
    let guest = Guest::new();
    guest.run(&guest_cell()).refused_with(8);
    guest.restart("second");
    guest.set("memory", "8589934592");
    guest.set("load", "{ 7.25 3.00 1.00 }");
    guest.run(&guest_cell()).done();
    let warnings = guest.finished()["warnings"].to_string();
    assert!(warnings.contains("not the same before and after the restart"), "{warnings}");
    assert!(
        warnings.contains("load was 7.25 after the restart, before the rest of the cell"),
        "{warnings}"
    );
}

#[test]
fn a_system_that_was_updated_with_the_restart_is_refused_and_then_measured_anew() {
    let guest = Guest::new();
    guest.run(&guest_cell()).refused_with(8);
    guest.restart("second");
    guest.set("build", "25E253");
    let refused = guest.run(&guest_cell());
    let line = refused.refused_with(2);
    assert!(line.contains("planned for macos-26.4-25E241: plan the study again"), "{line}");
    assert!(guest.image().join(CHECKPOINT).exists());
    // What the study then plans.
    let mut planned = guest_cell();
    planned["release"] = json!("macos-26.4-25E253");
    let again = guest.run(&planned);
    assert_eq!(again.code, 8, "{again:?}");
    let why = "is of another cell, release or diskbench: the cell is measured from the start";
    assert!(again.stderr.contains(why), "{again:?}");
}

#[test]
fn a_waiting_file_that_is_damaged_or_has_lost_its_files_begins_the_cell_anew() {
    for (spoil, why) in [("damage", "is damaged"), ("files", "no longer matches the files")] {
        let guest = Guest::new();
        guest.run(&guest_cell()).refused_with(8);
        if spoil == "files" {
            let lost = guest.image().join("files").read_dir().unwrap().next().unwrap().unwrap();
            fs::remove_file(lost.path()).unwrap();
        } else {
            fs::write(guest.image().join(CHECKPOINT), "{\"waiting_version\": 1").unwrap();
        }
        guest.restart("second");
        let again = guest.run(&guest_cell());
        assert_eq!(again.code, 8, "{again:?}");
        assert!(again.stderr.lines().next().unwrap().contains(why), "{again:?}");
        guest.restart("third");
        guest.run(&guest_cell()).done();
        assert_eq!(ops(&guest.finished()), (6, 6));
    }
}

#[test]
fn a_plan_counts_only_what_is_left_of_a_cell_that_waits() {
    let guest = Guest::new();
    guest.run(&guest_cell()).refused_with(8);
    let plan = guest.study.write_plan(&guest.study.work(), &guest_cell());
    let shown = guest.call(&["plan", "--json", "--plan", &plan]);
    let outlook: Value = serde_json::from_str(&shown.done().stdout).unwrap();
    assert_eq!(
        (&outlook["bytes_to_write"], &outlook["bytes_to_read"]),
        (&json!(0), &json!(168_194))
    );
    assert_eq!(outlook["storages"][0]["peak_bytes"], 0, "its files are there already");
    assert_eq!(outlook["cells"][0]["after_restart"], true);
    let shown = guest.call(&["plan", "--plan", &plan]);
    assert!(shown.stdout.contains("#1 resumes after a restart of this machine"), "{shown:?}");
}

/// The same cell, which waits for an hour after it has read.
fn endless_guest_cell() -> Value {
    let mut cell = guest_cell();
    let steps = cell["phases"][0]["steps"].as_array_mut().unwrap();
    steps.insert(6, json!({"step": "settle", "seconds": 3600}));
    cell
}

#[test]
fn what_is_cut_short_after_the_restart_asks_for_one_more_and_then_goes_on() {
    for name in ["INT", "KILL"] {
        let guest = Guest::new();
        let mut cell = endless_guest_cell();
        guest.run(&cell).refused_with(8);
        let kept = fs::read(guest.image().join(CHECKPOINT)).unwrap();
        let kept: Value = serde_json::from_slice(&kept).unwrap();
        guest.restart("second");
        let log = guest.study.path("cell.log");
        let mut command = guest.command(&cell, &["--log", log.to_str().unwrap()]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        guest.study.wait_for_log("step read");
        signal(&child, name);
        let cut = ended(child);
        if name == "INT" {
            let line = cut.refused_with(130);
            assert!(line.contains("what was measured before the restart is kept"), "{line}");
        }
        // What was read is in memory now.
        let again = guest.run(&cell);
        assert!(again.refused_with(8).contains("restart this machine once more"), "{again:?}");
        let work = guest.study.work();
        assert_eq!(
            guest.call(&["sweep", "--folder", work.to_str().unwrap()]).done().stdout,
            "0 removed, 1 left\n"
        );
        guest.restart("third");
        // What the last run has logged is not waited for.
        fs::remove_file(&log).unwrap();
        // The hour is not waited for: another signal ends them, and the same files are still there.
        let mut command = guest.command(&cell, &["--log", log.to_str().unwrap()]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        guest.study.wait_for_log("step read");
        signal(&child, "INT");
        ended(child).refused_with(130);
        let still = fs::read(guest.image().join(CHECKPOINT)).unwrap();
        let still: Value = serde_json::from_slice(&still).unwrap();
        for key in ["outcome", "known", "stopped_seconds"] {
            assert!(kept.get(key).is_some());
            assert_eq!(still[key], kept[key], "{key}");
        }
        // Another cell of the same image: the one that waited is given up.
        cell["seed"] = json!(1);
        assert_eq!(guest.run(&cell).code, 8);
    }
}

#[test]
fn a_kill_before_anything_was_kept_begins_the_cell_anew() {
    let guest = Guest::new();
    let mut long = guest_cell();
    long["sizes_bytes"] = json!([1_000_000, 1_000_000, 1_000_000]);
    long["sets"] = json!(120);
    let mut command = guest.command(&endless(long, 0), &[]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    guest.study.wait_for("r01-s02");
    child.kill().unwrap();
    child.wait().unwrap();
    // As if it had been killed while it wrote down what it had.
    fs::write(guest.image().join("..diskbench-waiting.json.partial"), "{").unwrap();
    guest.restart("second");
    guest.run(&guest_cell()).refused_with(8);
    assert_eq!(names(&guest.image()), [".diskbench-image.json", CHECKPOINT, "files"]);
    guest.restart("third");
    guest.run(&guest_cell()).done();
    assert_eq!(ops(&guest.finished()), (6, 6));
}

#[test]
fn a_kill_between_the_record_and_putting_the_image_away_measures_nothing_twice() {
    let guest = Guest::new();
    guest.run(&guest_cell()).refused_with(8);
    let (image, copy) = (guest.image(), guest.study.path("copy"));
    let copied = |from: &PathBuf, to: &PathBuf| {
        assert!(Command::new("cp").arg("-r").arg(from).arg(to).status().unwrap().success());
    };
    copied(&image, &copy);
    guest.restart("second");
    guest.run(&guest_cell()).done();
    let record = fs::read(guest.study.record_path("fresh")).unwrap();
    // The image as it was when the record had just been written.
    copied(&copy, &image);
    let again = guest.run(&guest_cell());
    assert!(again.done().stderr.contains("the record is there already"), "{again:?}");
    guest.finished();
    assert_eq!(fs::read(guest.study.record_path("fresh")).unwrap(), record);
    // Asked for again when the record was set aside, the cell goes on with what it had.
    copied(&copy, &image);
    fs::remove_file(guest.study.record_path("fresh")).unwrap();
    guest.run(&guest_cell()).done();
    assert_eq!(ops(&guest.finished()), (6, 6));
}

#[test]
fn a_phase_that_restarts_is_run_again_for_a_later_one_without_a_restart() {
    let guest = Guest::new();
    let mut cell = guest_cell();
    cell["phases"].as_array_mut().unwrap().push(json!({"phase": "emptied", "steps": [
        {"step": "attach"}, {"step": "read"}, {"step": "detach"}]}));
    guest.run(&cell).refused_with(8);
    guest.restart("second");
    guest.run(&cell).done();
    assert_eq!(names(&guest.image()), [".diskbench-image.json", "files"], "for the next phase");
    let mut later = cell.clone();
    later["phase"] = json!("emptied");
    let image = guest.image();
    guest.run(&later).done();
    assert_eq!(guest.study.record("emptied")["replayed_phases"], json!([]));
    assert!(!image.exists());
    guest.run(&later).done();
    assert_eq!(guest.study.record("emptied")["replayed_phases"], json!(["fresh"]));
}
