//! What an image is, by its headers on the disk, whatever program made it.

use std::io;
use std::path::Path;

use diskimage::crypt::Passphrase;
use diskimage::open;

use crate::record::{AES, ImageFacts};

/// Reads what an image is, which nobody has open for writing. What is encrypted stays unknown without a passphrase.
///
/// # Errors
/// `InvalidData` when its headers make no sense; `PermissionDenied` when the passphrase does not open it; else whatever the
/// system says.
pub(super) fn identify(image: &Path, passphrase: Option<&Passphrase>) -> io::Result<ImageFacts> {
    let found = open::identify(image, passphrase)?;
    Ok(ImageFacts {
        on_image: Some(true),
        format: found.format.map(|format| format.to_string()),
        encrypted: Some(found.encryption.is_some()),
        cipher: found.encryption.as_ref().map(|_| AES.to_owned()),
        key_bits: found.encryption.map(|encryption| u64::from(encryption.key_bits)),
        band_bytes: found.sizes.and_then(|sizes| sizes.band_bytes),
        sector_bytes: found.sizes.and_then(|sizes| sizes.block_bytes),
        nominal_bytes: found.sizes.map(|sizes| sizes.len_bytes),
        file_system: None,
    })
}

#[cfg(test)]
mod tests {
    use diskimage::crypt::{KeySize, NewKey, Passphrase};
    use diskimage::format::ImageFormat;
    use diskimage::open::{self, Spec};

    use super::identify;
    use crate::record::ImageFacts;

    #[test]
    fn without_its_passphrase_an_encrypted_image_tells_its_cipher_and_a_bundle_its_sizes() {
        let folder = tempfile::tempdir().unwrap();
        let right = Passphrase::new(b"right".to_vec()).unwrap();
        let wrong = Passphrase::new(b"wrong".to_vec()).unwrap();
        for format in ImageFormat::ALL {
            for (size, key_bits) in [(KeySize::Aes128, 128), (KeySize::Aes256, 256)] {
                let path = folder.path().join(format!("{format}-{key_bits}"));
                let key = NewKey { size, passphrase: &right, iterations: Some(10) };
                let len_bytes = 40_960_000;
                let (band_bytes, block_bytes, key) = (None, None, Some(key));
                let spec = Spec { format, len_bytes, band_bytes, block_bytes, key };
                drop(open::create(&path, &spec).unwrap());
                let whole = identify(&path, Some(&right)).unwrap();
                let outside = ImageFacts {
                    on_image: Some(true),
                    encrypted: Some(true),
                    cipher: Some("AES".into()),
                    key_bits: Some(key_bits),
                    ..ImageFacts::default()
                };
                let told = identify(&path, None).unwrap();
                if format == ImageFormat::Udsb {
                    assert_eq!(told, whole);
                    continue;
                }
                assert_eq!(told, outside);
                assert_eq!(whole.nominal_bytes, Some(len_bytes));
                assert_eq!(identify(&path, Some(&wrong)).unwrap_err().kind(), WRONG);
            }
        }
    }

    const WRONG: std::io::ErrorKind = std::io::ErrorKind::PermissionDenied;
}
