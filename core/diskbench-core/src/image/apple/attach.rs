//! Attaching an image, and making sure that what is mounted is its volume: no file of the workload is ever written to the
//! disk beneath.

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
    /// Attaches the image to its mount point; gives a note when that did not go as usual.
    ///
    /// # Errors
    /// When its volume is not there afterwards: then nothing is left attached.
    pub(super) fn attach(&mut self) -> Result<Option<String>> {
        self.stop.check()?;
        // To attach what is attached succeeds, and gives the old device with a mount point of somebody else.
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
        // Before every try: what the last one attached and detached may have taken the mount point with it.
        self.make_mount_point().map_err(Failure::Permanent)?;
        let call = self.wanted.attach(tool, &self.image, &self.mount_point);
        let answer = self.ask(DOING, &call)?;
        let attachment = entities::read(&answer.stdout).map_err(|wrong| {
            Failure::strange(DOING, &format!("cannot interpret the answer: {wrong}"))
        })?;
        let serving = inventory::of_image(&mut self.programs, &self.image);
        // Where the system does not tell who serves it, the mount point alone has to be right.
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

    /// Makes sure that this volume is mounted where it belongs; gives what the system says of it.
    fn mounted(&mut self, volume: &VolumeDevice) -> std::result::Result<Dictionary, Failure> {
        let elsewhere = |found: &Path| !place::is_same_folder(found, &self.mount_point);
        if volume.mount_point.as_deref().is_some_and(elsewhere) {
            return Err(Failure::strange(DOING, "its volume was mounted elsewhere"));
        }
        // That an answer names no mount point does not say that nothing is mounted: not every release may name it.
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

    /// What `diskutil info -plist` says of the mount point, if this volume is there. Where nothing is mounted,
    /// it has the key `Error`, and the exit code is 0 or, since some release up to 26, 1 (Aquaticat/Monochromatic,
    /// tinylabscom/mvm#3121).
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
                    .is_some_and(|place| place::is_same_folder(Path::new(place), &self.mount_point))
        }))
    }
}
