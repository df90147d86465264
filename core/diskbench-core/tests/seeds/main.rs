//! Every input that fuzzing starts from, fed to its parser without a fuzzer: what others may have written is read
//! without a panic, what is sound is taken, and what is damaged is not.
//!
//! The seeds lie in `core/fuzz/seeds/<target>/`. The name of each says what it is: `sound-…` is taken, `damaged-…` is
//! refused (or found to be damaged), and `any-…` once was a finding and must only be survived. A new seed is one more
//! file there; `core/fuzz/src/pieces.rs` describes the form of those that stand for sparse files.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "fuzz targets stop at what they find"
)]

#[path = "../../../fuzz/src/pieces.rs"]
mod pieces;
#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::path::PathBuf;

use targets::TARGETS;

/// A seed is no larger, in bytes: a fuzzer gets nowhere with large ones.
const LARGEST_SEED: usize = 16 << 10;

fn seeds() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds")
}

/// Name and content of each seed of a target.
fn seeds_of(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = seeds().join(target);
    let mut found: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
        })
        .collect();
    found.sort();
    found
}

#[test]
fn every_seed_is_what_its_name_says() {
    for (name, target) in TARGETS {
        let mut sound = 0;
        for (seed, bytes) in seeds_of(name) {
            assert!(bytes.len() <= LARGEST_SEED, "{name}/{seed} is large");
            let taken = target(&bytes);
            match seed.split('-').next().unwrap() {
                "sound" => assert!(taken, "{name}/{seed} is refused"),
                "damaged" => assert!(!taken, "{name}/{seed} is taken"),
                "any" => {}
                _ => panic!("{name}/{seed}: the name says nothing"),
            }
            sound += usize::from(taken);
        }
        assert!(
            sound > 0,
            "{name} has no sound seed: a fuzzer would never get beyond its first bytes"
        );
    }
}

#[test]
fn every_seed_cut_short_anywhere_is_borne() {
    for (name, target) in TARGETS.iter().filter(|(name, _)| *name != "disk") {
        for (_, bytes) in seeds_of(name) {
            let step = (bytes.len() / 40).max(1);
            for end in (0..bytes.len()).step_by(step) {
                target(&bytes[..end]);
            }
        }
    }
}
