//! A machine that is in no state to measure is refused where that is asked for, and kept awake while it measures.
//!
//! What the machine says of itself comes from programs of a few lines that stand in for those of macOS.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may stop")]

use crate::common::{Ended, PATIENCE, Study, cell, ended, endless_cell, signal};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// A Mac on the mains, cool, and with a program that keeps it awake as long as the process lives that it is told of.
const PROGRAMS: [(&str, &str); 4] = [
    ("sw_vers", "case $1 in -productVersion) echo 26.4 ;; -buildVersion) echo 25E241 ;; esac"),
    ("sysctl", "case $2 in hw.model) echo Mac16,11 ;; *) exit 1 ;; esac"),
    (
        "pmset",
        "case $2 in batt) echo \"Now drawing from 'AC Power'\" ;; therm) echo 'Note: No thermal warning level has been recorded' ;; esac",
    ),
    ("caffeinate", "echo $$ > $here/awake; while kill -0 $5 2>/dev/null; do sleep 0.01; done"),
];

/// A study on such a machine.
struct Mac {
    study: Study,
}

impl Mac {
    fn new() -> Self {
        let mac = Self { study: Study::new() };
        for (name, script) in PROGRAMS {
            mac.study.answer(name, script);
        }
        mac
    }

    fn run(&self, more: &[&str]) -> Ended {
        let command = self.study.run_command(&on_the_mac(cell()), more);
        Ended::of(&self.study.on_the_mac(command).output().unwrap())
    }

    fn plan(&self, more: &[&str]) -> Ended {
        let plan = self.study.write_plan(&self.study.work(), &on_the_mac(cell()));
        let mut command = self.study.command(&["plan", "--plan", &plan]);
        command.args(more);
        Ended::of(&self.study.on_the_mac(command).output().unwrap())
    }

    fn is_awake(&self) -> bool {
        let Ok(number) = fs::read_to_string(self.study.programs().join("awake")) else {
            return false;
        };
        Command::new("kill").args(["-0", number.trim()]).output().unwrap().status.success()
    }

