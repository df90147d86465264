//! One image and the programs that serve it: what creating, attaching and the others have in common.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::image::apple::calls::Wanted;
use crate::image::apple::capabilities::{Mac, Tool, Verb};
use crate::image::apple::failure::Failure;
use crate::image::macos::detach::{self, Detached};
use crate::image::macos::inventory;
use crate::interrupt::Stop;
use crate::program::{Answer, Call, End, Programs};
use crate::record::ImageFacts;

/// Waits before what failed is tried again. `Resource busy` on CI machines was over within seconds (create-dmg waits 2,
/// 4, 8 s ...), a lock of a former helper too (Lima: three times 3 s).
const PAUSES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(6)];

/// A call that used up a longer time limit than this is not tried again, to end within a night.
const LONG: Duration = Duration::from_secs(600);

/// One image.
pub(super) struct Session {
    /// The cell that is measured.
    pub cell: Cell,
    /// The request.
    pub wanted: Wanted,
    /// The path of the image.
    pub image: PathBuf,
    /// Where its volume is attached.
    pub mount_point: PathBuf,
    /// Runs the programs.
    pub programs: Programs,
    /// What they can do here.
    pub mac: Mac,
    /// Cancellation flag.
    pub stop: Stop,
    /// The properties of the image, once queried while detached.
    pub facts: Option<ImageFacts>,
    /// The system's answers while it is attached.
    pub volume_facts: ImageFacts,
}

impl Session {
    /// Runs a program that is to do something.
    ///
    /// # Errors
    /// When it does not.
    pub(super) fn ask(&mut self, doing: &str, call: &Call) -> std::result::Result<Answer, Failure> {
        let answer = self.programs.run(call);
        if answer.is_good() {
            return Ok(answer);
        }
        Err(match Failure::of(doing, &answer) {
            Failure::Transient(_, error) if answer.end == End::TimedOut && call.time() > LONG => {
                Failure::Permanent(error)
            }
            failure => failure,
        })
    }

    /// Runs an action with each supported tool in turn, with retries; returns a note if the first try failed. After a
    /// failure nothing is left attached.
    ///
    /// # Errors
    /// The last failure after all retries; [`Error::unsupported`] if no tool supports it.
    pub(super) fn persist<T>(
        &mut self,
        verb: Verb,
        attempt: impl Fn(&mut Self, Tool) -> std::result::Result<T, Failure>,
    ) -> Result<(T, Option<String>)> {
        let mut note = None;
        for tool in self.mac.tools(verb, &self.cell) {
            let mut pauses = PAUSES.iter();
            loop {
                self.stop.check()?;
                let failure = match attempt(self, tool) {
                    Ok(done) => return Ok((done, note)),
                    Err(failure) => failure,
                };
                // A failed call may leave the device attached; the error is then that of detaching.
                let left = self.leave_nothing_attached();
                let (words, error) = match failure {
                    Failure::Unsupported(words) => {
                        note = Some(format!("not by the preferred program: {words}"));
                        left?;
                        break;
                    }
                    Failure::Permanent(error) => return Err(error),
                    Failure::Transient(words, error) => (words, error),
                };
                left?;
                let Some(pause) = pauses.next() else { return Err(error) };
                note = Some(format!("not at the first attempt: {words}"));
                self.programs.wait(*pause);
            }
        }
        Err(Error::unsupported(self.mac.cannot(verb, &self.cell)))
    }

    /// Whether a device serves the image now; false if unknown.
    pub(super) fn is_attached(&mut self) -> bool {
        inventory::of_image(&mut self.programs, &self.image).is_some_and(|disks| !disks.is_empty())
    }

    /// Detaches the image.
    ///
    /// # Errors
    /// When it stays attached.
    pub(super) fn detach(&mut self) -> Result<Detached> {
        detach::detach(&mut self.programs, &self.image, self.mac.detaches_first())
    }

    /// Detaches every device that serves the image now. Without one, this costs one query.
    ///
    /// # Errors
    /// When it stays attached.
    pub(super) fn leave_nothing_attached(&mut self) -> Result<()> {
        self.detach().map(drop)
    }

    /// Makes sure that the mount point is there and nothing in it: macOS 27 removes it when the volume is detached.
    ///
    /// # Errors
    /// When it cannot be made, or holds something: that would be hidden, or be the volume of somebody else.
    pub(super) fn make_mount_point(&self) -> Result<()> {
        match fs::create_dir(&self.mount_point) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io_in_step("creating the mount point", &error)),
            Ok(()) => return Ok(()),
        }
        let doing = |error: io::Error| Error::io_in_step("looking at the mount point", &error);
        for entry in fs::read_dir(&self.mount_point).map_err(doing)? {
            let name = entry.map_err(doing)?.file_name();
            // The Finder writes this file everywhere; the volume hides it.
            if name != ".DS_Store" {
                return Err(Error::step(
                    "the mount point is not empty: detach what is attached there, or move its files away, then run again",
                ));
            }
        }
        Ok(())
    }
}
