//! Parses text files of Linux, without reading them.

use super::value;
use crate::record::{Power, Pressure};

/// `ID` and `VERSION_ID` of os-release(5), in lower case; `rolling` for systems without a version.
pub(super) fn os_release(text: &str) -> (String, String) {
    let value = |key: &str| {
        let value = value(text, key, '=')?.trim_matches(['"', '\'']).to_lowercase();
        (!value.is_empty()).then_some(value)
    };
    (
        value("ID").unwrap_or_else(|| "linux".into()),
        value("VERSION_ID").unwrap_or_else(|| "rolling".into()),
    )
}

/// The value of the first line of /proc/cpuinfo with this key.
pub(super) fn cpuinfo<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    value(text, key, ':')
}

/// The number of items in a list such as `0-3,8,10-11`.
pub(super) fn list_length(text: &str) -> u64 {
    text.trim()
        .split(',')
        .filter_map(|part| match part.split_once('-') {
            Some((first, last)) => {
                let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
                Some(last.checked_sub(first)?.saturating_add(1))
            }
            None => part.parse::<u64>().ok().map(|_| 1),
        })
        .sum()
}

/// The file system and source of the mount of a path: the one with the longest mount point of
/// /proc/self/mountinfo, the last of equals.
pub(super) fn mount<'a>(mountinfo: &'a str, path: &str) -> Option<(&'a str, &'a str)> {
    let mut best: Option<(usize, &str, &str)> = None;
    for line in mountinfo.lines() {
        let Some((left, right)) = line.split_once(" - ") else { continue };
        let Some(point) = left.split(' ').nth(4).map(unescape) else { continue };
        let mut right = right.split(' ');
        let (Some(kind), Some(source)) = (right.next(), right.next()) else { continue };
        let below = path
            .strip_prefix(point.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || point.ends_with('/'));
        if below && best.is_none_or(|(length, ..)| point.len() >= length) {
            best = Some((point.len(), kind, source));
        }
    }
    best.map(|(_, kind, source)| (kind, source))
}

/// The kernel writes spaces in mount points as octal numbers.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
}