    fn wait_until(&self, awake: bool) {
        let start = Instant::now();
        while self.is_awake() != awake {
            assert!(start.elapsed() < PATIENCE, "never awake: {awake}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn on_the_mac(mut cell: Value) -> Value {
    cell["release"] = json!("macos-26.4-25E241");
    cell
}

/// A battery, as `pmset -g batt` tells of it.
const ON_BATTERY: &str = "[ $2 = batt ] && echo \"Now drawing from 'Battery Power'\"";

#[test]
fn what_the_study_refuses_is_refused_before_anything_is_made() {
    let mac = Mac::new();
    mac.study.answer("pmset", ON_BATTERY);
    for ended in [mac.run(&["--refuse", "thermal,battery"]), mac.run(&["--refuse=battery"])] {
        let line = ended.refused_with(9);
        assert!(
            line.starts_with("the machine runs on a battery: connect it to the mains"),
            "{line}"
        );
    }
    assert_eq!(mac.study.left(), Vec::<String>::new());
    assert!(!mac.study.path("records").exists());
    assert!(!mac.study.programs().join("awake").exists());
    // Without the word it is a warning, and the same command goes on once the machine is as it should be.
    let warnings = {
        mac.run(&["--refuse", "low-power,thermal"]).done();
        mac.study.record("fresh")["warnings"].to_string()
    };
    assert!(warnings.contains("the machine ran on battery"), "{warnings}");
    mac.study.answer("pmset", PROGRAMS[2].1);
    mac.run(&["--refuse", "battery,low-power,thermal"]).done();
}

/// What a plan says beside itself; not of this machine's disk, which may be nearly full.
fn told(planned: &Ended) -> String {
    let lines = planned.stderr.lines().filter(|line| !line.starts_with("diskbench: only "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_study_is_refused_at_its_beginning() {
    let mac = Mac::new();
    assert_eq!(told(mac.plan(&["--refuse", "battery,low-power,thermal"]).done()), "");
    mac.study.answer("pmset", ON_BATTERY);
    // what is not refused is said before the night, too
    let line = told(mac.plan(&[]).done());
    assert!(line.starts_with("diskbench: the machine runs on a battery: connect"), "{line}");
    assert!(line.contains("not refused") && line.lines().count() == 1, "{line}");
    mac.study.answer("df", "echo Filesystem; echo '/dev/disk3s5 1 1 1 50%   /System/Volumes/Data'");
    mac.study.answer("tmutil", "[ \"$*\" = 'listlocalsnapshots /System/Volumes/Data' ] && echo 'Snapshots for disk /:' && echo com.apple.TimeMachine.2026-07-26-151656.local");
    let lines = told(mac.plan(&[]).done());
    assert!(lines.contains("Time Machine has snapshots of this disk"), "{lines}");
    mac.study.answer("tmutil", "echo 'Snapshots for disk /:'");
    assert_eq!(told(mac.plan(&[]).done()), line);
    let ended = mac.plan(&["--refuse", "battery"]);
    assert_eq!(ended.code, 9);
    assert!(ended.stderr.contains("runs on a battery"), "{ended:?}");
}

#[test]
fn a_night_under_rosetta_or_in_low_power_mode_is_announced_before_it_begins() {
    let mac = Mac::new();
    mac.study.answer("sysctl", "case $2 in sysctl.proc_translated) echo 1 ;; *) exit 1 ;; esac");
    let line = told(mac.plan(&["--refuse", "low-power"]).done());
    assert!(line.contains("under Rosetta") && line.contains("rustup set default-host"), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    let mac = Mac::new();
    mac.study.answer("pmset", "[ $# = 1 ] && echo ' lowpowermode         1'");
    let line = told(mac.plan(&[]).done());
    assert!(line.starts_with("diskbench: low power mode is on: turn it off"), "{line}");
}

#[test]
fn native_files_are_kept_from_time_machine_once_and_the_record_says_whether() {
    let mac = Mac::new();
    mac.study.answer(
        "tmutil",
        "echo \"$@\" >> $here/excluded; [ $1 = isexcluded ] && echo \"[Excluded]    $2\"",
    );
    mac.run(&[]).done();
    assert_eq!(mac.study.record("fresh")["quiet"]["backup_off"], json!(true));
    let told = fs::read_to_string(mac.study.programs().join("excluded")).unwrap();
    let (added, asked) = told.trim_end().split_once('\n').unwrap();
    let folder = added.strip_prefix("addexclusion ").unwrap();
    assert!(folder.starts_with(mac.study.work().to_str().unwrap()), "{told}");
    assert_eq!(asked, format!("isexcluded {folder}"));
    // where it was asked to, and has not done it
    let mac = Mac::new();
    mac.study.answer("tmutil", "[ $1 = isexcluded ] && echo \"[Included]    $2\"; exit 0");
    mac.run(&[]).done();
    let record = mac.study.record("fresh");
    assert_eq!(record["quiet"]["backup_off"], json!(false));
    assert!(record["warning_codes"].to_string().contains("backed-up"), "{record}");
    // as where there is no such program, and where it may not say
    let mac = Mac::new();
    mac.study.answer("tmutil", "exit 80");
    mac.run(&[]).done();
    assert_eq!(mac.study.record("fresh")["quiet"]["backup_off"], json!(null));
}

#[test]
fn the_machine_is_kept_awake_while_it_measures_and_not_longer() {
    let mac = Mac::new();
    mac.run(&[]).done();
    let record = mac.study.record("fresh");
    assert_eq!(record["quiet"]["sleep_prevented"], true, "{}", record["quiet"]);
    assert_eq!(record["host"]["stand_in"], true);
    assert!(mac.study.programs().join("awake").exists());
    assert!(!mac.is_awake());
}

#[test]
fn a_machine_that_cannot_be_kept_awake_is_measured_with_a_warning() {
    let mac = Mac::new();
    mac.study.answer("caffeinate", "exit 1");
    mac.run(&[]).done();
    let record = mac.study.record("fresh");
    assert_eq!(record["quiet"]["sleep_prevented"], false);
    assert!(record["warnings"].to_string().contains("could not be kept awake"));
}

#[test]
fn however_a_run_ends_the_machine_may_sleep_again() {
    for (name, code) in [("INT", 130), ("KILL", -1)] {
        let mac = Mac::new();
        let mut command =
            mac.study.on_the_mac(mac.study.run_command(&on_the_mac(endless_cell()), &[]));
        let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
        mac.wait_until(true);
        mac.study.wait_for("r01-s02");
        signal(&child, name);
        assert_eq!(ended(child).code, code);
        mac.wait_until(false);
    }
}

#[test]
fn what_the_owner_says_of_a_storage_is_in_the_record_and_nowhere_else() {
    let mac = Mac::new();
    mac.run(&["--storage-description", " Samsung 980 PRO, USB4 case "]).done();
    let storage = &mac.study.record("fresh")["host"]["storage"];
    assert_eq!(storage["description"], "Samsung 980 PRO, USB4 case");
    mac.run(&[]).done();
    assert!(mac.study.record("fresh")["host"]["storage"].get("description").is_none());
}
