//! What the time of a file covers, as a tracer sees it: what `TIMED_REGION` (src/transfer.rs) says is held to this.
//!
//! The harness reads two clocks before a file and both after it, the one that goes on in sleep (`CLOCK_BOOTTIME`) outside.
//! With the library of the example `faults` loaded a reading is a call of the system: so the trace shows where each timed
//! region begins and ends, and the program is the one that measures.

#![cfg(target_os = "linux")]
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a helper of tests may stop")]

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::common::{Study, cell, faults_library, image, skipped};
use serde_json::json;

/// Sizes in bytes: within one block of 1 MiB, and across four.
const SIZES: [u64; 2] = [70_001, 3_500_000];

/// Calls of threads that wait for each other; they touch no file.
const CHECKPOINT: [&str; 4] = ["futex", "sched_yield", "clock_nanosleep", "clock_gettime"];

/// The calls inside one timed region, in order: name and file, as strace writes them.
type Region = Vec<String>;

/// Whether a program can be traced here; says so when not.
fn can_trace() -> bool {
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    let works = works.is_ok_and(|status| status.success());
    if !works {
        skipped("strace is not here, or may not trace");
    }
    works
}

/// The regions of the files that a cell moves, in order.
fn traced(format: &str, encryption: &str) -> Vec<Region> {
    let study = Study::new();
    let mut cell = image(cell(), format, encryption);
    cell["sets"] = json!(1);
    cell["sizes_bytes"] = json!(SIZES);
    cell["io"]["block_bytes"] = json!(1 << 20);
    let steps =
        ["create", "write", "detach", "attach", "read", "detach"].map(|step| json!({"step": step}));
    cell["phases"] = json!([{"phase": "fresh", "steps": steps}]);
    let run = study.run_command(&cell, &[]);
    let trace = study.path("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-qq", "-s", "0", "-o"]).arg(&trace);
    strace.arg("-E").arg(format!("LD_PRELOAD={}", faults_library().display()));
    strace.arg(run.get_program()).args(run.get_args());
    for (name, value) in run.get_envs() {
        strace.env(name, value.unwrap_or_default());
    }
    let ended = strace.output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let trace = fs::read_to_string(trace).unwrap();
    let root = study.path("").display().to_string();
    let of_files = |region: &Region| region.iter().any(|call| call.contains(&root));
    let found: Vec<Region> = regions(&trace).into_iter().filter(of_files).collect();
    assert_eq!(found.len(), 2 * SIZES.len(), "files written and read: {found:#?}");
    found
}

/// The timed regions of a trace. Whatever thread makes a call, it lies inside when it begins there.
fn regions(trace: &str) -> Vec<Region> {
    let (mut found, mut inside): (Vec<Region>, Option<Region>) = (Vec::new(), None);
    let (mut before, mut waiting) = (BTreeMap::new(), BTreeMap::new());
    for (thread, call) in trace.lines().filter_map(|line| line.split_once(' ')) {
        let call = call.trim();
        if call.starts_with("---") {
            continue;
        }
        // Where another thread calls meanwhile, a call stands in two parts.
        if let Some((_, rest)) = call.split_once(" resumed>") {
            let begun =
                waiting.remove(thread).and_then(|place: usize| inside.as_mut()?.get_mut(place));
            if let Some(begun) = begun {
                *begun = begun.replace("<unfinished ...>", rest);
            }
            continue;
        }
        let last = before.insert(thread, call).unwrap_or_default();
        let follow = |one, other| last.contains(one) && call.contains(other);
        if follow("(CLOCK_BOOTTIME", "(CLOCK_MONOTONIC") {
            inside = Some(Vec::new());
            waiting.clear();
        } else if follow("(CLOCK_MONOTONIC", "(CLOCK_BOOTTIME") {
            // A reading that ends a region begins no other.
            if let Some(inside) = inside.take() {
                found.push(inside);
                before.remove(thread);
            }
        } else if let Some(inside) = &mut inside
            && !CHECKPOINT.iter().any(|name| call.starts_with(&format!("{name}(")))
        {
            if call.ends_with("<unfinished ...>") {
                waiting.insert(thread, inside.len());
            }
            inside.push(call.to_owned());
        }
    }
    found
}

/// The names of a region's calls in order, each with the name of the file that it is about and, where it moves bytes, how
/// many.
fn names(region: &Region) -> Vec<String> {
    let one = |call: &String| {
        let (name, rest) = call.split_once('(').unwrap();
        let file = rest.split_once('>').map_or("", |(place, _)| place.rsplit('/').next().unwrap());
        let count = match name {
            "pwrite64" | "pread64" => rest.split(", ").nth(2).map_or("", |count| count),
            _ => "",
        };
        format!("{name} {file} {count}").trim_end().to_owned()
    };
    region.iter().map(one).collect()
}

