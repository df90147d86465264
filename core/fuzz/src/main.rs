//! Fuzzing of everything in the core that reads bytes which others may have written.
//!
//! `targets` holds one function for each parser. `workflow/prove.sh fuzz` runs them under libFuzzer; the core's own tests
//! (`core/diskbench-core/tests/seeds/`) include the same files and feed them every checked-in seed, so they need no fuzzer.

#![no_main]

mod pieces;
mod targets;

use std::env;
use std::sync::LazyLock;

use targets::{TARGETS, Target};

/// The one that `DISKBENCH_FUZZ` names.
static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = env::var("DISKBENCH_FUZZ").unwrap_or_default();
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    found.expect("DISKBENCH_FUZZ names a target").1
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    (*TARGET)(input);
});
