//! `--partition`: one partition of an image, for every command that reads a disk; and `image info`, which lists them.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

use std::fs;
use std::ops::Range;
use std::path::Path;

use diskimage::testing::partitioned::gpt;
use serde_json::json;

use crate::common::Study;
use crate::common::image::{self, MIB, sha256};

/// The second of two partitions.
const SECOND: Range<usize> = 3 * MIB..7 * MIB;

/// A disk of 8 MiB with a boot record: a FAT from 1 MiB on, and Linux from 3 MiB on, which has a hole.
fn disk() -> Vec<u8> {
    let mut disk = image::disk(8 * MIB);
    disk[..512].fill(0);
    for (number, kind, range) in [(0, 0x0c, MIB..3 * MIB), (1, 0x83, SECOND)] {
        let at = 446 + 16 * number;
        disk[at + 4] = kind;
        for (at, bytes) in [(at + 8, range.start), (at + 12, range.len())] {
            let sectors = u32::try_from(bytes / 512).unwrap();
            disk[at..at + 4].copy_from_slice(&sectors.to_le_bytes());
        }
    }
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk[MIB + 0x52..MIB + 0x5a].copy_from_slice(b"FAT32   ");
    disk[4 * MIB..6 * MIB].fill(0);
    disk
}

#[test]
fn a_partition_is_copied_summed_and_mapped_alone() {
    let study = Study::new();
    let expected = disk()[SECOND].to_vec();
    let copy = study.path("copy.img");
    for image in study.images(&disk()) {
        let path = image.display();
        for more in [&["--partition", "2", "--verify"][..], &["--partition", "2", "--salvage"]] {
            study.convert(&image, &copy, "UDRW", more).done();
            assert!(fs::read(&copy).unwrap() == expected, "{path}");
            fs::remove_file(&copy).unwrap();
        }
        let sum = study.image("checksum", &image, &["--partition", "2", "--progress", "none"]);
        assert_eq!(sum.done().stdout, format!("{}  {path}\n", sha256(&expected)));
        let map = study.image("map", &image, &["--partition", "2", "--json"]);
        let map: serde_json::Value = serde_json::from_str(&map.done().stdout).unwrap();
        let extents = map.as_array().unwrap();
        let length: u64 = extents.iter().map(|extent| extent["length"].as_u64().unwrap()).sum();
        assert_eq!((extents[0]["start"].as_u64(), length), (Some(0), 4 << 20), "{path}: {map}");
    }
}

#[test]
fn a_partition_beyond_the_end_of_a_disk_that_was_cut_short_is_damage() {
    let study = Study::new();
    let path = study.path("cut.img");
    // Within the second partition.
    fs::write(&path, &disk()[..5 * MIB]).unwrap();
    let copy = study.path("copy.img");
    let told = "partition 2 has 4194304 bytes from 3145728 on, which is beyond the end of the disk";
    let info = study.image("info", &path, &[]);
    assert!(info.done().stdout.contains(told), "{info:?}");
    assert!(info.stdout.contains("partition 1 "), "{info:?}");
    let checked = study.image("check", &path, &[]);
    assert_eq!((checked.code, checked.stdout.contains(told)), (6, true), "{checked:?}");
    assert!(!checked.stdout.contains("no damage"), "{checked:?}");
    for ended in [study.image("checksum", &path, &[]), study.convert(&path, &copy, "UDRW", &[])] {
        assert!(ended.done().stderr.contains(told), "{ended:?}");
    }
    fs::remove_file(&copy).unwrap();
    let salvaged = study.convert(&path, &copy, "UDRW", &["--salvage"]);
    assert_eq!(salvaged.code, 6, "{salvaged:?}");
    assert_eq!(salvaged.stdout.lines().count(), 1, "{salvaged:?}");
    assert!(salvaged.stdout.starts_with(&format!("damage: {told}")), "{salvaged:?}");
    fs::remove_file(&copy).unwrap();
    for more in [&["--partition", "2"][..], &["--partition", "2", "--salvage"]] {
        let refused = study.convert(&path, &copy, "UDRW", more);
        let line = refused.refused_with(6);
        assert!(line.contains(told) && line.contains("without --partition"), "{line}");
    }
}

#[test]
fn a_first_partition_that_was_cut_short_still_makes_a_map() {
    let study = Study::new();
    let path = study.path("cut.img");
    fs::write(&path, &disk()[..2 * MIB]).unwrap();
    let info = study.image("info", &path, &[]);
    assert!(info.done().stdout.contains("partition 1 has 2097152 bytes"), "{info:?}");
}

