//! The properties of an image: queried from the programs while it is detached, read from the image's bytes, and queried
//! from the system once it is attached. Other properties are unknown; a program without an answer is not a failure.

use plist::{Dictionary, Value};

use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::host;
use crate::image::apple::calls;
use crate::image::apple::capabilities::{Tool, Verb};
use crate::image::apple::failure::Failure;
use crate::image::apple::session::Session;
use crate::image::identify::identify;
use crate::image::macos::{answer, detach};
use crate::record::ImageFacts;

const DOING: &str = "asking what the image is";

impl Session {
    /// Finds out the properties of the detached image, once: hdiutil refuses an attached one.
    ///
    /// # Errors
    /// When its sources contradict each other, or when cancelled.
    pub(super) fn identify(&mut self) -> Result<()> {
        if self.facts.is_some() {
            return Ok(());
        }
        let said = match self.persist(Verb::Identify, Self::ask_what_it_is) {
            Ok((said, _)) => said,
            Err(error) if error.exit() == ExitCode::Interrupted => return Err(error),
            Err(_) => ImageFacts::default(),
        };
        // diskutil attaches it for that, for reading only, and leaves it to the system to remove the device when it has
        // ended (StorageKit, `-[SKDiskImage retrieveInfoWithParams:error:]`). Who attaches the image before that is
        // given this device.
        detach::let_go(&mut self.programs, &self.image, self.mac.detaches_first())?;
        // Only now: the programs need the image unlocked.
        let own = self.own_bytes();
        if let Some(what) = own.differences(&said) {
            return Err(Error::step(format!(
                "macOS describes the image differently than its own bytes do: {what}"
            )));
        }
        self.facts = Some(own.or(said));
        Ok(())
    }

    /// The properties in the image's headers; without the encrypted ones if the passphrase does not open it.
    fn own_bytes(&self) -> ImageFacts {
        let facts = identify(&self.image, self.wanted.passphrase())
            .or_else(|_| identify(&self.image, None))
            .unwrap_or_default();
        // That the volume is on it, the mount table says.
        ImageFacts { on_image: None, ..facts }
    }

    fn ask_what_it_is(&mut self, tool: Tool) -> std::result::Result<ImageFacts, Failure> {
        let list = |stdout: &[u8]| {
            answer::dictionary(stdout).map_err(|wrong| {
                Failure::strange(DOING, &format!("cannot interpret the answer: {wrong}"))
            })
        };
        let info = self.ask(DOING, &self.wanted.image_info(tool, &self.image))?;
        let info = list(&info.stdout)?;
        if tool == Tool::Diskutil {
            return Ok(of_diskutil(&info));
        }
        let encrypted = self.ask(DOING, &calls::is_encrypted(&self.image))?;
        let encrypted = list(&encrypted.stdout)?;
        let encrypted = ImageFacts {
            encrypted: encrypted.get("encrypted").and_then(Value::as_boolean),
            ..ImageFacts::default()
        };
        Ok(encrypted.or(of_hdiutil(&info)))
    }

    /// Adds the system's answers about the attached image: its volume, by the mount point, and the whole device.
    pub(super) fn note_volume(&mut self, volume: &Dictionary, disk: &str) {
        let sectors = self.ask(DOING, &calls::info_of_disk(disk)).ok();
        let disk = sectors.and_then(|answer| answer::dictionary(&answer.stdout).ok());
        self.volume_facts = ImageFacts {
            on_image: answer::text(volume, "BusProtocol").and_then(host::is_image),
            file_system: answer::text(volume, "FilesystemType").map(str::to_owned),
            sector_bytes: disk.as_ref().and_then(|disk| number(disk, "DeviceBlockSize")),
            ..ImageFacts::default()
        };
    }

    /// All known properties of the attached image, which was identified before that.
    pub(super) fn effective(&self) -> ImageFacts {
        self.volume_facts.clone().or(self.facts.clone().unwrap_or_default())
    }
}

/// From `hdiutil imageinfo -plist`.
pub(super) fn of_hdiutil(info: &Dictionary) -> ImageFacts {
    let inner = |key: &str| info.get(key).and_then(Value::as_dictionary);
    ImageFacts {
        // A code of four letters, such as UDRW or UDZO.
        format: answer::text(info, "Format")
            .filter(|code| code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_uppercase()))
            .map(str::to_owned),
        encrypted: inner("Properties")
            .and_then(|properties| properties.get("Encrypted"))
            .and_then(Value::as_boolean),
        nominal_bytes: inner("Size Information").and_then(|sizes| number(sizes, "Total Bytes")),
        ..ImageFacts::default()
    }
}

/// From `diskutil image info --plist`. It names formats as `image create --format` does (DiskImages2, `DiskImageInfo`);
/// any other is unknown. Before macOS 26 the size was a separate number.
pub(super) fn of_diskutil(info: &Dictionary) -> ImageFacts {
    let inner = |key: &str| info.get(key).and_then(Value::as_dictionary);
    let format = match answer::text(info, "Image Format") {
        Some("RAW") => Some("UDRW"),
        Some(known @ ("ASIF" | "UDSB")) => Some(known),
        _ => None,
    };
    ImageFacts {
        format: format.map(str::to_owned),
        encrypted: inner("Encryption Info")
            .and_then(|encryption| encryption.get("Is Encrypted"))
            .and_then(Value::as_boolean),
        nominal_bytes: inner("Size Info")
            .and_then(|sizes| number(sizes, "Total Bytes"))
            .or_else(|| number(info, "Size")),
        ..ImageFacts::default()
    }
}

fn number(dictionary: &Dictionary, key: &str) -> Option<u64> {
    dictionary.get(key)?.as_unsigned_integer()
}

#[cfg(test)]
mod tests;
