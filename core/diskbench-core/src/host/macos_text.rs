//! Parses the output of macOS's programs, without running them. Only the keys named here are used.

use plist::{Dictionary, Value};

use super::value;
use crate::record::{Power, Storage, Thermal};

/// The facts of one `diskutil info -plist` answer that lead on to the next device or into a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DiskInfo {
    /// What this answer says about the device and the file system.
    pub storage: Storage,
    /// The first physical store of an APFS volume, such as `disk0s2`.
    pub physical_store: Option<String>,
    /// The whole disk that a partition is on, such as `disk0`.
    pub whole_disk: Option<String>,
}

/// Reads an answer of `diskutil info -plist`. It may end with 0 even when it failed, and says `Error` inside.
pub(super) fn disk_info(bytes: &[u8]) -> Option<DiskInfo> {
    let value = Value::from_reader_xml(bytes).ok()?;
    let keys = value.as_dictionary()?;
    if keys.get("Error").and_then(Value::as_boolean) == Some(true) {
        return None;
    }
    let text = |key: &str| string(keys, key);
    let store = keys
        .get("APFSPhysicalStores")
        .and_then(Value::as_array)
        .and_then(|stores| stores.first()?.as_dictionary())
        .and_then(|store| string(store, "APFSPhysicalStore"));
    let bus = text("BusProtocol");
    // of an SSD behind USB it says "false" too
    let solid_state = keys
        .get("SolidState")
        .and_then(Value::as_boolean)
        .filter(|solid| *solid || bus.as_deref() != Some("USB"));
    let file_vault = keys.get("FileVault").and_then(Value::as_boolean);
    let encryption = file_vault.map(|on| if on { "FileVault" } else { "none" }.to_owned());
    Some(DiskInfo {
        storage: Storage {
            device_model: text("MediaName"),
            bus,
            solid_state,
            size_bytes: keys.get("TotalSize").and_then(Value::as_unsigned_integer),
            file_system: text("FilesystemType"),
            encryption,
            description: None,
        },
        physical_store: store,
        whole_disk: text("ParentWholeDisk"),
    })
}

/// The version of the disk-image framework from `hdiutil info -plist`.
pub(super) fn framework_version(bytes: &[u8]) -> Option<String> {
    let value = Value::from_reader_xml(bytes).ok()?;
    string(value.as_dictionary()?, "framework")
}

fn string(keys: &Dictionary, key: &str) -> Option<String> {
    keys.get(key).and_then(Value::as_string).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The power source from `pmset -g batt`.
pub(super) fn power(text: &str) -> Power {
    if text.contains("'AC Power'") || text.contains("No batteries available") {
        Power::Ac
    } else if text.contains("'Battery Power'") || text.contains("'UPS Power'") {
        // On a UPS, too, there is no mains power.
        Power::Battery
    } else {
        Power::Unknown
    }
}

/// Low power mode from `pmset -g`: `lowpowermode 1`, or `powermode 1` on newer systems.
pub(super) fn low_power_mode(text: &str) -> Option<bool> {
    let modes = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let key = words.next()?;
        matches!(key, "lowpowermode" | "powermode").then(|| words.next() == Some("1"))
    });
    // Either is enough.
    modes.reduce(|one, other| one || other)
}

/// Whether a path is excluded from backups, from `tmutil isexcluded`: `[Excluded]    /path`, or `[Included]`.
pub(super) fn is_excluded(said: &[u8]) -> Option<bool> {
    if said.starts_with(b"[Excluded]") {
        return Some(true);
    }
    said.starts_with(b"[Included]").then_some(false)
}

/// What encrypts the system's own volumes, from `fdesetup status`.
pub(super) fn file_vault(text: &str) -> Option<&'static str> {
    // More lines follow while a disk is being encrypted.
    match text.lines().next()?.trim() {
        "FileVault is On." => Some("FileVault"),
        "FileVault is Off." => Some("none"),
        _ => None,
    }
}

/// The thermal state from `pmset -g therm`, if the system has no better source.
pub(super) fn thermal(text: &str) -> Thermal {
    match value(text, "CPU_Speed_Limit", '=').and_then(|limit| limit.parse::<u64>().ok()) {
        Some(100..) => Thermal::Nominal,
        Some(_) => Thermal::Serious,
        None if text.contains("No thermal warning level has been recorded") => Thermal::Nominal,
        None => Thermal::Unknown,
    }
}

