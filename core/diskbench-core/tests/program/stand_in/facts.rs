//! The programs that tell facts, and those that keep quiet.

use std::process::Command;

use super::{attach, image};
use crate::common::stand_in::Mac;

#[test]
fn a_release_says_its_version_and_build_until_it_is_upgraded() {
    let mac = Mac::new(&["--macos", "27"]);
    let is = |version: &str, build: &str| {
        assert_eq!(mac.call("sw_vers", &["--productVersion"]).good(), format!("{version}\n"));
        assert_eq!(mac.call("sw_vers", &["-buildVersion"]).good(), format!("{build}\n"));
    };
    is("27.0", "26A428");
    let before = mac.call("sysctl", &["-n", "kern.boottime"]).out;
    mac.upgrade("27.1", "26B77");
    is("27.1", "26B77");
    assert_ne!(mac.call("sysctl", &["-n", "kern.boottime"]).out, before);
}

#[test]
fn a_restart_detaches_everything() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    attach(&mac, &image, &at);
    mac.attach_foreign(&mac.place("other.sparsebundle"));
    assert_eq!(mac.attached().len(), 2);
    let start = |name: &str| mac.call("sysctl", &["-n", name]).good().to_owned();
    let before = ["kern.boottime", "kern.bootsessionuuid"].map(start);
    assert_eq!(before, ["kern.boottime", "kern.bootsessionuuid"].map(start));
    mac.reboot();
    assert!(mac.attached().is_empty());
    let after = ["kern.boottime", "kern.bootsessionuuid"].map(start);
    assert!(after[0].starts_with("{ sec = ") && after[0] != before[0], "{before:?} {after:?}");
    assert!(after[1].len() == 37 && after[1] != before[1], "{before:?} {after:?}");
}

#[test]
fn kinds_of_macs_tell_themselves_apart() {
    let fact = |mac: &str, name: &str| Mac::new(&["--mac", mac]).call("sysctl", &["-n", name]).out;
    assert_eq!(fact("mac-mini-m4-pro", "machdep.cpu.brand_string"), "Apple M4 Pro\n");
    assert_eq!(fact("macbook-pro-m3-pro", "hw.perflevel1.name"), "Efficiency\n");
    assert_eq!(fact("guest", "hw.model"), "VirtualMac2,1\n");
    assert_eq!(fact("guest", "kern.hv_vmm_present"), "1\n");
    assert_eq!(fact("mac-mini-m4-pro", "kern.hv_vmm_present"), "0\n");
    let told = Mac::new(&[]).call("sysctl", &["-n", "no.such.key"]);
    assert_eq!(told.refusal(), (1, "sysctl: unknown oid 'no.such.key'"));
    let hardware = Mac::new(&[]).call("system_profiler", &["-json", "SPHardwareDataType"]);
    assert!(hardware.good().contains("\"number_processors\":\"proc 14:10:4\""));
}

#[test]
fn power_heat_and_file_vault_are_as_set_up() {
    let told = |options: &[&str], program: &str, arguments: &[&str]| {
        Mac::new(options).call(program, arguments).good().to_owned()
    };
    assert_eq!(told(&[], "pmset", &["-g", "batt"]), "Now drawing from 'AC Power'\n");
    let battery = ["--mac", "macbook-pro-m3-pro", "--on-battery"];
    assert!(
        told(&battery, "pmset", &["-g", "batt"]).starts_with("Now drawing from 'Battery Power'\n")
    );
    assert!(told(&["--low-power"], "pmset", &["-g"]).contains(" lowpowermode         1\n"));
    assert!(
        told(&["--speed-limit", "85"], "pmset", &["-g", "therm"]).contains("CPU_Speed_Limit = 85")
    );
    assert_eq!(told(&[], "fdesetup", &["status"]), "FileVault is On.\n");
    assert_eq!(told(&["--mac", "guest"], "fdesetup", &["status"]), "FileVault is Off.\n");
}

#[test]
fn a_path_leads_to_its_volume_its_store_and_its_disk() {
    let mac = Mac::new(&[]);
    let place = mac.place("");
    let line = mac.call("df", &["-P", &place]).good().lines().nth(1).unwrap().to_owned();
    assert!(line.starts_with("/dev/disk3s5 ") && line.ends_with("/System/Volumes/Data"), "{line}");
    let info = |what: &str| mac.call("diskutil", &["info", "-plist", what]).keys();
    let volume = info("/System/Volumes/Data");
    assert_eq!(volume["FileVault"].as_boolean(), Some(true));
    let stores = volume["APFSPhysicalStores"].as_array().unwrap();
    let store = stores[0].as_dictionary().unwrap()["APFSPhysicalStore"].as_string().unwrap();
    let whole = info(store)["ParentWholeDisk"].as_string().unwrap().to_owned();
    let disk = info(&whole);
    assert_eq!(disk["MediaName"].as_string(), Some("APPLE SSD AP1024Z"));
    assert_eq!(disk["BusProtocol"].as_string(), Some("Apple Fabric"));
    // A failure is told inside.
    let missing = info("/dev/disk99");
    assert_eq!(missing["Error"].as_boolean(), Some(true));
    assert_eq!(missing["ErrorMessage"].as_string(), Some("Could not find disk: /dev/disk99"));
}

