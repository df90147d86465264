//! Looking for damage.

use crate::asif::directory::Directory;
use crate::asif::header::Header;
use crate::asif::metadata;
use crate::asif::survey;
use crate::disk::Damage;
use crate::error::{Kind, Result};
use crate::store::Store;

/// More lines of damage than this say nothing more.
const MOST_LINES: usize = 100;

/// Looks for damage. Chunks of the file that nothing points to are none: a process that was killed leaves some, and
/// they are free when the image is opened.
///
/// # Errors
/// `Unsupported` for an image that says what is not known, unless damage was found before: then that may be part of it.
/// Whatever the system says; damage is no error.
pub fn check(store: &mut dyn Store) -> Result<Vec<Damage>> {
    let mut damages = Vec::new();
    match structures(store, &mut damages) {
        Err(error)
            if error.kind() == Kind::Damaged
                || error.kind() == Kind::Unsupported && !damages.is_empty() =>
        {
            damages.push(Damage(error.to_string()));
        }
        done => done?,
    }
    Ok(damages)
}

fn structures(store: &mut dyn Store, damages: &mut Vec<Damage>) -> Result<()> {
    let header = Header::load(store)?;
    let directory = Directory::load(store, &header)?;
    let mut left_out = 0_u64;
    let mut list = |what| {
        if damages.len() < MOST_LINES {
            damages.push(Damage(what));
        } else {
            left_out += 1;
        }
        Ok(())
    };
    survey::walk(store, &header, &directory, true, &mut list)?;
    if left_out > 0 {
        damages.push(Damage(format!("and {left_out} more of these lines")));
    }
    // What the metadata say can only be read through tables that are sound.
    if damages.is_empty() {
        metadata::load(store, &header, &directory)?;
    }
    Ok(())
}