/// A line such as `MemAvailable:    123 kB`, in bytes.
pub(super) fn meminfo(text: &str, key: &str) -> Option<u64> {
    let kilobytes: u64 = value(text, key, ':')?.strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The first number of /proc/loadavg in thousandths.
pub(super) fn load_milli(text: &str) -> Option<u64> {
    crate::units::decimal_milli(text.split_whitespace().next()?)
}

/// Memory pressure from /proc/pressure/memory: the share of the last ten seconds in which a program waited for memory.
/// The limits are ours: below 1 % has no effect, from 10 % on figures depend on memory.
pub(super) fn memory_pressure(text: &str) -> Option<Pressure> {
    let line = text.lines().find(|line| line.starts_with("some"))?;
    let share = line.split(' ').find_map(|word| word.strip_prefix("avg10="))?;
    Some(match crate::units::decimal_milli(share)? {
        0..1000 => Pressure::Normal,
        1000..10_000 => Pressure::Warning,
        _ => Pressure::Critical,
    })
}

/// Where the power comes from, given (type, online, status) of every supply.
pub(super) fn power(supplies: &[(String, String, String)]) -> Power {
    let is = |kind: &str, online: &str| supplies.iter().any(|(k, o, _)| k == kind && o == online);
    let discharging =
        supplies.iter().any(|(kind, _, status)| kind == "Battery" && status == "Discharging");
    if is("Mains", "1") || is("USB", "1") {
        Power::Ac
    } else if discharging || is("Mains", "0") {
        Power::Battery
    } else {
        Power::Unknown
    }
}

/// How a block device is connected, from its real path in /sys.
pub(super) fn bus(device: &str) -> Option<&'static str> {
    let known = [
        ("/usb", "usb"),
        ("/nvme", "nvme"),
        ("/virtio", "virtio"),
        ("/mmc", "mmc"),
        ("/ata", "sata"),
        ("/xen", "xen"),
        ("/vmbus", "vmbus"),
        ("/virtual/block/loop", "loop"),
        ("/virtual/block/zram", "memory"),
        ("/host", "scsi"),
    ];
    known.iter().find(|(part, _)| device.contains(part)).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::{
        bus, cpuinfo, list_length, load_milli, meminfo, memory_pressure, mount, os_release, power,
    };
    use crate::record::{Power, Pressure};

    #[test]
    fn a_release_is_read_with_and_without_quotes_and_version() {
        let debian =
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";
        assert_eq!(os_release(debian), ("debian".into(), "12".into()));
        assert_eq!(os_release("ID=\"Arch\"\n"), ("arch".into(), "rolling".into()));
        assert_eq!(os_release(""), ("linux".into(), "rolling".into()));
    }

    #[test]
    fn cpus_are_counted_from_their_list() {
        assert_eq!(list_length("0-3,8,10-11\n"), 7);
        assert_eq!(list_length("0\n"), 1);
        assert_eq!(list_length("\n"), 0);
        assert_eq!(list_length("3-1"), 0);
    }

    #[test]
    fn the_longest_mount_point_wins_and_a_mere_prefix_does_not() {
        let text = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
                    25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw\n\
                    40 27 8:1 / /mnt/my\\040disk rw shared:1 - xfs /dev/sda1 rw\n";
        assert_eq!(mount(text, "/home/x"), Some(("ext4", "/dev/vda")));
        assert_eq!(mount(text, "/dev/shm/a"), Some(("tmpfs", "tmpfs")));
        assert_eq!(mount(text, "/dev/shmoo"), Some(("ext4", "/dev/vda")));
        assert_eq!(mount(text, "/mnt/my disk"), Some(("xfs", "/dev/sda1")));
    }

    #[test]
    fn memory_and_load_are_integers() {
        let text = "MemTotal:       24000000 kB\nMemFree: 1 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(meminfo(text, "MemAvailable"), Some(23_552_000_000));
        assert_eq!(meminfo(text, "Mem"), None);
        assert_eq!(load_milli("0.12 0.08 0.01 1/123 456\n"), Some(120));
    }

    #[test]
    fn pressure_is_the_share_of_time_somebody_waited() {
        let text = |share: &str| {
            format!("some avg10={share} avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00\n")
        };
        assert_eq!(memory_pressure(&text("0.99")), Some(Pressure::Normal));
        assert_eq!(memory_pressure(&text("1.00")), Some(Pressure::Warning));
        assert_eq!(memory_pressure(&text("12.50")), Some(Pressure::Critical));
        assert_eq!(memory_pressure(""), None);
    }

    #[test]
    fn power_comes_from_the_mains_when_they_are_online() {
        let supply =
            |kind: &str, online: &str, status: &str| (kind.into(), online.into(), status.into());
        let battery = supply("Battery", "", "Discharging");
        assert_eq!(power(&[]), Power::Unknown);
        assert_eq!(power(&[supply("Mains", "1", ""), battery.clone()]), Power::Ac);
        assert_eq!(power(&[supply("Mains", "0", ""), battery.clone()]), Power::Battery);
        assert_eq!(power(&[battery]), Power::Battery);
        assert_eq!(power(&[supply("Battery", "", "Full")]), Power::Unknown);
    }

    #[test]
    fn the_bus_is_the_nearest_one_that_says_something() {
        let pci = "/sys/devices/pci0000:00/0000:00";
        assert_eq!(bus(&format!("{pci}:02.0/virtio1/block/vda")), Some("virtio"));
        assert_eq!(bus(&format!("{pci}:1d.0/0000:3d:00.0/nvme/nvme0/nvme0n1")), Some("nvme"));
        assert_eq!(
            bus(&format!("{pci}:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda")),
            Some("sata")
        );
        assert_eq!(bus(&format!("{pci}:14.0/usb2/2-1/2-1:1.0/host6/block/sdb")), Some("usb"));
        assert_eq!(bus("/sys/devices/virtual/block/dm-0"), None);
    }

    #[test]
    fn the_first_processor_speaks_for_all() {
        let text =
            "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\nflags\t\t: fpu hypervisor\n";
        assert_eq!(cpuinfo(text, "model name"), Some("Intel(R) Xeon(R) Processor"));
        assert_eq!(cpuinfo(text, "model"), None);
    }
}