/// How many calls of a kind lie in a region.
fn count(region: &Region, name: &str) -> usize {
    region.iter().filter(|call| call.starts_with(&format!("{name}("))).count()
}

#[test]
fn of_a_native_file_its_blocks_and_one_fsync_are_timed_and_nothing_else() {
    if !can_trace() {
        return;
    }
    let [small, large, read_small, read_large] = traced("native", "none").try_into().unwrap();
    let (first, second) = ("5<r01-s01-0001.bin", "5<r01-s01-0002.bin");
    let strip = |region: &Region| -> Vec<String> {
        names(region).iter().map(|call| call.replace("5<", "")).collect()
    };
    let file = |call: &str, which: &str| call.replace("FILE", &which[2..]);
    assert_eq!(strip(&small), ["pwrite64 FILE 70001", "fsync FILE"].map(|c| file(c, first)));
    let blocks = ["pwrite64 FILE 1048576", "pwrite64 FILE 1048576", "pwrite64 FILE 1048576"];
    let end = ["pwrite64 FILE 354272", "fsync FILE"];
    let expected: Vec<String> = blocks.iter().chain(&end).map(|c| file(c, second)).collect();
    assert_eq!(strip(&large), expected);
    assert_eq!(strip(&read_small), [file("pread64 FILE 1048576", first)]);
    assert_eq!(strip(&read_large), vec![file("pread64 FILE 1048576", second); 4]);
}

/// Left out by `bash workflow/test.sh`, which skips `slow::`; run by `bash workflow/test.sh all`.
mod slow {
    use super::*;

    #[test]
    fn of_a_file_in_an_image_its_flush_ends_the_time_and_all_that_it_changed_is_in_it() {
        if !can_trace() {
            return;
        }
        // Files that a bundle syncs for each file: the bands of the volume's table and of the file, and the folder of the bands
        // where the file made a band. With the first file an image that grows becomes 64 MiB longer: that is synced
        // before the index names it and, in an encrypted one, before the header states it.
        let cases = [("UDRW", [1, 1]), ("UDSP", [2, 1]), ("ASIF", [2, 1]), ("UDSB", [3, 2])];
        for (format, fsyncs) in cases {
            for encryption in ["none", "AES-128", "AES-256"] {
                let stated = usize::from(fsyncs[0] == 2 && encryption != "none");
                let regions = traced(format, encryption);
                let what = format!("{format} {encryption}: {regions:#?}");
                let found: Vec<usize> =
                    regions.iter().map(|region| count(region, "fsync")).collect();
                assert_eq!(found, [fsyncs[0] + stated, fsyncs[1], 0, 0], "{what}");
                for written in &regions[..2] {
                    let last =
                        written.iter().rposition(|call| call.starts_with("pwrite64")).unwrap();
                    assert!(written[last..].iter().any(|call| call.starts_with("fsync")), "{what}");
                }
                for read in &regions[2..] {
                    assert_eq!(count(read, "pwrite64"), 0, "{what}");
                }
                // No image is opened, closed, locked or asked for its length; bands are opened as they are reached.
                for region in &regions {
                    for name in ["close", "flock", "clone3", "statx"] {
                        let allowed = usize::from(name == "close" && count(region, "fsync") == 3);
                        assert!(count(region, name) <= allowed, "{name}, {what}");
                    }
                    let opened = usize::from(format == "UDSB");
                    assert!(count(region, "openat") <= 2 * opened, "{what}");
                }
            }
        }
    }
}

#[test]
fn files_in_images_are_moved_in_the_same_calls_encrypted_or_not() {
    if !can_trace() {
        return;
    }
    let blocks = |encryption| {
        let large = |region: &Region| -> Vec<String> {
            let calls = names(region).into_iter();
            let moved = calls.filter(|call| call.ends_with(" 1048576"));
            moved.map(|call| call.split(' ').next().unwrap().to_owned()).collect()
        };
        traced("UDRW", encryption).iter().map(large).collect::<Vec<_>>()
    };
    let plain = blocks("none");
    assert_eq!(plain[1], ["pwrite64"; 3]);
    assert_eq!(plain[3], ["pread64"; 3]);
    for encryption in ["AES-128", "AES-256"] {
        let found = blocks(encryption);
        assert_eq!(found[1].len(), plain[1].len(), "{encryption}");
        assert_eq!(found[3].len(), plain[3].len(), "{encryption}");
    }
}
