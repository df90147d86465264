//! Detaching an image: with retries, then by force, and only devices that serve this image.
//!
//! A program's answer is not reliable: it may fail after the device is detached, succeed while it is still attached, or
//! hang. So only the [`inventory`] decides whether an image is detached, and it is queried again before *every*
//! command, since free device numbers are reused at once. Without its answer no command is run.
//!
//! 1. `hdiutil detach` and `diskutil eject` in turn, with growing pauses: indexers and virus scanners close their files
//!    after a while, and on some releases one of the two never works (macOS 27: `hdiutil detach` is always "busy":
//!    autopkg, issue 1069).
//! 2. By force: `diskutil unmountDisk force` and `eject` (`eject force` is too new), then `hdiutil detach -force`.
//! 3. Waiting until it is detached.

use std::path::Path;
use std::time::{Duration, Instant};

use diskimage::format::ImageFormat;

use super::Tool;
use super::command_error::{self, Kind};
use super::inventory::{self, Attached, place};
use crate::error::{Error, Result};
use crate::image::contents;
use crate::program::{Call, Programs};

/// Pauses between the patient tries: 0.1 s, doubled each time, 12.7 s in all. Others who script this wait as long
/// (create-dmg 5 tries, dmgbuild 12, doubling).
const PAUSES_MS: [u64; 7] = [100, 200, 400, 800, 1600, 3200, 6400];

/// Pauses while the system removes a device that a program reported as detached: 3.1 s in all.
const GOING_MS: [u64; 6] = [0, 100, 200, 400, 800, 1600];

/// Pauses after everything was tried: 10 s in all.
const LAST_MS: [u64; 6] = [100, 300, 600, 1800, 3200, 4000];

/// Time limit of a command. It unmounts the volume, so it first flushes memory: 64 GB to a disk of 100 MB/s take 11
/// minutes. After the limit the system continues flushing, but after [`MOST_HANGING`] such commands comes force, which
/// discards data that cannot be written at once.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// The same by force. It no longer waits for who holds the volume.
const FORCED: Duration = Duration::from_secs(5 * 60);

/// After this many hanging commands, waiting is useless.
const MOST_HANGING: u32 = 2;

/// How long to retry an inventory without an answer; its programs may also hang up to their own limits.
const LONGEST_SILENCE: Duration = Duration::from_secs(120);

/// No folder of ours ever has more images attached: one.
const MOST_IMAGES: u32 = 8;

/// What it took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Detached {
    /// The number of detach commands.
    pub asked: u32,
    /// Whether it had to be forced.
    pub forced: bool,
    /// Whether it was detached before any command.
    pub was_gone: bool,
}

/// Detaches every device that serves this image, by this program first and the other one next, and waits until the
/// system no longer lists it.
///
/// # Errors
/// Exit code 7 when it stays attached, with the blocking process if known; never 130: images are detached even after
/// Ctrl-C.
pub(crate) fn detach(programs: &mut Programs, image: &Path, first: Tool) -> Result<Detached> {
    let mut work = Work::on(programs, image);
    if work.is_gone() {
        work.done.was_gone = true;
        return Ok(work.done);
    }
    if work.patiently(first) || work.by_force() || work.goes_within(&LAST_MS) {
        return Ok(work.done);
    }
    Err(work.error())
}

/// Waits while the system removes the device of this image, and detaches it if it stays.
///
/// # Errors
/// As [`detach`].
pub(crate) fn let_go(programs: &mut Programs, image: &Path, first: Tool) -> Result<()> {
    if Work::on(programs, image).goes_within(&GOING_MS) {
        return Ok(());
    }
    detach(programs, image, first).map(drop)
}

/// Detaches our image inside this folder of ours, if a killed run has left it attached.
///
/// # Errors
/// As [`detach`]; and when another image inside the folder is attached, which is left alone. Ours is then not detached
/// either, since the other one may be on its volume.
pub(crate) fn detach_all_in(programs: &mut Programs, folder: &Path) -> Result<()> {
    for _ in 0..MOST_IMAGES {
        let Some(attached) = inventory::inside(programs, folder) else {
            return Err(nothing_known());
        };
        let is_ours = |attached: &Attached| {
            ImageFormat::ALL.into_iter().any(|format| {
                place::is_same(&attached.image, &folder.join(contents::image_name(format)))
            })
        };
        if let Some(theirs) = attached.iter().find(|attached| !is_ours(attached)) {
            return Err(Error::step(format!(
                "an image that diskbench did not make is attached from inside its folder as {}: \
                 detach it, then run again",
                theirs.disk
            )));
        }
        let Some(ours) = attached.first() else { return Ok(()) };
        detach(programs, &ours.image, Tool::Hdiutil)?;
    }
    Err(Error::step(
        "images are attached again as soon as they are detached: find the program that does it",
    ))
}

