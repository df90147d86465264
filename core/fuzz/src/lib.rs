//! Fuzzing of everything in the core that reads bytes which others may have written.
//!
//! `targets` holds one function for each parser. `workflow/prove.sh fuzz` runs them under libFuzzer; the core's own tests
//! (`core/diskbench-core/tests/seeds/`) include the same files and feed them every checked-in seed, so they need no fuzzer.

pub mod pieces;
pub mod targets;
