//! `sw_vers`, `sysctl`, `system_profiler`, `vm_stat` and `df`.

use std::path::Path;

use serde_json::json;
use system::facts;

use crate::diskutil;
use crate::said::{Outcome, Said};
use crate::world::World;

/// Gibibyte.
const GIB: u64 = 1 << 30;

/// Page of memory in bytes.
const PAGE: u64 = 16_384;

/// `sw_vers -productVersion|-buildVersion`.
pub fn sw_vers(world: &World, arguments: &[String]) -> Said {
    let release = world.release();
    let line = match arguments.first().map(String::as_str) {
        Some("-productVersion") => &release.version,
        Some("-buildVersion") => &release.build,
        _ => {
            return Said::refused(1, "sw_vers: the stand-in tells the version and the build alone");
        }
    };
    Said::text(format!("{line}\n"))
}

/// `sysctl -n NAME`.
pub fn sysctl(world: &World, arguments: &[String]) -> Said {
    let name = arguments.last().map(String::as_str).unwrap_or_default();
    match value(world, name) {
        Some(value) => Said::text(format!("{value}\n")),
        None => Said::refused(1, format!("sysctl: unknown oid '{name}'")),
    }
}

fn value(world: &World, name: &str) -> Option<String> {
    let mac = world.mac();
    let setup = &world.state.setup;
    let all: u32 = mac.cores.iter().map(|(_, count)| count).sum();
    Some(match name {
        "hw.model" => mac.model.to_owned(),
        "machdep.cpu.brand_string" => mac.chip.to_owned(),
        "hw.physicalcpu" => all.to_string(),
        "hw.nperflevels" => mac.cores.len().to_string(),
        "hw.memsize" => mac.memory_gib.saturating_mul(GIB).to_string(),
        "sysctl.proc_translated" => "0".to_owned(),
        "kern.hv_vmm_present" => u32::from(mac.guest).to_string(),
        "kern.osrelease" => world.release().kernel(),
        // XNU, bsd/kern/kern_sysctl.c: a UUID that the kernel makes at each start.
        "kern.bootsessionuuid" => {
            let restarts = world.state.restarts.min(0xFFFF);
            format!("6F9619FF-8B86-4011-{restarts:04X}-{:012X}", world.state.booted)
        }
        "vm.loadavg" => "{ 0.20 1.30 1.40 }".to_owned(),
        "kern.memorystatus_vm_pressure_level" => setup.memory_pressure.to_string(),
        _ => return level(world, name),
    })
}

/// `hw.perflevelN.KEY`.
fn level(world: &World, name: &str) -> Option<String> {
    let (number, key) = name.strip_prefix("hw.perflevel")?.split_once('.')?;
    let cores = world.mac().cores;
    let (kind, count) = cores.get(number.parse::<usize>().ok()?)?;
    Some(match key {
        "name" => (*kind).to_owned(),
        "physicalcpu" => count.to_string(),
        _ => return None,
    })
}

/// `system_profiler -json SPHardwareDataType`, with the values that identify a Mac: nobody may keep them.
pub fn system_profiler(world: &World, arguments: &[String]) -> Said {
    let known = ["-json", "SPHardwareDataType"];
    if !known.iter().all(|word| arguments.iter().any(|argument| argument == word)) {
        return Said::text("{}\n");
    }
    let mac = world.mac();
    let all: u32 = mac.cores.iter().map(|(_, count)| count).sum();
    let mut counts = mac.cores.iter().map(|(_, count)| count.to_string());
    // A guest gives a plain number (3).
    let processors = if mac.guest {
        json!(all)
    } else {
        json!(format!("proc {all}:{}", counts.by_ref().collect::<Vec<_>>().join(":")))
    };
    let hardware = json!({
        "_name": "hardware_overview",
        "activation_lock_status": "activation_lock_disabled",
        "boot_rom_version": "13822.1.2",
        "chip_type": mac.chip,
        "machine_model": mac.model,
        "machine_name": mac.name,
        "model_number": "Z1JV000XXD/A",
        "number_processors": processors,
        "os_loader_version": "13822.1.2",
        "physical_memory": format!("{} GB", mac.memory_gib),
        "platform_UUID": "57A0D1A9-0000-4000-8000-5E61A10000AA",
        "provisioning_UDID": "00006041-0000STANDIN0001",
        "serial_number": "STANDIN0001",
    });
    Said::text(format!("{}\n", json!({"SPHardwareDataType": [hardware]})))
}

/// `vm_stat`.
pub fn vm_stat(world: &World) -> Said {
    let pages = world.mac().memory_gib.saturating_mul(GIB) / PAGE;
    let rows = [
        ("Pages free:", pages / 2),
        ("Pages active:", pages / 5),
        ("Pages inactive:", pages / 5),
        ("Pages speculative:", pages / 50),
        ("Pages throttled:", 0),
        ("Pages wired down:", pages / 15),
        ("Pages purgeable:", pages / 100),
    ];
    let mut text = format!("Mach Virtual Memory Statistics: (page size of {PAGE} bytes)\n");
    for (name, count) in rows {
        let count = format!("{count}.");
        text.push_str(&format!("{name:<25}{count:>14}\n"));
    }
    Said::text(text)
}

/// `df -P PATH...`: on which volume a path lies. The space is that of the machine that plays this Mac.
pub fn df(world: &World, arguments: &[String]) -> Outcome {
    let mut said =
        Said::text("Filesystem     512-blocks         Used    Available Capacity  Mounted on\n");
    for name in arguments.iter().filter(|argument| !argument.starts_with('-')) {
        let path = Path::new(name);
        if !path.exists() {
            said.err.push_str(&format!("df: {name}: No such file or directory\n"));
            said.code = 1;
            continue;
        }
        let (device, at) = diskutil::device_of(world, path);
        let space = facts::space(path)?;
        let size = world.mac().disk.bytes / 512;
        let free = (space.free_bytes / 512).min(size);
        let used = size.saturating_sub(free);
        let percent = used.saturating_mul(100) / size.max(1);
        let line = format!("/dev/{device} {size:>12} {used:>12} {free:>12} {percent:>6}%   {at}\n");
        said.out.extend(line.bytes());
    }
    Ok(said)
}
