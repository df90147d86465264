//! Looking for damage.

use std::path::Path;

use crate::crypt::Token;
use crate::disk::Damage;
use crate::error::Result;
use crate::findings::{Findings, tolerated};
use crate::sparse_bundle::info::{BACKUP, INFO};
use crate::sparse_bundle::{SparseBundle, hold_lock, read_info};
use crate::store::Access;

/// Looks for damage.
///
/// # Errors
/// Any error of the system; damage is not an error.
pub fn check(path: &Path, token: Option<Token>) -> Result<Vec<Damage>> {
    let _lock = hold_lock(path, Access::Read)?;
    let mut findings = Findings::default();
    let mut lengths = Vec::new();
    for name in [INFO, BACKUP] {
        match read_info(path, name) {
            Ok(info) => lengths.push(info.len_bytes),
            Err(error) => tolerated(error, &mut findings.on_damage())?,
        }
    }
    match lengths[..] {
        // Both are named already.
        [] => return Ok(findings.into_lines()),
        [one, other] if one != other => findings.add(format!(
            "{INFO} and {BACKUP} name two lengths, {one} and {other} bytes: image resize gives both the same"
        )),
        _ => {}
    }
    let opened = SparseBundle::open_around(path, Access::Read, token, &mut findings.on_damage());
    match opened {
        Ok(mut bundle) => bundle.view.files.open_each()?,
        Err(error) => tolerated(error, &mut findings.on_damage())?,
    }
    Ok(findings.into_lines())
}
