//! The memory that a run takes does not depend on how much it writes.

#![expect(clippy::unwrap_used, reason = "a helper of tests may stop")]

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Study, cell, ended, image, skipped};

/// Of the small files and of the large ones; buffers are of 1 MiB.
const SIZES_BYTES: [u64; 2] = [300_000, 60_000_000];
/// More of it would be memory that files take; threads come and go by chance.
const MOST: f64 = 1.25;

/// Left out by `bash workflow/test.sh`, which skips `slow::`; run by `bash workflow/test.sh all`.
mod slow {
    use super::*;

    #[test]
    fn files_that_are_two_hundred_times_as_large_take_no_more_memory() {
        if !cfg!(target_os = "linux") {
            skipped("the memory of another program is read from /proc: run this test on Linux");
            return;
        }
        for (format, encryption) in [
            ("native", "none"),
            ("UDRW", "none"),
            ("UDRW", "AES-256"),
            ("UDSP", "none"),
            ("UDSP", "AES-256"),
            ("UDSB", "none"),
            ("UDSB", "AES-256"),
            ("ASIF", "none"),
            ("ASIF", "AES-256"),
        ] {
            let [small, large] = SIZES_BYTES.map(|size_bytes| {
                let mut cell = image(cell(), format, encryption);
                cell["sizes_bytes"] = json!([size_bytes]);
                cell["io"]["block_bytes"] = json!(1 << 20);
                peak_kib(&cell)
            });
            let most = MOST * small;
            assert!(large <= most, "{format} {encryption}: {large} KiB, with small files {small}");
        }
    }
}

/// The most memory that a run held until shortly before its end, as Linux counts it.
fn peak_kib(cell: &Value) -> f64 {
    let study = Study::new();
    let mut child = study.begin(cell);
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    while child.try_wait().unwrap().is_none() {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line.map_or(peak, |line| line.trim().trim_end_matches(" kB").parse().unwrap());
        thread::sleep(Duration::from_millis(2));
    }
    ended(child).done();
    peak
}