/// One image that is to be detached.
struct Work<'a> {
    programs: &'a mut Programs,
    image: &'a Path,
    done: Detached,
    /// The last error message.
    said: Option<String>,
    /// The last one that names who holds the volume.
    blocking_process: Option<String>,
    /// Since when the inventory has not answered.
    silent_since: Option<Instant>,
}

impl<'a> Work<'a> {
    const fn on(programs: &'a mut Programs, image: &'a Path) -> Self {
        let done = Detached { asked: 0, forced: false, was_gone: false };
        Self { programs, image, done, said: None, blocking_process: None, silent_since: None }
    }

    /// The devices that serve the image now; nothing when that is not known.
    fn devices(&mut self) -> Option<Vec<String>> {
        if self.silent_since.is_some_and(|since| since.elapsed() > LONGEST_SILENCE) {
            return None;
        }
        let begun = Instant::now();
        let devices = inventory::of_image(self.programs, self.image);
        self.silent_since = match devices {
            Some(_) => None,
            None => self.silent_since.or(Some(begun)),
        };
        devices
    }

    fn is_gone(&mut self) -> bool {
        self.devices().is_some_and(|devices| devices.is_empty())
    }

    fn goes_within(&mut self, pauses_ms: &[u64]) -> bool {
        pauses_ms.iter().any(|pause| {
            if *pause > 0 {
                self.programs.wait(Duration::from_millis(*pause));
            }
            self.is_gone()
        })
    }

    fn patiently(&mut self, first: Tool) -> bool {
        let mut by_hdiutil = first == Tool::Hdiutil;
        let mut hanging = 0;
        for pause in PAUSES_MS {
            let pause = Duration::from_millis(pause);
            let Some(devices) = self.devices() else {
                self.programs.wait(pause);
                continue;
            };
            let Some(disk) = devices.first() else { return true };
            let call = if by_hdiutil { hdiutil(disk) } else { diskutil(disk) };
            by_hdiutil = !by_hdiutil;
            match self.ask(call) {
                None if self.goes_within(&GOING_MS) => return true,
                None => {}
                Some(Kind::TimedOut) => {
                    hanging += 1;
                    if hanging == MOST_HANGING {
                        break;
                    }
                }
                // The device went away meanwhile, or that program is not to be had.
                Some(Kind::Gone | Kind::Unsupported) => {}
                Some(_) => self.programs.wait(pause),
            }
        }
        self.is_gone()
    }

    fn by_force(&mut self) -> bool {
        let Some(devices) = self.devices() else { return false };
        for disk in devices {
            for (call, detaches) in
                [(unmount_by_force(&disk), false), (diskutil(&disk), true), (by_force(&disk), true)]
            {
                match self.devices() {
                    Some(devices) if devices.is_empty() => return true,
                    Some(devices) if devices.contains(&disk) => {}
                    // Unknown, or the device serves another image by now.
                    _ => continue,
                }
                self.done.forced = true;
                if self.ask(call).is_none() && detaches && self.goes_within(&GOING_MS) {
                    return true;
                }
            }
        }
        self.is_gone()
    }

    /// Runs a command; the kind of its error, if it fails.
    fn ask(&mut self, call: Call) -> Option<Kind> {
        self.done.asked += 1;
        let program = call.program().to_owned();
        let limit = if self.done.forced { FORCED } else { LIMIT };
        let answer = self.programs.run(&call.limit(limit));
        if answer.is_good() {
            return None;
        }
        let error = command_error::of(&answer);
        let message = if error.message.starts_with(&program) {
            error.message
        } else {
            format!("{program}: {}", error.message)
        };
        if message.contains("dissented by") {
            self.blocking_process = Some(message.clone());
        }
        self.said = Some(message);
        Some(error.kind)
    }

    fn error(&mut self) -> Error {
        let Some(devices) = self.devices() else { return nothing_known() };
        let said = self.blocking_process.take().or_else(|| self.said.take());
        let said = said.unwrap_or_else(|| "no program complains".into());
        Error::step(format!(
            "the image stays attached as {} ({said}): close what uses its volume, then run again",
            devices.join(", ")
        ))
    }
}

fn hdiutil(disk: &str) -> Call {
    Call::new("hdiutil").args(["detach", disk])
}

fn diskutil(disk: &str) -> Call {
    Call::new("diskutil").args(["eject", disk])
}

fn unmount_by_force(disk: &str) -> Call {
    Call::new("diskutil").args(["unmountDisk", "force", disk])
}

fn by_force(disk: &str) -> Call {
    hdiutil(disk).arg("-force")
}

fn nothing_known() -> Error {
    Error::step(
        "neither ioreg nor hdiutil lists what is attached, so nothing was detached or removed: \
         restart this Mac, then run again",
    )
}

#[cfg(test)]
pub(crate) mod tests;
