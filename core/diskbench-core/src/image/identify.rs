//! The properties of an image by its headers, whatever program made it.

use std::path::Path;

use diskimage::crypt::Passphrase;
use diskimage::error::Result;
use diskimage::open;

use crate::image::file_volume::MAGIC;
use crate::record::{AES, ImageFacts};

/// Reads the properties of an image that no process has open for writing. Encrypted ones need a passphrase.
///
/// # Errors
/// As [`open::identify`].
pub(super) fn identify(image: &Path, passphrase: Option<&Passphrase>) -> Result<ImageFacts> {
    let found = open::identify(image, passphrase, &MAGIC)?;
    let known = found.format.is_some() || found.encryption.is_some();
    Ok(ImageFacts {
        on_image: Some(true),
        format: found.format.map(|format| format.to_string()),
        encrypted: known.then_some(found.encryption.is_some()),
        cipher: found.encryption.as_ref().map(|_| AES.to_owned()),
        key_bits: found.encryption.map(|encryption| encryption.cipher.bits().into()),
        band_bytes: found.sizes.and_then(|sizes| sizes.band_bytes),
        sector_bytes: found.sizes.and_then(|sizes| sizes.block_bytes),
        nominal_bytes: found.sizes.map(|sizes| sizes.len_bytes),
        file_system: None,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use diskimage::crypt::{KeySize, Passphrase};
    use diskimage::error::Kind;
    use diskimage::format::ImageFormat;
    use diskimage::open::{self, Spec};
    use diskimage::testing::key;

    use super::identify;
    use crate::record::ImageFacts;

    #[test]
    fn without_its_passphrase_an_encrypted_image_tells_its_cipher_and_a_bundle_its_sizes() {
        let folder = tempfile::tempdir().unwrap();
        let wrong = Passphrase::new(b"wrong".to_vec()).unwrap();
        for format in ImageFormat::ALL {
            for (size, key_bits) in [(KeySize::Aes128, 128), (KeySize::Aes256, 256)] {
                let path = folder.path().join(format!("{format}-{key_bits}"));
                let len_bytes = 40_960_000;
                let spec = Spec { key: Some(key(size, "right")), ..Spec::plain(format, len_bytes) };
                drop(open::create(&path, &spec).unwrap());
                let whole = identify(&path, spec.passphrase()).unwrap();
                let outside = ImageFacts {
                    on_image: Some(true),
                    encrypted: Some(true),
                    cipher: Some("AES".into()),
                    key_bits: Some(key_bits),
                    ..ImageFacts::default()
                };
                let told = identify(&path, None).unwrap();
                if format.is_bundle() {
                    assert_eq!(told, whole);
                    continue;
                }
                assert_eq!(told, outside);
                let marked = format != ImageFormat::Udrw;
                assert_eq!(whole.nominal_bytes, marked.then_some(len_bytes));
                assert_eq!(
                    identify(&path, Some(&wrong)).unwrap_err().kind(),
                    Kind::WrongPassphrase
                );
            }
        }
    }

    #[test]
    fn a_raw_disk_is_one_when_a_volume_or_a_partition_table_shows_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image.dmg");
        let mut bytes = vec![0; 81_920];
        let on_image = Some(true);
        fs::write(&path, &bytes).unwrap();
        let unknown = ImageFacts { on_image, ..ImageFacts::default() };
        assert_eq!(identify(&path, None).unwrap(), unknown);
        let raw = ImageFacts {
            format: Some("UDRW".into()),
            encrypted: Some(false),
            nominal_bytes: Some(81_920),
            ..unknown
        };
        for (place, mark) in [(0, b"dskbvolm"), (512, b"EFI PART")] {
            bytes.fill(0);
            bytes[place..place + mark.len()].copy_from_slice(mark);
            fs::write(&path, &bytes).unwrap();
            assert_eq!(identify(&path, None).unwrap(), raw);
        }
    }
}
