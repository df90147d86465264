//! Programs of macOS that misbehave, and what the driver of its images does then.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of tests may stop")]

use crate::common::stand_in::Mac;
use crate::common::{Ended, PATIENCE, Study, ended, signal};
use crate::effective::{failed, measured, on_a_mac};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Orders that stay until they are taken back.
const STAY: [&str; 3] = ["always-busy-hdiutil-detach", "removes-mount-point", "keeps-in-memory"];

/// A Mac and a study on it.
struct Bench {
    mac: Mac,
    study: Study,
    cell: Value,
    hangs: bool,
}

impl Bench {
    /// For an image of this format, with these orders; it is compacted at the end.
    fn new(format: &str, orders: &str) -> Self {
        let (mac, study) = (Mac::new(&[]), Study::new());
        for order in orders.split(", ").filter(|order| !order.is_empty()) {
            mac.order(order, 1);
        }
        let mut cell = on_a_mac("apple", format, "none");
        cell["phases"][0]["steps"].as_array_mut().unwrap().push(json!({"step": "compact"}));
        let hangs = orders.contains("hang ");
        Self { mac, study, cell, hangs }
    }

    fn command(&self) -> Command {
        let mut command = self.study.run_command(&self.cell, &[]);
        command.env("DISKBENCH_STAND_IN", self.mac.folder());
        if self.hangs {
            command.env("DISKBENCH_STAND_IN_SECONDS", "10");
        }
        command
    }

    fn run(&self) -> Ended {
        Ended::of(&self.command().output().unwrap())
    }

