//! Looking for damage.

use std::path::Path;

use crate::crypt::Token;
use crate::disk::Damage;
use crate::error::{Kind, Result};
use crate::findings::Findings;
use crate::sparse_bundle::bands::{BandFiles, scan};
use crate::sparse_bundle::info::{BACKUP, INFO, Info};
use crate::sparse_bundle::view::PlainView;
use crate::sparse_bundle::{
    bands_of, behind_the_end, hold_lock, known_blocks, other_folders, read_info, token_of, unit_of,
};
use crate::store::Access;

/// Looks for damage.
///
/// # Errors
/// Any error of the system; damage is not an error.
pub fn check(path: &Path, token: Option<Token>) -> Result<Vec<Damage>> {
    let _lock = hold_lock(path, Access::Read)?;
    let mut findings = Findings::default();
    let mut described = |name| match read_info(path, name) {
        Ok(info) => Ok(Some(info)),
        Err(error) if error.kind() == Kind::Damaged => {
            findings.add(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error),
    };
    let (info, backup) = (described(INFO)?, described(BACKUP)?);
    if let (Some(info), Some(backup)) = (&info, &backup)
        && info != backup
    {
        findings.add(if info.band_bytes == backup.band_bytes {
            format!(
                "{INFO} and {BACKUP} name two lengths, {} and {} bytes: image resize gives both the same",
                info.len_bytes, backup.len_bytes
            )
        } else {
            format!("{INFO} and {BACKUP} differ")
        });
    }
    if let Err(missing) = token_of(path) {
        findings.add(missing.to_string());
    }
    // As when it is opened: of two lengths the longer one, so that no band is beyond the end of one alone.
    let described = match (info, backup) {
        (Some(info), Some(backup)) if info.band_bytes == backup.band_bytes => {
            Some(Info { len_bytes: info.len_bytes.max(backup.len_bytes), ..info })
        }
        (info, backup) => info.or(backup),
    };
    match (described, bands_of(path)) {
        (Some(_), Err(missing)) => findings.add(missing.to_string()),
        (Some(info), Ok(bands)) => {
            let unit = unit_of(token.as_ref());
            known_blocks(&info, unit)?;
            let mut on_damage = findings.on_damage();
            other_folders(path, &mut on_damage)?;
            let there = scan(&bands, &info, unit, &mut on_damage)?;
            let mut files = BandFiles::new(bands, Access::Read, there);
            files.open_each()?;
            let mut view = PlainView::new(files, info.band_bytes, token);
            if let Some(what) = behind_the_end(&mut view, &info)? {
                on_damage(what)?;
            }
        }
        (None, _) => {}
    }
    Ok(findings.into_lines())
}
