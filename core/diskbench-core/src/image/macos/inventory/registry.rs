//! The I/O Registry: `ioreg -a` prints it as a property list, each device with its children inside it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use plist::{Dictionary, Value};

use super::Listed;
use crate::image::macos::answer;
use crate::program::{Call, Programs};

/// The classes of an attached image's device, each with the property that holds the image's path: that of the engine
/// that came with macOS 12, where it is a URL, and that of the older one (chromium/chromium, install_from_dmg.mm). The
/// older one still serves some of what hdiutil attaches: raw images and UDSP on macOS 15 (`diskimages2` in a captured
/// `hdiutil info`), raw ones on 27 (vdavid/cmdr).
const CLASSES: [(&str, &str); 2] =
    [("AppleDiskImageDevice", "DiskImageURL"), ("IOHDIXHDDrive", "image-path")];

/// What the registry says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// These images, and no others of its classes.
    Listed(Vec<Listed>),
    /// Empty: no image is attached, or none of these classes.
    Silence,
    /// It did not answer.
    None,
}

/// Asks the registry.
pub(super) fn ask(programs: &mut Programs) -> Answer {
    let mut listed = Vec::new();
    for call in calls() {
        let said = programs.run(&call);
        if !said.is_good() {
            return Answer::None;
        }
        if said.stdout.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let Ok(list) = answer::property_list(&said.stdout) else { return Answer::None };
        images(&list, &mut listed);
    }
    if listed.is_empty() { Answer::Silence } else { Answer::Listed(listed) }
}

pub(super) fn calls() -> [Call; 2] {
    CLASSES.map(|(class, _)| Call::new("ioreg").args(["-r", "-c", class, "-l", "-w0", "-a"]))
}

/// Every device with an image's path, anywhere in the list.
fn images(value: &Value, listed: &mut Vec<Listed>) {
    if let Some(device) = value.as_dictionary()
        && let Some(image) = CLASSES.iter().find_map(|(_, key)| path(device.get(key)?))
    {
        let mut disks = Vec::new();
        disks_below(value, &mut disks);
        if disks.is_empty() {
            listed.push(Listed { image, disk: None });
        } else {
            let one = |disk| Listed { image: image.clone(), disk: Some(disk) };
            listed.extend(disks.into_iter().map(one));
        }
        return;
    }
    for inner in children(value) {
        images(inner, listed);
    }
}

/// The whole disks of a device. Disks below one (slices, and the disk of a container, which is also whole) are skipped.
fn disks_below(value: &Value, disks: &mut Vec<String>) {
    if let Some(disk) = value.as_dictionary().and_then(whole_disk) {
        if !disks.contains(&disk) {
            disks.push(disk);
        }
        return;
    }
    for inner in children(value) {
        disks_below(inner, disks);
    }
}

fn whole_disk(media: &Dictionary) -> Option<String> {
    let is_whole = media.get("Whole").and_then(Value::as_boolean) == Some(true);
    let name = answer::text(media, "BSD Name")?;
    let name = name.strip_prefix("/dev/").unwrap_or(name);
    let number = name.strip_prefix("disk")?;
    let is_disk = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_whole && is_disk).then(|| name.to_owned())
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(values) => Box::new(values.iter()),
        Value::Dictionary(values) => Box::new(values.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// The path in a file URL, which is a text or its bytes; a plain path too.
fn path(url: &Value) -> Option<PathBuf> {
    let bytes = url.as_string().map(str::as_bytes).or_else(|| url.as_data())?;
    let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let path = if bytes.starts_with(b"/") {
        bytes.to_vec()
    } else {
        let rest = bytes.strip_prefix(b"file://")?;
        let start = rest.iter().position(|byte| *byte == b'/')?;
        decoded(rest.get(start..)?)
    };
    // A bundle's ends with a slash, like every folder's.
    let end = path.iter().rposition(|byte| *byte != b'/')?;
    Some(PathBuf::from(OsString::from_vec(path.get(..=end)?.to_vec())))
}

/// A text with every `%20` and the like decoded.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%');
        let byte = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Answer, Listed, ask};
    use crate::program::script::{Script, exited, good};

    const IOREG: &str = "ioreg -r -c AppleDiskImageDevice -l -w0 -a";
    const OLDER: &str = "ioreg -r -c IOHDIXHDDrive -l -w0 -a";
    const TWO: &str = include_str!("../fixtures/ioreg.plist");

    fn said(stdout: &str) -> Answer {
        ask(&mut Script::default().then(IOREG, good(stdout)).then(OLDER, good("")).programs().0)
    }

    fn listed(image: &str, disk: Option<&str>) -> Listed {
        Listed { image: image.into(), disk: disk.map(Into::into) }
    }

    #[test]
    fn an_image_s_disk_is_the_first_whole_one_below_it_and_not_its_container_s() {
        let expected = vec![
            listed("/private/tmp/brdetect/work.sparseimage", Some("disk10")),
            listed("/private/tmp/brdetect/my bänder.sparsebundle", Some("disk4")),
        ];
        assert_eq!(said(TWO), Answer::Listed(expected));
    }

    #[test]
    fn an_image_without_a_disk_is_listed_all_the_same() {
        let list = "<plist><array><dict><key>DiskImageURL</key>\
                    <data>ZmlsZTovL2xvY2FsaG9zdC90bXAvMTAwJS1hJTIuZG1nAA==</data></dict></array></plist>";
        assert_eq!(said(list), Answer::Listed(vec![listed("/tmp/100%-a%2.dmg", None)]));
    }

    /// The path is bytes there, with none after them that ends it, and the disk a level further below.
    #[test]
    fn images_of_both_engines_are_listed() {
        let older = "<plist><array><dict><key>IOObjectClass</key><string>IOHDIXHDDriveOutKernel</string>\
                     <key>image-path</key><data>L3ByaXZhdGUvdG1wL2EgYi5kbWc=</data>\
                     <key>IORegistryEntryChildren</key><array><dict>\
                     <key>IOObjectClass</key><string>IODiskImageBlockStorageDeviceOutKernel</string>\
                     <key>IORegistryEntryChildren</key><array><dict>\
                     <key>IOObjectClass</key><string>IOBlockStorageDriver</string>\
                     <key>IORegistryEntryChildren</key><array><dict>\
                     <key>BSD Name</key><string>disk12</string><key>Whole</key><true/>\
                     </dict></array></dict></array></dict></array></dict></array></plist>";
        let both = |today| Script::default().then(IOREG, today).then(OLDER, good(older));
        let ours = listed("/private/tmp/a b.dmg", Some("disk12"));
        assert_eq!(ask(&mut both(good("")).programs().0), Answer::Listed(vec![ours.clone()]));
        let Answer::Listed(all) = ask(&mut both(good(TWO)).programs().0) else { panic!("none") };
        assert_eq!((all.len(), all.last()), (3, Some(&ours)));
    }

    #[test]
    fn silence_is_no_answer_that_means_anything_by_itself() {
        assert_eq!(said(""), Answer::Silence);
        assert_eq!(said("\n"), Answer::Silence);
        assert_eq!(said("<plist><array/></plist>"), Answer::Silence);
        for strange in ["<plist><array>", "+-o AppleDiskImageDevice"] {
            let script = Script::default().then(IOREG, good(strange));
            assert_eq!(ask(&mut script.programs().0), Answer::None);
        }
        let (mut programs, _) = Script::default().then(IOREG, exited(1, TWO, "")).programs();
        assert_eq!(ask(&mut programs), Answer::None);
    }
}
