//! Facts about an image for people.

use diskimage::crypt::Facts;
use diskimage::info::ImageInfo;
use diskimage::partition::Partition;

use crate::error::one_line;
use crate::units::gigabytes;

/// The facts for people, one a line.
pub(super) fn text(info: &ImageInfo) -> String {
    const UNKNOWN: &str = "unknown without the passphrase";
    // What rounds to no gigabytes at all is short enough as it is.
    let size = |bytes: u64| match gigabytes(bytes) {
        rounded if rounded == gigabytes(0) => format!("{bytes} bytes"),
        rounded => format!("{bytes} bytes ({rounded})"),
    };
    let mut rows = vec![
        ("format", info.format.map_or(UNKNOWN.to_owned(), |format| format.to_string())),
        ("disk", info.disk_bytes.map_or(UNKNOWN.to_owned(), size)),
        ("allocated", size(info.allocated_bytes)),
        ("apparent", size(info.apparent_bytes)),
    ];
    if let (Some(bands), Some(band_bytes)) = (info.bands, info.band_bytes) {
        rows.push(("bands", format!("{bands} in use, {band_bytes} bytes each")));
    }
    if let Some(block_bytes) = info.block_bytes {
        rows.push(("blocks", format!("{block_bytes} bytes each")));
    }
    rows.push((
        "encryption",
        match &info.encryption {
            None => "none".to_owned(),
            Some(Facts { cipher, iterations, key_wrap, .. }) => format!(
                "AES-{}, {iterations} rounds of PBKDF2-HMAC-SHA1, keys wrapped with {key_wrap}",
                cipher.bits()
            ),
        },
    ));
    if let Some(map) = &info.partition_map {
        rows.push(("partitions", map.scheme.name().to_owned()));
    }
    if let Some(file_system) = info.file_system {
        rows.push(("file system", file_system.to_owned()));
    }
    let partitions = info.partition_map.iter().flat_map(|map| &map.partitions);
    let partitions: Vec<(String, String)> = partitions.map(partition).collect();
    rows.extend(partitions.iter().map(|(name, value)| (name.as_str(), value.clone())));
    rows.extend(info.notes.iter().map(|note| ("note", note.clone())));
    rows.iter().map(|(name, value)| format!("{name:<11} {value}\n")).collect()
}

fn partition(partition: &Partition) -> (String, String) {
    let Partition { number, start_bytes, len_bytes, kind, name, file_system } = partition;
    let file_system = file_system.map_or_else(String::new, |name| format!(", {name}"));
    let name = if name.is_empty() { String::new() } else { format!(" \"{name}\"") };
    let value = format!("{kind}{name}{file_system}: {len_bytes} bytes at {start_bytes}");
    (format!("partition {number}"), one_line(&value))
}

#[cfg(test)]
mod tests {
    use diskimage::crypt::{Facts, KeySize};
    use diskimage::format::{AnyFormat, ImageFormat};
    use diskimage::info::ImageInfo;
    use diskimage::partition::{Partition, PartitionMap, Scheme};

    #[test]
    fn facts_are_one_a_line() {
        let info = ImageInfo {
            format: Some(AnyFormat::Image(ImageFormat::Udsb)),
            disk_bytes: Some(500_000_000),
            allocated_bytes: 8_396_800,
            apparent_bytes: 4_999_999,
            band_bytes: Some(8_388_608),
            bands: Some(1),
            block_bytes: Some(4096),
            encryption: Some(Facts {
                cipher: KeySize::Aes256,
                iterations: 232_558,
                key_wrap: "3DES",
                block_bytes: 512,
            }),
            partition_map: Some(PartitionMap {
                scheme: Scheme::Gpt,
                partitions: vec![
                    Partition {
                        number: 1,
                        start_bytes: 20_480,
                        len_bytes: 209_715_200,
                        kind: "EFI System".into(),
                        name: String::new(),
                        file_system: None,
                    },
                    Partition {
                        number: 2,
                        start_bytes: 209_735_680,
                        len_bytes: 290_000_384,
                        kind: "Apple APFS".into(),
                        name: "a\nb".into(),
                        file_system: Some("APFS"),
                    },
                ],
                beyond_the_end: Vec::new(),
                sector_bytes: Some(512),
                notes: Vec::new(),
            }),
            file_system: None,
            notes: vec!["so it is".into()],
        };
        let expected = "format      UDSB\n\
                        disk        500000000 bytes (0.50 GB)\n\
                        allocated   8396800 bytes (0.01 GB)\n\
                        apparent    4999999 bytes\n\
                        bands       1 in use, 8388608 bytes each\n\
                        blocks      4096 bytes each\n\
                        encryption  AES-256, 232558 rounds of PBKDF2-HMAC-SHA1, keys wrapped with 3DES\n\
                        partitions  GPT\n\
                        partition 1 EFI System: 209715200 bytes at 20480\n\
                        partition 2 Apple APFS \"a b\", APFS: 290000384 bytes at 209735680\n\
                        note        so it is\n";
        assert_eq!(super::text(&info), expected);
    }
}
