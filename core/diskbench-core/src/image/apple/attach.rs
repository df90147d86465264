//! Attaches an image and verifies that its volume is mounted, so that no file of the workload is written to the disk
//! below.

use std::path::Path;

use plist::{Dictionary, Value};

use crate::error::{Error, Result};
use crate::image::apple::calls;
use crate::image::apple::capabilities::{Tool, Verb};
use crate::image::apple::failure::Failure;
use crate::image::apple::session::Session;
use crate::image::macos::answer;
use crate::image::macos::entities::{self, VolumeDevice};
use crate::image::macos::inventory::{self, place};
use crate::image::notes;

const DOING: &str = "attaching the image";

impl Session {
    /// Attaches the image to its mount point; returns a note if that needed more than one try.
    ///
    /// # Errors
    /// When its volume is not mounted afterwards: then nothing is left attached.
    pub(super) fn attach(&mut self) -> Result<Option<String>> {
        self.stop.check()?;
        // Attaching an attached image succeeds, and returns the old device with a foreign mount point.
        let was_attached = self.is_attached();
        if was_attached {
            self.leave_nothing_attached()?;
        }
        self.identify()?;
        let ((), again) = self.persist(Verb::Attach, Self::attach_once)?;
        if self.stop.requested() {
            self.leave_nothing_attached()?;
            return Err(Error::interrupted());
        }
        let before =
            was_attached.then(|| "it was already attached, and was detached first".to_owned());
        Ok(notes(before.into_iter().chain(again)))
    }

    fn attach_once(&mut self, tool: Tool) -> std::result::Result<(), Failure> {
        // Before every try: detaching the last one may have removed the mount point.
        self.make_mount_point().map_err(Failure::Permanent)?;
        let call = self.wanted.attach(tool, &self.image, &self.mount_point);
        let answer = self.ask(DOING, &call)?;
        let attachment = entities::read(&answer.stdout).map_err(|wrong| {
            Failure::strange(DOING, &format!("cannot interpret the answer: {wrong}"))
        })?;
        let serving = inventory::of_image(&mut self.programs, &self.image);
        // If the system does not list devices, the mount point alone decides.
        if serving.is_some_and(|disks| !disks.contains(&attachment.disk)) {
            return Err(Failure::strange(DOING, "the device belongs to another image"));
        }
        let Some(volume) = attachment.volume else {
            return Err(Failure::strange(DOING, "no volume on it can be mounted"));
        };
        let about = self.mounted(&volume)?;
        self.note_volume(&about, &attachment.disk);
        Ok(())
    }

    /// Verifies that this volume is mounted at the mount point; returns the system's answer about it.
    fn mounted(&mut self, volume: &VolumeDevice) -> std::result::Result<Dictionary, Failure> {
        let elsewhere = |found: &Path| !place::is_same_place(found, &self.mount_point);
        if volume.mount_point.as_deref().is_some_and(elsewhere) {
            return Err(Failure::strange(DOING, "its volume was mounted elsewhere"));
        }
        // An answer without a mount point does not mean that nothing is mounted: some releases may omit it.
        if let Some(about) = self.in_its_place(volume)? {
            return Ok(about);
        }
        if volume.mount_point.is_none() {
            let call = calls::mount(&volume.device, &self.mount_point);
            self.ask("mounting the volume", &call)?;
            if let Some(about) = self.in_its_place(volume)? {
                return Ok(about);
            }
        }
        Err(Failure::strange(DOING, "its volume is not where it was to be mounted"))
    }

    /// The answer of `diskutil info -plist` about the mount point, if this volume is mounted there. If nothing is
    /// mounted, it has the key `Error`, and the exit code is 0 or, since some release up to 26, 1
    /// (Aquaticat/Monochromatic, tinylabscom/mvm#3121).
    fn in_its_place(
        &mut self,
        volume: &VolumeDevice,
    ) -> std::result::Result<Option<Dictionary>, Failure> {
        let answer = self.programs.run(&calls::info(&self.mount_point));
        let about = answer::dictionary(&answer.stdout).ok();
        let nothing =
            |about: &Dictionary| about.get("Error").and_then(Value::as_boolean) == Some(true);
        if about.as_ref().is_some_and(nothing) {
            return Ok(None);
        }
        if !answer.is_good() {
            return Err(Failure::of(DOING, &answer));
        }
        Ok(about.filter(|about| {
            answer::text(about, "DeviceIdentifier") == Some(&volume.device)
                && answer::text(about, "MountPoint")
                    .is_some_and(|place| place::is_same_place(Path::new(place), &self.mount_point))
        }))
    }
}
