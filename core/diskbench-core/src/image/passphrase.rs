//! The passphrase of a study's image.

use diskimage::crypt::Passphrase;

use crate::cell::Cell;
use crate::record::digest;

/// The passphrase of a study's image: derived from the cell, so that every process that measures a phase of the image
/// can compute it, and it need not be stored.
///
/// Anyone can compute it. That suffices: the image contains only the workload, which follows from the same seed, and
/// the cost of encryption does not depend on the passphrase. Still it is in no record, log, error or command line, so
/// as not to set a bad example. None if the image is not encrypted.
pub(super) fn passphrase(cell: &Cell) -> Option<Passphrase> {
    cell.encryption.key_size()?;
    Passphrase::new(passphrase_text(cell).into_bytes()).ok()
}

/// The same as text: 64 hexadecimal digits, without characters that tools may interpret, or control characters, which
/// macOS's programs treat differently.
pub(crate) fn passphrase_text(cell: &Cell) -> String {
    let text = format!("diskbench image passphrase 1\n{}\n{}\n", cell.image_key(), cell.seed);
    digest::of_bytes(text.as_bytes())
}