/// The thermal state from the level of `com.apple.system.thermalpressurelevel`.
pub(super) const fn thermal_level(level: u64) -> Thermal {
    match level {
        0 => Thermal::Nominal,
        1 => Thermal::Fair,
        2 => Thermal::Serious,
        _ => Thermal::Critical,
    }
}

/// The first number of `sysctl -n vm.loadavg` (`{ 1.20 1.30 1.40 }`) in thousandths.
pub(super) fn load_milli(text: &str) -> Option<u64> {
    crate::units::decimal_milli(text.trim_start_matches('{').split_whitespace().next()?)
}

/// Available memory in bytes, from `vm_stat`: free, speculative, inactive and purgeable pages. The page size is in its
/// first line, since under Rosetta it differs from this program's.
pub(super) fn available_bytes(text: &str) -> Option<u64> {
    let head = text.lines().next()?.split_once("page size of ")?.1;
    let page_bytes: u64 = head.split_whitespace().next()?.parse().ok()?;
    let pages = |name| value(text, name, ':')?.trim_end_matches('.').parse::<u64>().ok();
    let others = ["Pages speculative", "Pages inactive", "Pages purgeable"];
    let sum = others
        .iter()
        .filter_map(|name| pages(name))
        .fold(pages("Pages free")?, u64::saturating_add);
    sum.checked_mul(page_bytes)
}

#[cfg(test)]
mod tests {
    use super::{
        available_bytes, disk_info, file_vault, framework_version, is_excluded, load_milli,
        low_power_mode, power, thermal, thermal_level,
    };
    use crate::record::{Power, Thermal};

    /// An answer with the keys that real ones have, the identifying ones included.
    const VOLUME: &str = r#"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
        <key>APFSPhysicalStores</key><array><dict><key>APFSPhysicalStore</key><string>disk0s2</string></dict></array>
        <key>BusProtocol</key><string>Apple Fabric</string>
        <key>DiskUUID</key><string>0F0F0F0F-1111-2222-3333-444444444444</string>
        <key>VolumeUUID</key><string>0F0F0F0F-1111-2222-3333-555555555555</string>
        <key>VolumeName</key><string>Jane's Mac</string>
        <key>MountPoint</key><string>/Users/jane</string>
        <key>DeviceNode</key><string>/dev/disk3s5</string>
        <key>IORegistryEntryName</key><string>SERIAL-C02XX</string>
        <key>FileVault</key><true/><key>FilesystemType</key><string>apfs</string>
        <key>MediaName</key><string></string>
        <key>ParentWholeDisk</key><string>disk3</string></dict></plist>"#;

    const DISK: &str = r#"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
        <key>BusProtocol</key><string>Apple Fabric</string><key>MediaName</key><string>APPLE SSD AP1024Z</string>
        <key>SolidState</key><true/><key>TotalSize</key><integer>1000555581440</integer>
        <key>ParentWholeDisk</key><string>disk0</string></dict></plist>"#;

    #[test]
    fn an_exclusion_is_what_is_said_of_the_path_and_anything_else_is_not_known() {
        assert_eq!(is_excluded(b"[Excluded]    /tmp/a.dmg\n"), Some(true));
        assert_eq!(is_excluded(b"[Included]    /tmp/[Excluded] a.dmg\n"), Some(false));
        assert_eq!(is_excluded(b""), None);
        assert_eq!(is_excluded(b"tmutil: isexcluded requires Full Disk Access privileges."), None);
    }

    #[test]
    fn a_volume_leads_to_its_physical_store_and_says_what_encrypts_it() {
        let info = disk_info(VOLUME.as_bytes()).unwrap();
        assert_eq!(info.physical_store.as_deref(), Some("disk0s2"));
        assert_eq!(info.storage.file_system.as_deref(), Some("apfs"));
        assert_eq!(info.storage.encryption.as_deref(), Some("FileVault"));
        assert_eq!(info.storage.device_model, None);
    }

    #[test]
    fn a_whole_disk_says_its_model_size_and_kind() {
        let info = disk_info(DISK.as_bytes()).unwrap();
        assert_eq!(info.storage.device_model.as_deref(), Some("APPLE SSD AP1024Z"));
        assert_eq!(info.storage.size_bytes, Some(1_000_555_581_440));
        assert_eq!(info.storage.solid_state, Some(true));
        assert_eq!(info.whole_disk.as_deref(), Some("disk0"));
    }