    fn begin(&self) -> Child {
        self.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The record of a cell that was measured, although each order was heeded.
    fn measured(&self) -> Value {
        measured(&self.study, &self.run());
        let text = fs::read_to_string(self.mac.folder().join("state/orders.json")).unwrap();
        let open: Value = serde_json::from_str(&text).unwrap();
        let left: Vec<&String> = open.as_object().unwrap().keys().collect();
        assert!(left.iter().all(|order| STAY.contains(&order.as_str())), "{left:?}");
        assert!(self.mac.attached().iter().all(|one| one["foreign"] == true));
        self.study.record("fresh")
    }

    /// How often a program was called with this word.
    fn calls(&self, word: &str) -> usize {
        let log = fs::read_to_string(self.mac.folder().join("state/calls.jsonl")).unwrap();
        log.lines().filter(|line| line.contains(&format!("\"{word}\""))).count()
    }

    /// Waits until a program was called with this word once more than so often; an order holds it there.
    fn wait_for(&self, word: &str, before: usize) {
        let begun = Instant::now();
        while self.calls(word) <= before {
            assert!(begun.elapsed() < PATIENCE, "no {word}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The first step of this name.
fn step<'a>(record: &'a Value, name: &str) -> &'a Value {
    record["steps"].as_array().unwrap().iter().find(|step| step["step"] == name).unwrap()
}

/// What is said of that step, and the commands of it.
fn told(record: &Value, name: &str) -> (String, String) {
    let step = step(record, name);
    let said = step["note"].as_str().unwrap_or_default().to_owned();
    (said, step["commands"].to_string())
}

/// Checks each of these cases beside the others: some wait for seconds.
fn each<T: Copy + Send + 'static>(cases: &[T], check: fn(T)) {
    thread::scope(|scope| {
        for case in cases.iter().copied() {
            scope.spawn(move || check(case));
        }
    });
}

#[test]
fn what_fails_once_is_tried_again_after_what_it_left_was_detached() {
    let cases = [
        ("resource-busy-create", "UDSB", "hdiutil: create failed - Resource busy", false),
        ("makes-nothing", "UDRW", "no image is at its path", false),
        ("hang create", "UDSB", "", false),
        ("helper-error", "ASIF", "Error: Couldn't communicate with a helper application.", false),
        ("locked-attach", "UDSP", "hdiutil: attach failed - Resource temporarily unavail", false),
        ("leave-attached", "UDRW", "hdiutil: attach failed - Resource busy", true),
        ("names-other-device", "UDSB", "the device belongs to another image", true),
        ("mounts-elsewhere", "UDSB", "its volume was mounted elsewhere", true),
        ("tells-other-volume", "UDSB", "its volume is not where it was to be mounted", true),
        ("tells-no-volume", "UDRW", "its volume is not where it was to be mounted", true),
        ("tells-other-volume, removes-mount-point", "UDRW", "its volume is not where", true),
    ];
    each(&cases, |(orders, format, why, left)| {
        let record = Bench::new(format, orders).measured();
        let (said, commands) = told(&record, "create");
        let expected = format!("; not at the first attempt: {why}");
        assert!(said.contains(&expected), "{orders}: {said}");
        let detached = commands.contains("\"detach\"") || commands.contains("\"eject\"");
        assert_eq!(detached, left, "{orders}: {commands}");
    });
}

#[test]
fn what_is_only_told_in_another_way_needs_no_second_attempt() {
    let cases = [
        ("not-mounted", "UDRW"),
        ("unsaid-mount-point", "ASIF"),
        ("shuffle-entities", "UDSP"),
        ("info-stays-attached", "ASIF"),
        ("truncate-info", "UDRW"),
    ];
    each(&cases, |(order, format)| {
        let record = Bench::new(format, order).measured();
        let (said, commands) = told(&record, "create");
        assert_eq!(said, format!("{format} image of 409600000 bytes"), "{order}");
        // What is mounted is left where it is, and what goes by itself is not detached.
        assert_eq!(commands.contains("\"mount\""), order == "not-mounted", "{order}: {commands}");
        let detached = commands.contains("\"detach\"") || commands.contains("\"eject\"");
        assert!(!detached, "{order}: {commands}");
    });
}

#[test]
fn an_image_is_detached_whatever_the_programs_say_of_it() {
    let cases = [
        ("gone-after-detach", "UDRW", None),
        ("reuse-numbers", "UDRW", None),
        ("busy-detach", "UDSB", Some("the image was detached (asked 2 times)")),
        ("detach-timeout", "UDSP", Some("the image was detached (asked 2 times)")),
        ("hang detach", "UDSP", Some("the image was detached (asked 2 times)")),
        ("always-busy-hdiutil-detach, eject-dissent", "UDSB", Some("(asked 4 times)")),
        ("keeps-in-memory", "UDSB", Some("detached, but of the image ")),
    ];
    each(&cases, |(orders, format, says)| {
        let record = Bench::new(format, orders).measured();
        let (said, _) = told(&record, "detach");
        match says {
            Some(says) => assert!(said.contains(says), "{orders}: {said}"),
            None => assert!(!said.contains("asked "), "{orders}: {said}"),
        }
        let warm = record["warning_codes"].to_string().contains("read-from-memory");
        assert!(warm || orders != "keeps-in-memory", "{record}");
    });
}

#[test]
fn a_compaction_tells_what_it_took_and_one_that_fails_is_noted() {
    let cases = [
        ("", "UDSP", " bytes allocated before, ", true),
        ("stingy-compact", "UDSB", "; Reclaimed 0 bytes out of ", true),
        ("no-space compact", "UDSP", "compacting the image: the disk is full: ", false),
    ];
    each(&cases, |(order, format, says, compacted)| {
        let record = Bench::new(format, order).measured();
        let (said, _) = told(&record, "compact");
        assert!(said.contains(says), "{order}: {said}");
        let codes = record["warning_codes"].to_string();
        assert_eq!(!codes.contains("not-compacted"), compacted, "{order}: {codes}");
    });
}

#[test]
fn what_goes_wrong_for_good_fails_the_cell_with_what_to_do() {
    let cases = [
        (
            "no-space create",
            1,
            "making the image: the disk is full: free some space and run again",
            1,
        ),
        // On a Mac it may have taken an hour.
        ("hang create", 1, "check whether a window waits for an answer, then run again", 1),
        ("makes-nothing", 3, "no image is at its path", 3),
        (
            "locked-attach",
            3,
            "attaching the image: hdiutil: attach failed - Resource temporarily unavailable: close what",
            1,
        ),
    ];
    each(&cases, |(order, times, why, creations)| {
        let bench = Bench::new("UDRW", order);
        bench.mac.order(order, times);
        let reason = failed(&bench.mac, &bench.study, &bench.run());
        assert!(reason.contains(why), "{order}: {reason}");
        assert_eq!(bench.calls("create"), creations, "{order}");
    });
}

#[test]
fn time_machine_stays_away_when_it_says_so_and_not_when_it_was_only_asked_to() {
    for (orders, expected) in [
        ("", json!(true)),
        ("no-space addexclusion", json!(false)),
        ("no-space isexcluded", json!(null)),
    ] {
        let record = Bench::new("UDRW", orders).measured();
        assert_eq!(record["quiet"]["backup_off"], expected, "{orders:?}");
    }
}

#[test]
fn with_cache_drop_the_image_s_own_files_leave_memory_and_the_folder_may_be_named_in_any_way() {
    let mut bench = Bench::new("UDSP", "keeps-in-memory");
    bench.cell["io"]["cache"] = json!("drop");
    let description = bench.study.write_cell(&bench.cell);
    let record = bench.study.record_path("fresh");
    // diskutil takes what is no whole path for the name of a volume.
    let mut command = bench.study.run_in(&description, Path::new("work"), &record);
    command.current_dir(bench.study.path("")).env("DISKBENCH_STAND_IN", bench.mac.folder());
    measured(&bench.study, &Ended::of(&command.output().unwrap()));
    let (said, _) = told(&bench.study.record("fresh"), "detach");
    assert!(said.starts_with("the cache of 1 files was dropped"), "{said}");
}

#[test]
fn a_signal_leaves_nothing_attached_whatever_is_under_way() {
    for verb in ["attach", "addexclusion", "detach", "compact"] {
        let hold = format!("hold {verb}");
        let bench = Bench::new("UDSB", &hold);
        let child = bench.begin();
        bench.wait_for(verb, 0);
        signal(&child, "INT");
        bench.mac.order(&hold, 0);
        ended(child).refused_with(130);
        assert!(bench.mac.attached().is_empty() && bench.study.left().is_empty(), "{verb}");
    }
}

#[test]
fn a_volume_that_somebody_detached_is_detached_already() {
    let bench = Bench::new("UDRW", "hold addexclusion");
    let child = bench.begin();
    bench.wait_for("addexclusion", 0);
    bench.mac.call("hdiutil", &["detach", "disk4", "-force"]).good();
    bench.mac.order("hold addexclusion", 0);
    measured(&bench.study, &ended(child));
    let (said, _) = told(&bench.study.record("fresh"), "detach");
    assert_eq!(said, "the image was detached already, by somebody else");
}

#[test]
fn an_image_that_somebody_attached_is_detached_before_it_is_attached() {
    let bench = Bench::new("UDRW", "hold create");
    let child = bench.begin();
    bench.wait_for("create", 0);
    let before = bench.calls("ioreg");
    bench.mac.order("hold ioreg", 1);
    bench.mac.order("hold create", 0);
    bench.wait_for("ioreg", before);
    let image = bench.study.work().join(&bench.study.left()[0]).join("image.dmg");
    bench.mac.call("hdiutil", &["attach", "-nomount", image.to_str().unwrap()]).good();
    bench.mac.order("hold ioreg", 0);
    measured(&bench.study, &ended(child));
    let (said, _) = told(&bench.study.record("fresh"), "create");
    assert!(said.contains("it was already attached, and was detached first"), "{said}");
}

#[test]
fn an_image_that_was_changed_between_two_phases_is_not_gone_on_with() {
    let mut bench = Bench::new("UDSB", "");
    bench.measured();
    let files = bench.mac.folder().join("state/volumes/volume-1/files");
    fs::write(files.join("r01-s01-0001.bin"), "x").unwrap();
    bench.cell["phase"] = json!("partly-filled");
    assert_eq!(bench.run().code, 7);
    let reason = bench.study.record("partly-filled")["reason"].to_string();
    assert!(reason.contains("the volume lacks files of earlier phases"), "{reason}");
    assert!(bench.mac.attached().is_empty() && bench.study.left().is_empty());
}

#[test]
fn what_others_put_beside_an_image_stays_and_the_record_names_no_path() {
    let mut bench = Bench::new("UDSP", "hold detach");
    bench.cell["phases"][0]["steps"] = ["create", "detach", "discard", "create", "detach"]
        .map(|step| json!({"step": step}))
        .into();
    let child = bench.begin();
    bench.wait_for("detach", 0);
    let theirs = bench.study.work().join(&bench.study.left()[0]).join("thesis.txt");
    fs::write(&theirs, "x").unwrap();
    bench.mac.order("hold detach", 0);
    assert_eq!(ended(child).code, 7);
    let reason = bench.study.record("fresh")["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("step 3 of phase fresh (discard): "), "{reason}");
    assert!(
        !reason.contains('/') && theirs.exists() && bench.mac.attached().is_empty(),
        "{reason}"
    );
}
