//! Images read by a reader of others: `keramics-formats` 0.0.1. Each function returns the whole disk; none if it cannot
//! be read or the passphrase does not open it.

use std::path::Path;

use diskimage::format::ImageFormat;
use keramics_core::{DataStreamReference, open_os_data_stream};
use keramics_formats::cdsaencr::{CdsaEncrContainer, CdsaEncrCredential};
use keramics_formats::sparsebundle::SparseBundleImage;
use keramics_formats::sparseimage::SparseImageFile;
use keramics_formats::{FileResolverReference, OsFileResolver, PathComponent};

/// An image of a format that it reads.
pub fn disk(path: &Path, format: ImageFormat, words: Option<&[u8]>) -> Option<Vec<u8>> {
    match format {
        ImageFormat::Udrw => raw(path, words?),
        ImageFormat::Udsp => sparse_image(path, words),
        ImageFormat::Udsb => sparse_bundle(path, "Info.plist", words),
        ImageFormat::Asif => None,
    }
}

/// An encrypted raw image.
fn raw(path: &Path, words: &[u8]) -> Option<Vec<u8>> {
    let mut container = CdsaEncrContainer::new();
    container.read_data_stream(&open_os_data_stream(&path.to_owned()).ok()?).ok()?;
    if !container.unlock(&credentials(words)).ok()? {
        return None;
    }
    let stream = container.get_data_stream()?;
    let length = stream.write().unwrap().get_size().ok()?;
    all(&stream, length)
}

/// Its limits: it refuses disks of more than 1008 bands, used or not, and ends behind the last band that is used.
pub fn sparse_image(path: &Path, words: Option<&[u8]>) -> Option<Vec<u8>> {
    let mut file = SparseImageFile::new();
    file.read_data_stream(&open_os_data_stream(&path.to_owned()).ok()?).ok()?;
    if let Some(words) = words
        && !file.unlock(&credentials(words)).ok()?
    {
        return None;
    }
    all(&file.get_data_stream()?, file.get_media_size())
}

/// Its limit: a band that is missing, or shorter than what is read of it, is an error to it.
pub fn sparse_bundle(path: &Path, info: &str, words: Option<&[u8]>) -> Option<Vec<u8>> {
    let resolver = FileResolverReference::new(Box::new(OsFileResolver::new(path.to_owned())));
    let mut image = SparseBundleImage::new();
    image.open(&resolver, &PathComponent::from(info)).ok()?;
    if let Some(words) = words
        && !image.unlock(&credentials(words)).ok()?
    {
        return None;
    }
    all(&image.get_data_stream()?, image.get_media_size())
}

fn credentials(words: &[u8]) -> [CdsaEncrCredential; 1] {
    [CdsaEncrCredential::Passphrase(words.to_vec())]
}

fn all(stream: &DataStreamReference, length: u64) -> Option<Vec<u8>> {
    let mut disk = vec![0xa5; usize::try_from(length).ok()?];
    stream.write().unwrap().read_exact(&mut disk).ok()?;
    Some(disk)
}

/// Makes sure that it reads just this disk.
pub fn assert_reads(found: Option<Vec<u8>>, expected: &[u8]) {
    let found = found.unwrap();
    assert_eq!(found.len(), expected.len());
    let differs = found.iter().zip(expected).position(|(one, other)| one != other);
    assert_eq!(differs, None, "first byte that differs");
}