    #[test]
    fn of_a_disk_behind_usb_it_is_unknown_whether_it_is_solid_state() {
        // the SanDisk stick and the M.2 drive in a case of Canop/dysk#70 both say "false"
        let solid = |bus: &str, solid: &str| {
            let answer = DISK.replace("Apple Fabric", bus).replace("<true/>", solid);
            disk_info(answer.as_bytes()).unwrap().storage.solid_state
        };
        assert_eq!(solid("USB", "<false/>"), None);
        assert_eq!(solid("USB", "<true/>"), Some(true));
        assert_eq!(solid("SATA", "<false/>"), Some(false));
    }

    #[test]
    fn nothing_that_identifies_a_machine_or_person_survives() {
        let info = format!("{:?}", disk_info(VOLUME.as_bytes()).unwrap());
        for secret in ["0F0F0F0F", "Jane", "jane", "Users", "SERIAL", "/dev/"] {
            assert!(!info.contains(secret), "{secret} in {info}");
        }
    }

    #[test]
    fn a_failure_inside_a_good_exit_is_a_failure() {
        let answer = br#"<plist version="1.0"><dict><key>Error</key><true/>
            <key>ErrorMessage</key><string>Could not find disk: x</string></dict></plist>"#;
        assert_eq!(disk_info(answer), None);
        assert_eq!(disk_info(b"hdiutil: WARNING"), None);
    }

    #[test]
    fn the_framework_s_version_is_found_and_images_are_not_looked_at() {
        let answer = br#"<plist version="1.0"><dict><key>framework</key><string>683.100.3</string>
            <key>images</key><array><dict><key>image-path</key><string>/Users/jane/x.dmg</string></dict></array>
            </dict></plist>"#;
        assert_eq!(framework_version(answer).as_deref(), Some("683.100.3"));
    }

    #[test]
    fn power_comes_from_the_mains_or_a_battery() {
        assert_eq!(power("Now drawing from 'AC Power'\n"), Power::Ac);
        let battery = "Now drawing from 'Battery Power'\n -InternalBattery-0 (id=23592035)\t87%; discharging; 0:52 remaining present: true\n";
        assert_eq!(power(battery), Power::Battery);
        assert_eq!(power("No batteries available.\n"), Power::Ac);
        assert_eq!(power("Now drawing from 'UPS Power'\n"), Power::Battery);
        assert_eq!(power(""), Power::Unknown);
    }

    #[test]
    fn low_power_mode_has_two_names() {
        assert_eq!(low_power_mode(" standby 1\n lowpowermode         1\n"), Some(true));
        assert_eq!(low_power_mode(" powermode 2\n"), Some(false));
        assert_eq!(low_power_mode(" lowpowermode 0\n powermode 1\n"), Some(true));
        assert_eq!(low_power_mode(" standby 1\n"), None);
    }

    #[test]
    fn what_fdesetup_says_is_taken_only_when_it_is_known() {
        assert_eq!(file_vault("FileVault is On.\n"), Some("FileVault"));
        assert_eq!(file_vault("FileVault is Off.\n"), Some("none"));
        assert_eq!(file_vault("FileVault is On.\nDecryption in progress"), Some("FileVault"));
        assert_eq!(file_vault("Error: Unable to determine FileVault status.\n"), None);
    }

    #[test]
    fn a_limited_processor_is_a_hot_one() {
        let quiet = "Note: No thermal warning level has been recorded\nNote: No performance warning level has been recorded\n";
        assert_eq!(thermal(quiet), Thermal::Nominal);
        let limited =
            " \tCPU_Scheduler_Limit = 100\n \tCPU_Available_CPUs = 8\n \tCPU_Speed_Limit = 85\n";
        assert_eq!(thermal(limited), Thermal::Serious);
        assert_eq!(thermal(&limited.replace("85", "100")), Thermal::Nominal);
        assert_eq!(thermal(""), Thermal::Unknown);
        assert_eq!([0, 1, 2, 3, 4].map(thermal_level)[3], Thermal::Critical);
    }

    #[test]
    fn load_and_memory_are_integers() {
        assert_eq!(load_milli("{ 1.20 1.30 1.40 }\n"), Some(1200));
        let text = "Mach Virtual Memory Statistics: (page size of 16384 bytes)\n\
                    Pages free:                               10.\nPages active: 500.\n\
                    Pages inactive:                           20.\nPages speculative: 3.\nPages purgeable: 4.\n";
        assert_eq!(available_bytes(text), Some(37 * 16_384));
    }
}
