//! Every wrong description is refused with the key and what to do.

use crate::cell::{Cell, Format};
use crate::error::Result;
use crate::exit_code::ExitCode;
use crate::protocol::forecast;
use crate::testing::{cell, cell_json};
use serde_json::{Value, json};

/// A description as a command takes it.
fn checked(text: &str) -> Result<Cell> {
    let cell = Cell::parse(text)?;
    forecast::check(&cell).map(|()| cell)
}

/// The one line that a description with this change is refused with.
fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut value = cell_json();
    change(&mut value);
    let error = checked(&value.to_string()).expect_err("must be refused");
    assert_eq!(error.exit(), ExitCode::BadInput);
    error.line()
}

#[test]
fn a_good_description_is_accepted_and_written_back_unchanged() {
    let value = cell_json();
    let cell = Cell::parse(&value.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&cell).unwrap(), value);
}

#[test]
fn the_image_key_names_everything_that_tells_images_apart_and_not_the_phase() {
    let mut cell = cell();
    assert_eq!(cell.image_key(), "usage-phases-smoke-internal-native-native-none-1");
    cell.phase = "emptied".into();
    assert_eq!(cell.image_key(), "usage-phases-smoke-internal-native-native-none-1");
    let blocks = Cell { format: Format::Asif, block_bytes: Some(4096), ..cell };
    assert_eq!(blocks.image_key(), "usage-phases-smoke-internal-native-ASIF-none-blocks-4096-1");
}

#[test]
fn only_an_asif_image_can_have_blocks_of_another_size_and_only_of_4096_bytes() {
    let with = |format: &'static str, bytes: u64| {
        move |value: &mut Value| {
            value["format"] = json!(format);
            value["block_bytes"] = json!(bytes);
        }
    };
    for format in ["native", "UDRW", "UDSP", "UDSB", "VM"] {
        let line = refusal(with(format, 4096));
        let expected = format!("format {format} has no blocks to choose: leave it out");
        assert!(line.contains(&expected), "{line}");
    }
    for bytes in [0, 512, 1024, 8192] {
        let line = refusal(with("ASIF", bytes));
        assert!(line.contains(&format!("block_bytes is {bytes}: use 4096, or leave")), "{line}");
    }
}