#[test]
fn a_folder_can_be_on_another_disk() {
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let outside = outside.path().canonicalize().unwrap();
    let place = outside.to_str().unwrap();
    let mac = Mac::new(&["--external", place]);
    let line = mac.call("df", &["-P", place]).good().lines().nth(1).unwrap().to_owned();
    assert!(line.starts_with("/dev/disk2s1 ") && line.ends_with(place), "{line}");
    let volume = mac.call("diskutil", &["info", "-plist", place]).keys();
    assert_eq!(volume["FileVault"].as_boolean(), Some(false));
    let disk = mac.call("diskutil", &["info", "-plist", "disk1"]).keys();
    assert_eq!(disk["BusProtocol"].as_string(), Some("PCI-Express"));
}

#[test]
fn the_volume_of_an_image_says_what_is_free_on_it() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    attach(&mac, &image, &at);
    let free = || {
        let keys = mac.call("diskutil", &["info", "-plist", &at]).keys();
        assert_eq!(keys["BusProtocol"].as_string(), Some("Disk Image"));
        assert_eq!(keys["FreeSpace"].as_unsigned_integer(), Some(0));
        keys["APFSContainerFree"].as_unsigned_integer().unwrap()
    };
    let before = free();
    std::fs::write(format!("{at}/file"), vec![0; 1_000_000]).unwrap();
    // In whole pages.
    assert_eq!(before - free(), 1_003_520);
    let list = mac.call("diskutil", &["apfs", "list", "-plist", "disk5"]).keys();
    let containers = list["Containers"].as_array().unwrap();
    let container = containers[0].as_dictionary().unwrap();
    assert_eq!(container["DesignatedPhysicalStore"].as_string(), Some("disk4s1"));
    assert_eq!(container["CapacityFree"].as_unsigned_integer(), Some(before - 1_003_520));
}

#[test]
fn exclusions_and_markers_are_remembered() {
    let mac = Mac::new(&[]);
    let (image, at) = image(&mac, "UDIF", "a.dmg");
    let asked = || mac.call("tmutil", &["isexcluded", &image]).good().to_owned();
    assert_eq!(asked(), format!("[Included]    {image}\n"));
    mac.call("tmutil", &["addexclusion", &image]).good();
    assert_eq!(asked(), format!("[Excluded]    {image}\n"));
    mac.call("hdiutil", &["attach", "-mountpoint", &at, &image]).good();
    let indexing = || mac.call("mdutil", &["-s", &at]).good().to_owned();
    assert!(indexing().ends_with("Indexing enabled.\n"));
    std::fs::write(format!("{at}/.metadata_never_index"), "").unwrap();
    assert!(indexing().ends_with("Indexing disabled.\n"));
}

#[test]
fn caffeinate_stays_awake_as_long_as_the_process_it_waits_for() {
    let mac = Mac::new(&[]);
    let mut sleeper = Command::new("sleep").arg("3600").spawn().unwrap();
    let pid = sleeper.id().to_string();
    let mut awake = mac.begin("caffeinate", &["-i", "-s", "-m", "-w", &pid]);
    // Meanwhile another one, whose process has ended, comes to its end: and so does any other program.
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    mac.call("caffeinate", &["-i", "-w", &gone.id().to_string()]).good();
    mac.call("sw_vers", &[]).good();
    assert!(awake.try_wait().unwrap().is_none());
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert!(awake.wait().unwrap().success());
}

#[test]
fn the_core_believes_to_be_on_that_mac() {
    let mac = Mac::new(&["--macos", "26.4", "--build", "25E241"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskbench"));
    let output = command.args(["host"]).env("DISKBENCH_STAND_IN", mac.folder()).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["release"].as_str(), Some("macos-26.4-25E241"), "{told}");
    assert_eq!(told["chip"].as_str(), Some("Apple M4 Pro"), "{told}");
    assert_eq!(told["storage"]["bus"].as_str(), Some("Apple Fabric"), "{told}");
}