#[test]
fn info_lists_the_partitions_and_their_file_systems_and_others_are_refused() {
    let study = Study::new();
    let copy = study.path("copy.img");
    for image in study.images(&disk()) {
        let info = study.image("info", &image, &[]).done().stdout.clone();
        let lines = "partitions  MBR\n\
                     partition 1 FAT32, FAT32: 2097152 bytes at 1048576\n\
                     partition 2 Linux: 4194304 bytes at 3145728\n";
        assert!(info.contains(lines), "{info}");
        let json = study.image("info", &image, &["--json"]).done().stdout.clone();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["partition_map"]["scheme"], "MBR");
        assert_eq!(json["partition_map"]["partitions"][1]["start_bytes"], 3_145_728);
        let refused = study.convert(&image, &copy, "UDRW", &["--partition", "3"]);
        let line = refused.refused_with(2);
        assert!(line.contains("it has no partition 3: choose one of 1, 2"), "{line}");
        assert!(!copy.exists());
    }
}

#[test]
fn a_copy_keeps_the_size_of_blocks_where_it_can_and_another_one_is_noted() {
    let study = Study::new();
    let source = study.image_of(&gpt(4096), "ASIF", &["--block", "4096"], "");
    let blocks = |path: &Path| {
        let json = study.image("info", path, &["--json"]).done().stdout.clone();
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["block_bytes"].clone()
    };
    let note = "the source has blocks of 4096 bytes, and the copy has blocks of 512";
    for (format, more, expected) in [
        ("ASIF", &[][..], json!(4096)),
        ("ASIF", &["--partition", "3"], json!(4096)),
        ("ASIF", &["--salvage"], json!(4096)),
        ("ASIF", &["--block", "512"], json!(512)),
        ("UDRW", &[], json!(null)),
    ] {
        let copy = study.path("copy.img");
        let converted = study.convert(&source, &copy, format, more);
        assert_eq!(converted.done().stderr.contains(note), expected != json!(4096), "{more:?}");
        assert_eq!(blocks(&copy), expected, "{format} {more:?}");
        let misread =
            "the GPT of this disk counts in sectors of 4096 bytes, but the disk has blocks of 512";
        let info = study.image("info", &copy, &[]).done().stdout.clone();
        assert_eq!(info.contains(misread), expected != json!(4096), "{format} {more:?}: {info}");
        fs::remove_file(&copy).unwrap();
    }
    assert!(study.convert(&source, Path::new("-"), "UDRW", &[]).done().stderr.contains(note));
    // The map of the source is for the blocks of the copy.
    let raw = study.path("raw.img");
    fs::write(&raw, gpt(4096)).unwrap();
    let copy = study.path("copy.asif");
    let converted = study.convert(&raw, &copy, "ASIF", &["--block", "4096"]);
    assert!(!converted.done().stderr.contains("and the copy has blocks"), "{converted:?}");
}

#[test]
fn a_disk_that_grows_keeps_its_partitions_and_one_that_would_lose_something_is_not_cut() {
    let study = Study::new();
    let copy = study.path("copy.img");
    for image in study.images(&disk()) {
        let resize = |size| study.image("resize", &image, &["--size", size]);
        assert_eq!(resize("12MiB").done().stdout, "length: 8388608 -> 12582912 bytes\n");
        assert_eq!(resize("12MiB").stderr, "", "a boot record has no copy at the end");
        let cut = resize("4MiB");
        let line = cut.refused_with(2);
        assert!(line.contains("would cut off partition 2, which ends at 7340032"), "{line}");
        let cut = resize("7MiB");
        let line = cut.refused_with(2);
        assert!(line.contains("give at least 8388608"), "{line}");
        study.convert(&image, &copy, "UDRW", &["--verify"]).done();
        let mut expected = disk();
        expected.resize(12 * MIB, 0);
        assert!(fs::read(&copy).unwrap() == expected, "{}", image.display());
        fs::remove_file(&copy).unwrap();
        resize("8MiB").done();
    }
}

#[test]
fn a_note_says_how_to_move_the_copy_of_the_partition_table_to_the_new_end() {
    let study = Study::new();
    let image = study.path("gpt.img");
    fs::write(&image, gpt(512)).unwrap();
    let longer = study.image("resize", &image, &["--size", "16MiB"]);
    assert!(longer.done().stderr.contains("copy of the partition table"), "{longer:?}");
    let shorter = study.image("resize", &image, &["--size", "4MiB"]);
    assert!(shorter.done().stderr.contains("image resize --size 16777216 makes it whole again"));
}

#[test]
fn a_disk_that_was_cut_short_is_not_made_shorter_and_a_note_is_all_that_tells_it_when_it_grows() {
    let study = Study::new();
    let image = study.path("cut.img");
    // The last partition ends at 3 MiB.
    fs::write(&image, &gpt(512)[..2 * MIB + MIB / 2]).unwrap();
    let resize = |size| study.image("resize", &image, &["--size", size]);
    let cut = resize("2304KiB");
    assert!(
        cut.refused_with(2).contains("partition 3, which ends at 3145728: give at least 3145728")
    );
    let longer = resize("4MiB");
    let note = "which is beyond the end of the disk, as if the image was cut short; in the longer disk that part is zeros";
    assert!(longer.done().stderr.contains(note), "{longer:?}");
    assert!(!resize("5MiB").done().stderr.contains(note));
}
