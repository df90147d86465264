//! Signals, other programs and full disks in the middle of it leave nothing unfinished.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use diskimage::error;
use diskimage::open;
use diskimage::store::Access;

use super::{BUNDLE, SPARSE, made, payload, place, plain};
use crate::common::gate::Gate;
use crate::common::{Ended, PATIENCE, Study, ended, names, shell, signal};

#[test]
#[cfg(target_os = "linux")]
fn a_signal_ends_what_is_done_to_an_image_at_once_and_nothing_is_lost() {
    for (what, more, name) in [
        ("check", &[][..], "INT"),
        ("compact", &[], "TERM"),
        ("resize", &["--size", "8MiB"], "INT"),
    ] {
        let study = Study::new();
        let path = made(&study, SPARSE);
        let before = fs::read(&path).unwrap();
        let mut command = study.command(&[&["image", what, path.to_str().unwrap()], more].concat());
        let gate = Gate::new(&study, "pread", path.file_name().unwrap().to_str().unwrap());
        let run = gate.before(&mut command).stderr(Stdio::piped()).stdout(Stdio::piped());
        // A signal may be handled by the very thread that waits at the gate, and opens it: the next read takes an hour.
        run.env("DISKBENCH_FAULT", "pread 1-1 hold;pread 2-2 slow:3600000");
        let mut child = run.spawn().unwrap();
        let held = gate.reached(&mut child);
        signal(&child, name);
        let ended = ended(child);
        assert!(
            ended.refused_with(130).contains("nothing in the image is lost"),
            "{what}: {ended:?}"
        );
        assert!(fs::read(&path).unwrap() == before, "{what}");
        drop(held);
    }
}

#[test]
fn an_image_that_somebody_uses_is_busy() {
    let study = Study::new();
    let path = made(&study, SPARSE);
    // Another test of this process that starts a program keeps every lock for a moment: the new process has all open
    // files until it becomes that program.
    let start = Instant::now();
    let _held = loop {
        match open::open(&path, Access::Write, None) {
            Err(error) if error.kind() == error::Kind::InUse && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => break other.unwrap(),
        }
    };
    for ended in study.every_verb(&path, &[], "") {
        assert!(ended.refused_with(5).contains("in use by another process"), "{ended:?}");
    }
    assert_eq!(study.left().len(), 1, "{:?}", study.left());
}

#[test]
fn a_signal_in_the_middle_of_a_copy_leaves_nothing_of_it() {
    // With so much in it that the hundredth read comes long before the end: all but these bytes is a hole.
    const LONG: u64 = 1 << 40;
    const WRITTEN: u64 = 200;
    for (kind, name) in plain().zip(["INT", "TERM", "HUP"].into_iter().cycle()) {
        let study = Study::new();
        let raw = study.path("long.img");
        let source = fs::File::create(&raw).unwrap();
        source.set_len(LONG).unwrap();
        for number in 0..WRITTEN {
            source.write_all_at(b"data", LONG / WRITTEN * number).unwrap();
        }
        let path = place(&study, "copy", kind);
        let mut command = study.command(&["image", "convert"]);
        command.args([&raw, &path]).args(["--to", kind.0, "--progress", "none"]);
        let gate = Gate::at(&study, "pread", 100, "long.img");
        let run = gate.before(&mut command).stderr(Stdio::piped()).stdout(Stdio::piped());
        let mut child = run.spawn().unwrap();
        let held = gate.reached(&mut child);
        assert!(!study.left().is_empty() && !path.exists(), "what has the name is whole");
        signal(&child, name);
        drop(held);
        let ended = ended(child);
        let line = ended.refused_with(130);
        assert!(line.contains("the unfinished image was removed"), "{line}");
        assert!(study.left().is_empty(), "{kind:?}: {:?}", study.left());
        assert_eq!(names(&study.path("")).len(), 3, "the source, work and tmp");
    }
}

#[test]
fn a_copy_that_fails_leaves_nothing_of_it() {
    let study = Study::new();
    let raw = study.path("payload.img");
    fs::write(&raw, payload()).unwrap();
    let path = study.work().join("copy.dmg");
    // 64 or 128 blocks: less than the payload.
    let mut convert = study.command(&["image", "convert", "--to", "UDRW", "--progress", "none"]);
    let limited = "ulimit -f 600 && exec \"$0\" \"$@\"";
    let ended = Ended::of(&shell(limited, convert.args([&raw, &path])).output().unwrap());
    ended.refused_with(4);
    assert!(study.left().is_empty(), "{:?}", study.left());
}

#[test]
fn a_resize_that_fails_leaves_the_bundle_as_it_was() {
    let study = Study::new();
    let path = made(&study, BUNDLE);
    let before = names(&path);
    let mut resize = study.command(&["image", "resize", "--size", "8MiB"]);
    let limited = "ulimit -f 0 && exec \"$0\" \"$@\"";
    let ended = Ended::of(&shell(limited, resize.arg(&path)).output().unwrap());
    ended.refused_with(4);
    assert_eq!(names(&path), before);
    study.image("check", &path, &[]).done();
}
