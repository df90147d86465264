//! Facts about the machine that identify its model, but not the individual machine.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "linux", test))]
mod linux_text;
mod macos;
mod macos_text;

use std::path::Path;
use std::sync::OnceLock;

use crate::program::{fact, tools};
use crate::record::{Host, Os, Snapshot, Storage};

/// Queries this system: the programs of macOS on a Mac or with stand-ins, else Linux.
macro_rules! ask {
    ($question:ident($($about:expr)?)) => {{
        #[cfg(target_os = "linux")]
        let answer = if tools::are_of_macos() { macos::$question($($about)?) } else { linux::$question($($about)?) };
        #[cfg(not(target_os = "linux"))]
        let answer = macos::$question($($about)?);
        answer
    }};
}

/// The current state of the machine, and of the file system of this folder.
pub(crate) fn conditions(folder: &Path) -> Snapshot {
    ask!(conditions(folder))
}

/// The machine, and the device of `folder`.
pub(crate) fn discover(folder: &Path) -> Host {
    Host {
        os: os(),
        model: ask!(model()).and_then(|text| clean(&text)),
        chip: ask!(chip()).and_then(|text| clean(&text)),
        architecture: std::env::consts::ARCH.to_owned(),
        cores: ask!(cores()),
        memory_bytes: ask!(memory_bytes()),
        page_bytes: system::facts::page_bytes(),
        virtual_machine: virtual_machine(),
        storage: storage(folder),
        tools: ask!(tools()),
        stand_in: tools::stand_in().is_some(),
    }
}

/// Keeps Time Machine away from a folder, by a mark on it that needs no rights: whether it stays away then. None where
/// that is not known, and except on a Mac.
pub(crate) fn keep_out_of_backups(folder: &Path) -> Option<bool> {
    let path = folder.to_str().filter(|_| tools::are_of_macos())?;
    // Its exit code says that it was asked, not that it had an effect.
    let _ = fact("tmutil", &["addexclusion", path]);
    is_excluded(&fact("tmutil", &["isexcluded", path])?)
}

/// What `tmutil isexcluded` says of one path.
pub(crate) fn is_excluded(said: &[u8]) -> Option<bool> {
    macos_text::is_excluded(said)
}

/// Whether Time Machine is known to have snapshots of the volume of a folder.
pub(crate) fn has_snapshots(folder: &Path) -> bool {
    tools::are_of_macos() && macos::has_snapshots(folder)
}

/// The version or build of a system that does not report it.
pub(crate) const UNKNOWN: &str = "unknown";

/// The operating system. It is queried once per process, since it cannot change.
pub(crate) fn os() -> Os {
    static THIS: OnceLock<Os> = OnceLock::new();
    THIS.get_or_init(|| ask!(os())).clone()
}

/// Whether this machine is a guest of another one.
pub(crate) fn virtual_machine() -> Option<bool> {
    ask!(virtual_machine())
}

/// The name that the kernel gave to this boot, another one each time; none where the system does not report it. It is
/// not in records, only in the checkpoint of a cell that waits for the next boot.
pub(crate) fn boot() -> Option<String> {
    ask!(boot())
}

/// Whether this program was built for another processor and is translated while it runs.
pub(crate) fn is_translated() -> bool {
    ask!(is_translated())
}

/// The device and the file system of a folder.
pub(crate) fn storage(folder: &Path) -> Storage {
    ask!(storage(folder))
}

/// Whether devices of this bus are disk images; none if they may be either.
///
/// Buses are those of `diskutil info` on a Mac (images have `Disk Image`) and of `/sys` on Linux, where a loop device
/// may be an image or the disk of a whole system.
pub(crate) fn is_image(bus: &str) -> Option<bool> {
    const DISKS: [&str; 14] = [
        "Apple Fabric",
        "PCI-Express",
        "SATA",
        "Thunderbolt",
        "USB",
        "memory",
        "mmc",
        "nvme",
        "sata",
        "scsi",
        "usb",
        "virtio",
        "vmbus",
        "xen",
    ];
    if bus == "Disk Image" {
        return Some(true);
    }
    DISKS.contains(&bus).then_some(false)
}

/// What stands behind a key and this separator on the first line that begins with them.
fn value<'a>(text: &'a str, key: &str, separator: char) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(separator)?;
        (found.trim() == key).then(|| value.trim())
    })
}

/// A version's leading digits and dots: what a kernel's builder put behind them may name a machine or a person.
fn leading_version(text: &str) -> String {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim_end_matches('.').to_owned()
}

/// A text from firmware without control characters and surplus spaces; nothing when nothing was filled in.
fn clean(text: &str) -> Option<String> {
    let visible: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let blank =
        ["", "None", "Unknown", "System Product Name", "To Be Filled By O.E.M.", "Default string"];
    (!blank.contains(&text.as_str())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{clean, discover, leading_version};
    use std::path::Path;

    #[test]
    fn a_kernel_s_version_ends_before_its_builder_s_words() {
        assert_eq!(leading_version("6.1.147"), "6.1.147");
        assert_eq!(leading_version("6.18.44-fc-v669"), "6.18.44");
        assert_eq!(leading_version("6.8.0-45-generic"), "6.8.0");
        assert_eq!(leading_version("5.10.-rc"), "5.10");
        assert_eq!(leading_version("custom"), "");
    }

    #[test]
    fn what_a_maker_left_blank_is_not_a_model() {
        assert_eq!(clean(" Mac16,6\n"), Some("Mac16,6".into()));
        assert_eq!(clean("To Be Filled By O.E.M."), None);
        assert_eq!(clean("\n"), None);
    }

    #[test]
    fn this_machine_has_a_release_an_architecture_cores_and_memory() {
        let host = discover(Path::new("."));
        let release = host.os.release();
        assert_eq!(release.split('-').count(), 3, "{release}");
        assert!(!host.os.build.is_empty(), "{release}");
        assert!(host.cores.iter().map(|cores| cores.count).sum::<u64>() > 0);
        assert!(host.memory_bytes.unwrap() > 1 << 28);
    }
}