#[test]
fn only_an_image_of_bands_can_have_bands_of_another_size() {
    for format in ["native", "UDRW", "ASIF", "VM"] {
        let line = refusal(|value| {
            value["format"] = json!(format);
            value["band_bytes"] = json!(1 << 20);
        });
        let expected = format!("format {format} has no bands: leave it out");
        assert!(line.contains(&expected), "{line}");
    }
    for bytes in [0, 1 << 19, 3 << 20, 16_u64 << 30] {
        let line = refusal(|value| {
            value["format"] = json!("UDSB");
            value["band_bytes"] = json!(bytes);
        });
        let expected =
            format!("band_bytes is {bytes}: use a power of two from 1048576 to 8589934592");
        assert!(line.contains(&expected), "{line}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn wrong_values_are_refused_with_the_key_and_what_to_do() {
    let cases = [
        (
            "/format",
            json!("UDZO"),
            "format: unknown variant `UDZO`, expected one of `native`, `UDRW`",
        ),
        ("/encryption", json!("ROT13"), "encryption: unknown variant `ROT13`"),
        ("/driver", json!("floppy"), "driver: unknown variant `floppy`"),
        ("/scale", json!("huge"), "scale: unknown variant `huge`"),
        ("/sizes_bytes/1", json!(-5), "sizes_bytes[1]: invalid value: integer `-5`, expected u64"),
        ("/sizes_bytes/1", json!(0), "sizes_bytes[1] is 0: give a positive number"),
        ("/sizes_bytes/1", json!(1.5), "sizes_bytes[1]: invalid type: floating point `1.5`"),
        ("/sizes_bytes", json!([]), "sizes_bytes is empty: give at least one"),
        ("/sizes_bytes/0", json!(u64::MAX), "more than 2^60 bytes: give smaller sizes"),
        ("/sets", json!(0), "sets is 0: give a positive number"),
        ("/sets", json!(1_000_000_000), "more than 100000 files: give fewer sets"),
        (
            "/phases/0/steps/4",
            json!({"step": "settle", "seconds": 86_401}),
            "waits 86401 seconds: give at most 86400",
        ),
        ("/phases", json!([]), "phases is empty: give the protocol at least one phase"),
        ("/repeat", json!(0), "repeat is 0"),
        ("/nominal_bytes", json!(0), "nominal_bytes is 0"),
        (
            "/nominal_bytes",
            json!(u64::MAX),
            "nominal_bytes is 18446744073709551615: use at most 9223372036854775807",
        ),
        ("/seed", json!(1_u64 << 63), "seed is 9223372036854775808: use at most"),
        ("/host", json!("a.superseded-b"), "without `.superseded-`"),
        (
            "/phase",
            json!("stale"),
            "unknown phase `stale`: use one of this protocol's (fresh, partly-filled",
        ),
        ("/cell_version", json!(2), "cell_version 2 is not known"),
        ("/host", json!("../x"), "host is `../x`: use letters"),
        ("/release", json!(""), "release is ``: use letters"),
        ("/protocol", json!("a b"), "protocol is `a b`: use letters"),
        ("/storage", json!("a/b"), "storage is `a/b`: use letters"),
        ("/phases/1/phase", json!(".x"), "phases[].phase is `.x`: use letters"),
        ("/phases/1/phase", json!("fresh"), "phases: fresh occurs twice"),
        ("/phases/0/steps/2/state", json!("a/b"), "state is `a/b`: use letters"),
        ("/host", json!("x".repeat(65)), "at most 64"),
        (
            "/phases/0/steps/9",
            json!({"step": "delete", "which": "all", "sets": 1}),
            "neither for all",
        ),
        ("/io/block_bytes", json!(0), "io.block_bytes is 0: use a multiple of 4096"),
        ("/io/block_bytes", json!(1000), "io.block_bytes is 1000: use a multiple of 4096"),
        (
            "/io/block_bytes",
            json!((1 << 30) + 4096),
            "io.block_bytes is 1073745920: use a multiple",
        ),
        ("/io/cache", json!("magic"), "io.cache: unknown variant `magic`"),
        ("/io/durability", json!("hope"), "io.durability: unknown variant `hope`"),
    ];
    for (pointer, wrong, expected) in cases {
        let line = refusal(|value| *value.pointer_mut(pointer).unwrap() = wrong);
        assert!(line.contains(expected), "{pointer}: {line}");
        assert!(!line.contains('\n'), "{line}");
    }
}

#[test]
fn unknown_keys_are_refused_at_every_level() {
    for pointer in ["", "/io", "/phases/0", "/phases/0/steps/0", "/phases/0/steps/8"] {
        let line = refusal(|value| {
            value.pointer_mut(pointer).unwrap()["colour"] = json!("red");
        });
        assert!(line.contains("unknown field `colour`"), "{pointer}: {line}");
    }
}

#[test]
fn unknown_and_senseless_steps_are_refused() {
    for (steps, expected) in [
        (json!([]), "phase fresh has no steps"),
        (json!([{"step": "defragment"}]), "unknown variant `defragment`, expected one of `create`"),
        (json!([{"step": "attach"}]), "step 1 of phase fresh (attach): there is no image"),
        (
            json!([{"step": "create"}, {"step": "attach"}]),
            "step 2 of phase fresh (attach): the image is already attached",
        ),
        (
            json!([{"step": "create"}, {"step": "read"}]),
            "step 2 of phase fresh (read): the newest round has no files",
        ),
        (
            json!([{"step": "create"}, {"step": "write"}, {"step": "delete", "which": "last-sets", "sets": 11}]),
            "has only 2 sets",
        ),
        (
            json!([{"step": "create"}, {"step": "write"}, {"step": "delete", "which": "largest"}]),
            "give `sets` (1 or more) for last-sets",
        ),
    ] {
        let line = refusal(|value| value["phases"][0]["steps"] = steps);
        assert!(line.contains(expected), "{expected}: {line}");
    }
}

#[test]
fn a_truncated_description_is_refused_at_every_length() {
    let text = cell_json().to_string();
    for end in 0..text.len() {
        let error = Cell::parse(&text[..end]).expect_err("a part is not the whole");
        assert!(error.line().contains("ends too early"), "{end}: {error}");
    }
}

#[test]
fn the_most_files_that_a_cell_may_have_are_checked_and_one_more_is_refused() {
    let mut value = cell_json();
    value["sizes_bytes"] = json!([1]);
    // Three writes and three reads; all files that there are are deleted at once.
    value["sets"] = json!(16_666);
    checked(&value.to_string()).unwrap();
    value["sets"] = json!(16_667);
    Cell::parse(&value.to_string()).unwrap_err();
}
