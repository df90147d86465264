//! How the programs are called: every option that is used, and how long each call may take.

use std::path::Path;
use std::time::Duration;

use diskimage::crypt::Passphrase;
use diskimage::format::ImageFormat;
use zeroize::Zeroizing;

use crate::cell::{Cell, Encryption};
use crate::error::{Error, Result};
use crate::image::apple::capabilities::Tool;
use crate::image::passphrase::passphrase;
use crate::interrupt::Stop;
use crate::program::Call;

/// Name of the volume on every image of the study; hidden, since each is attached to its own folder.
const VOLUME: &str = "diskbench";

/// Placeholders of paths in records.
const IMAGE: &str = "<image>";
const MOUNT_POINT: &str = "<volume>";

/// Bytes of a sector, the unit of `-sectors` and `sparse-band-size`: hdiutil(1).
const SECTOR: u64 = 512;

/// To make an image takes a second, and some more on a busy Mac.
const CREATE: Duration = Duration::from_secs(300);

/// But a plain one of 100 GB that a macOS before 26 writes in full takes 17 minutes on a disk that writes 100 MB/s.
const CREATE_WHOLE: Duration = Duration::from_secs(3600);

/// Time limit of attaching: it takes under a second, some seconds with a check of the file system, and 8 on a busy Mac;
/// a raw image is trimmed when first attached. A program that takes minutes is waiting for user input.
const ATTACH: Duration = Duration::from_secs(180);

/// To ask, mount or mark something takes under a second, and 8 on a busy Mac.
const SHORT: Duration = Duration::from_secs(60);

/// Time limit of compacting: seconds for an empty bundle; half an hour if all bands of 100 GB are moved at 50 MB/s;
/// several times that if its tables are on such a disk, too.
const COMPACT: Duration = Duration::from_secs(4 * 3600);

/// The programs' calls for one image.
pub(super) struct Wanted {
    format: ImageFormat,
    encryption: Encryption,
    sectors: u64,
    band_sectors: Option<u64>,
    passphrase: Option<Passphrase>,
}

impl Wanted {
    /// The calls for a cell.
    ///
    /// # Errors
    /// For a cell without an image.
    pub(super) fn of(cell: &Cell) -> Result<Self> {
        let format = cell.format.image().ok_or_else(|| {
            Error::input(format!("format {} is not an image: use driver native", cell.format))
        })?;
        Ok(Self {
            format,
            encryption: cell.encryption,
            // Of whole sectors; all of the study's are.
            sectors: cell.nominal_bytes / SECTOR,
            band_sectors: cell.band_bytes.map(|bytes| bytes / SECTOR),
            passphrase: passphrase(cell),
        })
    }

    /// The image's format.
    pub(super) const fn format(&self) -> ImageFormat {
        self.format
    }

    /// The image's length in bytes.
    pub(super) const fn len_bytes(&self) -> u64 {
        self.sectors.saturating_mul(SECTOR)
    }

    /// Creates the image with an APFS volume. Cancellable: it may take long, and an unfinished image is deleted.
    pub(super) fn create(&self, tool: Tool, image: &Path, stop: &Stop) -> Call {
        let limit = if self.format == ImageFormat::Udrw { CREATE_WHOLE } else { CREATE };
        let call = match tool {
            Tool::Hdiutil => self.create_by_hdiutil(image),
            Tool::Diskutil => self.create_by_diskutil(image),
        };
        call.limit(limit).stoppable(stop)
    }

    fn create_by_hdiutil(&self, image: &Path) -> Call {
        // Formats without a type are created only by `diskutil`.
        let kind = self.format.row().hdiutil_type.unwrap_or(self.format.name());
        let mut call = Call::new("hdiutil")
            .args(["create", "-sectors"])
            .arg(self.sectors.to_string())
            .args(["-type", kind, "-fs", "APFS", "-volname", VOLUME]);
        if let Some(sectors) = self.band_sectors {
            call = call.arg("-imagekey").arg(format!("sparse-band-size={sectors}"));
        }
        if self.passphrase.is_some() {
            call = call.args(["-encryption", self.encryption.name()]);
        }
        self.unlocked_by_hdiutil(call.arg("-plist")).path(image, IMAGE)
    }

    /// The file system is not named: it is APFS anyway, and how the option is called differs (diskutil(8) of macOS 14
    /// to 27).
    fn create_by_diskutil(&self, image: &Path) -> Call {
        // A format that diskutil does not support has no row in the table of capabilities.
        let kind = self.format.row().diskutil_format.unwrap_or(self.format.name());
        let mut call = Call::new("diskutil")
            .args(["image", "create", "blank", "--format", kind, "--size"])
            // A plain number is bytes.
            .arg(self.len_bytes().to_string())
            .args(["--volumeName", VOLUME]);
        if self.passphrase.is_some() {
            call = call.arg("--encrypt");
        }
        self.unlocked_by_diskutil(call).path(image, IMAGE)
    }

