//! The attached images and their devices, from the I/O Registry and `hdiutil info`.
//!
//! The two differ. The registry (`ioreg`) is the kernel's own list, so its entries are right; but some release may list
//! kinds of images under other classes, and its output is empty both if nothing is attached and if a class is unknown.
//! `hdiutil info` lists every kind, but sometimes misses images while others are attached or detached (of 648 to 1551
//! polls, 11 to 89 lacked one: smoothbricks/codebase, specs/cowshed). Hence the rules:
//!
//! * an image that either of them lists is attached;
//! * an image is *not* attached if the registry does not list it and has all images of `hdiutil`; otherwise only if
//!   `hdiutil` does not list it [`POLLS`] times;
//! * without `hdiutil`, the registry alone counts, even if it is empty;
//! * if they contradict each other about a device, the registry is right; if a device seems to serve two images, there
//!   is no answer.
//!
//! So an empty list means that nothing is attached, and no list means unknown. Code that would detach a device or
//! remove an image's files stops in the second case.

mod info;
pub(crate) mod place;
mod registry;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::program::Programs;

/// How often `hdiutil info` must leave an image out before that is believed: each poll errs in less than 6 % of cases
/// (89 of 1551), so three of them in less than 0.02 %.
const POLLS: u32 = 3;

/// The pause between two polls: a missing image reappears as soon as the other one is attached or detached.
const BETWEEN_POLLS: Duration = Duration::from_millis(100);

/// An attached image, of this program or of another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Attached {
    /// The image's path, as the system has resolved it.
    pub image: PathBuf,
    /// The device of the whole image, such as `disk4`.
    pub disk: String,
}

/// The devices that serve this image now (empty: it is not attached); none without a reliable answer.
///
/// The path need not be resolved, and the image may be deleted: see [`place::is_same`].
pub(crate) fn of_image(programs: &mut Programs, image: &Path) -> Option<Vec<String>> {
    let attached = those(programs, &|listed| place::is_same(listed, image))?;
    Some(attached.into_iter().map(|attached| attached.disk).collect())
}

/// The attached images that lie inside this folder, however deep.
pub(crate) fn inside(programs: &mut Programs, folder: &Path) -> Option<Vec<Attached>> {
    those(programs, &|listed| place::is_inside(listed, folder))
}

/// The attached images that match. Repeated until there is a reliable answer, at most [`POLLS`] times.
fn those(programs: &mut Programs, is_meant: &dyn Fn(&Path) -> bool) -> Option<Vec<Attached>> {
    let mut silent = 0;
    for poll in 0..POLLS {
        let Some(round) = Round::ask(programs, poll, is_meant) else {
            silent += 1;
            continue;
        };
        let sure = round.registry_knows_all;
        let (meant, others): (Vec<Listed>, Vec<Listed>) =
            round.listed.into_iter().partition(|listed| is_meant(&listed.image));
        if meant.is_empty() {
            if sure {
                return Some(Vec::new());
            }
            continue;
        }
        let is_taken = |listed: &Listed| others.iter().any(|other| other.disk == listed.disk);
        let mut found: Vec<Attached> = Vec::new();
        for listed in &meant {
            // An image that is just being attached or detached has no device (any more): it may have one soon.
            if let Some(attached) = listed.clone().attached().filter(|_| !is_taken(listed)) {
                found.push(attached);
            }
        }
        if found.len() == meant.len() {
            found.sort();
            found.dedup();
            return Some(found);
        }
        silent += 1;
    }
    (silent == 0).then(Vec::new)
}

/// An image in one of the two lists.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Listed {
    image: PathBuf,
    /// Its device; none while it is being attached or detached.
    disk: Option<String>,
}

impl Listed {
    fn attached(self) -> Option<Attached> {
        Some(Attached { image: self.image, disk: self.disk? })
    }
}

/// What both say at one time.
#[derive(Debug)]
struct Round {
    listed: Vec<Listed>,
    /// Whether the registry answered and has every image of `hdiutil`.
    registry_knows_all: bool,
}

impl Round {
    /// Queries both; `hdiutil` only if the registry lists no match. None if neither answers, or if there is only an
    /// empty registry.
    fn ask(programs: &mut Programs, poll: u32, is_meant: &dyn Fn(&Path) -> bool) -> Option<Self> {
        if poll > 0 {
            programs.wait(BETWEEN_POLLS);
        }
        let registry = registry::ask(programs);
        if let registry::Answer::Listed(listed) = &registry
            && listed.iter().any(|listed| is_meant(&listed.image) && listed.disk.is_some())
        {
            return Some(Self { listed: listed.clone(), registry_knows_all: true });
        }
        let (mut listed, others) = match (registry, info::ask(programs)) {
            (registry::Answer::None, info::Answer::Listed(info)) => {
                return Some(Self { listed: info, registry_knows_all: false });
            }
            (registry::Answer::None, _) | (registry::Answer::Silence, info::Answer::None) => {
                return None;
            }
            (registry::Answer::Silence, info::Answer::Listed(info)) => (Vec::new(), info),
            (registry::Answer::Silence, info::Answer::Missing) => (Vec::new(), Vec::new()),
            (registry::Answer::Listed(listed), info::Answer::Listed(info)) => (listed, info),
            (registry::Answer::Listed(listed), _) => (listed, Vec::new()),
        };
        let mut registry_knows_all = true;
        for other in others {
            let is_known = listed.iter().any(|known| place::is_same(&known.image, &other.image));
            let is_stale =
                other.disk.is_some() && listed.iter().any(|known| known.disk == other.disk);
            if is_known {
                // The registry may not have its device yet.
                for known in listed.iter_mut().filter(|known| known.disk.is_none()) {
                    if !is_stale && place::is_same(&known.image, &other.image) {
                        known.disk.clone_from(&other.disk);
                    }
                }
            } else if !is_stale {
                registry_knows_all = false;
                listed.push(other);
            }
        }
        Some(Self { listed, registry_knows_all })
    }
}

#[cfg(test)]
pub(crate) mod tests;
