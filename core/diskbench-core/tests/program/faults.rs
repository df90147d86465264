//! Every call that a run makes of the system fails once, is short or is slow, and still: a named exit code, one clear
//! line, a record that is whole or none, a tree that is valid, and a second run that completes.
//!
//! A part of it runs with the other tests. All of it, for the images named (all without any), is a matter of minutes:
//!
//! ```text
//! cargo build --examples
//! # every outcome, not the findings alone: DISKBENCH_FAULTS_TOLD=1
//! DISKBENCH_FAULTS_IMAGES="native ASIF-AES-256" cargo test --test program faults:: -- --ignored --nocapture
//! ```

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a helper that fails is a finding"
)]

mod case;
mod judge;
#[path = "../../../doubles/examples/faults/kind.rs"]
mod kind;
mod library;
mod replacing;
mod tally;
mod tiny;

use case::Case;
use kind::Kind;
use tally::Tally;
use tiny::Tiny;

/// The first of each kind and every so many-th.
fn some(cases: &[Case], most: usize) -> Vec<Case> {
    let of = |kind| cases.iter().filter(move |case| case.kind == kind);
    let stride = |kind| of(kind).count().div_ceil(most).max(1);
    Kind::ALL.into_iter().flat_map(|kind| of(kind).step_by(stride(kind)).copied()).collect()
}

fn nothing_is_found(tiny: Tiny, most: usize) {
    let tally = Tally::of(tiny, |cases| some(&cases, most));
    assert!(tally.findings.is_empty(), "{}", tally.findings.join("\n"));
    assert!(tally.made() > 0);
}

#[test]
fn a_call_that_fails_in_a_folder_ends_with_a_named_code_and_a_second_run_completes() {
    nothing_is_found(Tiny::NATIVE, 2);
}

/// Left out by `bash workflow/test.sh`, which skips `slow::`; run by `bash workflow/test.sh all`.
mod slow {
    use super::*;

    #[test]
    fn a_call_that_fails_in_an_image_of_many_files_ends_with_a_named_code_and_a_second_run_completes()
     {
        nothing_is_found(Tiny::plain("UDSB"), 1);
    }

    #[test]
    fn a_call_that_fails_in_an_image_of_one_file_ends_with_a_named_code_and_a_second_run_completes()
    {
        nothing_is_found(Tiny::plain("ASIF"), 1);
    }
}

/// All of it; `bash workflow/prove.sh faults` calls this and keeps its figures.
#[test]
#[ignore = "takes many minutes: bash workflow/prove.sh faults"]
fn every_call_of_a_run_fails_once_and_nothing_is_lost() {
    let wanted = std::env::var("DISKBENCH_FAULTS_IMAGES").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let mut figures = Vec::new();
    for tiny in Tiny::ALL {
        if !wanted.is_empty() && !wanted.contains(&tiny.name().as_str()) {
            continue;
        }
        let tally = Tally::of(tiny, |cases| cases);
        println!("{}", tally.line(&tiny.name()));
        figures.push(tally.json(&tiny.name()));
    }
    if let Some(path) = std::env::var_os("DISKBENCH_FAULTS_FIGURES") {
        std::fs::write(path, serde_json::to_string_pretty(&figures).unwrap()).unwrap();
    }
    assert!(figures.iter().all(|of| of["findings"] == 0), "findings: see above");
}