    /// Attaches the image to a folder that is there. Owners are ignored: a volume that diskutil made belongs to root.
    pub(super) fn attach(&self, tool: Tool, image: &Path, mount_point: &Path) -> Call {
        match tool {
            Tool::Hdiutil => {
                let call = Call::new("hdiutil")
                    .args(["attach", "-plist", "-nobrowse", "-noverify", "-noautofsck"])
                    .args(["-noautoopen", "-owners", "off", "-mountpoint"])
                    .path(mount_point, MOUNT_POINT);
                self.unlocked_by_hdiutil(call).path(image, IMAGE).limit(ATTACH)
            }
            Tool::Diskutil => {
                let call = Call::new("diskutil")
                    .args(["image", "attach", "--plist", "--nobrowse", "--mountOptions"])
                    .args(["nobrowse,noowners", "--mountPoint"])
                    .path(mount_point, MOUNT_POINT);
                self.unlocked_by_diskutil(call).path(image, IMAGE).limit(ATTACH)
            }
        }
    }

    /// Queries the properties of the detached image: hdiutil(1), `imageinfo`; diskutil(8), `image info`.
    pub(super) fn image_info(&self, tool: Tool, image: &Path) -> Call {
        let call = match tool {
            Tool::Hdiutil => {
                self.unlocked_by_hdiutil(Call::new("hdiutil").args(["imageinfo", "-plist"]))
            }
            Tool::Diskutil => {
                self.unlocked_by_diskutil(Call::new("diskutil").args(["image", "info", "--plist"]))
            }
        };
        call.path(image, IMAGE).limit(SHORT)
    }

    /// The passphrase for our own reader of its header; none for an unencrypted image.
    pub(super) const fn passphrase(&self) -> Option<&Passphrase> {
        self.passphrase.as_ref()
    }

    /// Gives space that the image does not need back. On battery too; not `-sleepallowed`: then a Mac that falls asleep
    /// would cancel it, while without it the Mac stays awake until it is done (hdiutil(1)).
    pub(super) fn compact(&self, image: &Path, stop: &Stop) -> Call {
        let call = Call::new("hdiutil").args(["compact", "-batteryallowed"]);
        self.unlocked_by_hdiutil(call).path(image, IMAGE).limit(COMPACT).stoppable(stop)
    }

    fn unlocked_by_hdiutil(&self, call: Call) -> Call {
        match &self.passphrase {
            // It takes everything up to the end, a line end included.
            Some(passphrase) => call.arg("-stdinpass").input(input(passphrase, b"")),
            None => call,
        }
    }

    fn unlocked_by_diskutil(&self, call: Call) -> Call {
        match &self.passphrase {
            // It takes a line.
            Some(passphrase) => call.arg("--stdinpassphrase").input(input(passphrase, b"\n")),
            None => call,
        }
    }
}

/// A passphrase for a program's stdin. Room for its end from the start: growing would leave a copy behind.
fn input(passphrase: &Passphrase, end: &[u8]) -> Zeroizing<Vec<u8>> {
    Zeroizing::new([passphrase.bytes(), end].concat())
}

/// Queries the volume at a mount point.
pub(super) fn info(mount_point: &Path) -> Call {
    Call::new("diskutil").args(["info", "-plist"]).path(mount_point, MOUNT_POINT).limit(SHORT)
}

/// Queries a device, such as `disk4`.
pub(super) fn info_of_disk(device: &str) -> Call {
    Call::new("diskutil").args(["info", "-plist"]).arg(device).limit(SHORT)
}

/// Asks whether an image is encrypted: hdiutil(1), `isencrypted`. That needs no passphrase.
pub(super) fn is_encrypted(image: &Path) -> Call {
    Call::new("hdiutil").args(["isencrypted", "-plist"]).path(image, IMAGE).limit(SHORT)
}

/// Mounts an attached volume that was not mounted automatically: diskutil(8), `mount`, which times out after a minute.
pub(super) fn mount(device: &str, mount_point: &Path) -> Call {
    Call::new("diskutil")
        .args(["mount", "nobrowse", "-mountOptions", "noowners", "-mountPoint"])
        .path(mount_point, MOUNT_POINT)
        .arg(device)
        .limit(ATTACH)
}

/// Keeps Time Machine away from the image, by a mark on the image itself: that needs no rights.
pub(super) fn keep_out_of_backups(image: &Path) -> Call {
    Call::new("tmutil").arg("addexclusion").path(image, IMAGE).limit(SHORT)
}

/// Asks whether it stays away: tmutil(8), `isexcluded`.
pub(super) fn is_out_of_backups(image: &Path) -> Call {
    Call::new("tmutil").arg("isexcluded").path(image, IMAGE).limit(SHORT)
}

#[cfg(test)]
mod tests;
