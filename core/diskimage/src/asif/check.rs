//! Looking for damage.

use crate::asif::directory::Directory;
use crate::asif::header::Header;
use crate::asif::metadata;
use crate::asif::survey;
use crate::disk::Damage;
use crate::error::{Kind, Result};
use crate::findings::Findings;
use crate::store::Store;

/// Looks for damage. Unreferenced chunks of the file are not damage: a killed process leaves some, and they are free
/// when the image is opened.
///
/// # Errors
/// `Unsupported` for an image that says what is not known, unless damage was found before: then that may be part of it.
/// Any error of the system; damage is not an error.
pub fn check(store: &mut dyn Store) -> Result<Vec<Damage>> {
    let mut findings = Findings::default();
    match structures(store, &mut findings) {
        Err(error)
            if error.kind() == Kind::Damaged
                || error.kind() == Kind::Unsupported && !findings.is_empty() =>
        {
            findings.add(error.to_string());
        }
        done => done?,
    }
    Ok(findings.into_lines())
}

fn structures(store: &mut dyn Store, findings: &mut Findings) -> Result<()> {
    let header = Header::load(store)?;
    let directory = Directory::load(store, &header)?;
    survey::walk(store, &header, &directory, true, &mut findings.on_damage())?;
    // What the metadata say can only be read through tables that are sound.
    if findings.is_empty() {
        metadata::check(store, &header, &directory)?;
    }
    Ok(())
}
