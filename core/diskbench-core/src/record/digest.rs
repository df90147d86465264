//! The checksum of a record, and of an image's description.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cell::Cell;
use crate::error::Result;
use crate::json;

/// Key of the checksum in a record, and in a checkpoint.
pub(crate) const KEY: &str = "sha256";

/// SHA-256 of bytes, in lower-case hexadecimal digits.
pub fn of_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// The checksum of a record: that of its canonical form without the checksum.
pub fn of_record(mut tree: Value) -> String {
    if let Some(keys) = tree.as_object_mut() {
        keys.remove(KEY);
    }
    of_bytes(json::canonical(&tree).as_bytes())
}

/// What all phases of one image have in common: the cell without its phase.
///
/// # Errors
/// Never for cells that were read.
pub(crate) fn of_image(cell: &Cell) -> Result<String> {
    let mut tree = json::tree(cell)?;
    if let Some(keys) = tree.as_object_mut() {
        keys.remove("phase");
    }
    Ok(of_bytes(json::canonical(&tree).as_bytes()))
}

/// A record or checkpoint as a tree with its checksum.
///
/// # Errors
/// Never for values made by this program.
pub(crate) fn sealed<T: Serialize>(record: &T) -> Result<Value> {
    let mut tree = json::tree(record)?;
    let sha256 = of_record(tree.clone());
    if let Some(keys) = tree.as_object_mut() {
        keys.insert(KEY.to_owned(), Value::String(sha256));
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use super::{of_bytes, of_image, of_record};
    use crate::testing::cell;
    use serde_json::json;

    #[test]
    fn the_checksum_is_sha_256() {
        // FIPS 180-2, example B.1.
        let published = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_bytes(b"abc"), published);
    }

    #[test]
    fn a_record_s_checksum_is_that_of_python() {
        // hashlib.sha256(json.dumps({"b": 1, "a": "é"}, sort_keys=True, separators=(",", ":"),
        //                           ensure_ascii=False).encode()).hexdigest()
        let tree = json!({"sha256": "anything", "b": 1, "a": "é"});
        assert_eq!(of_record(tree), PYTHON);
    }

    const PYTHON: &str = "aa58fba8483623bed37c1b02edfccbdd9a53123837c20bfa4cb4049993a2872e";

    #[test]
    fn the_phases_of_an_image_share_a_digest_and_other_images_do_not() {
        let mut other = cell();
        other.phase = "emptied".into();
        assert_eq!(of_image(&other).unwrap(), of_image(&cell()).unwrap());
        other.seed += 1;
        assert_ne!(of_image(&other).unwrap(), of_image(&cell()).unwrap());
    }
}
