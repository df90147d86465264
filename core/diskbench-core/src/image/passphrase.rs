//! The passphrase of a study's image.

use diskimage::crypt::Passphrase;

use crate::cell::Cell;
use crate::record::digest;

/// The passphrase of a study's image: made from the cell, so that every process that measures one of the image's phases
/// knows it and none has to keep it.
///
/// Whoever reads this can make it too. That is enough: what the image holds is the workload's content, which follows
/// from the same seed, and no secret. Encryption costs the same whatever the passphrase is. It still is shown nowhere,
/// in no record, log, error or command line, so that nobody takes what stands there for the way to do it.
/// None where the image is not encrypted.
pub(super) fn passphrase(cell: &Cell) -> Option<Passphrase> {
    cell.encryption.key_size()?;
    Passphrase::new(passphrase_text(cell).into_bytes()).ok()
}

/// The same as text: 64 hexadecimal digits, so that no tool takes a part of it for something else. It has no control
/// characters, about which the programs of macOS would disagree.
pub(crate) fn passphrase_text(cell: &Cell) -> String {
    let text = format!("diskbench image passphrase 1\n{}\n{}\n", cell.image_key(), cell.seed);
    digest::of_bytes(text.as_bytes())
}
