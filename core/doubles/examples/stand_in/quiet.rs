//! `pmset`, `tmutil`, `fdesetup` and `caffeinate`: power, and what disturbs.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use crate::said::{Outcome, Said};
use crate::world::World;

/// How often what waits looks whether it is over.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// `pmset -g`, `-g batt`, `-g therm`.
pub fn pmset(world: &World, arguments: &[String]) -> Said {
    let setup = &world.state.setup;
    let what: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match what.as_slice() {
        ["-g", "batt"] if setup.on_battery => Said::text(
            "Now drawing from 'Battery Power'\n \
             -InternalBattery-0 (id=23592035)\t87%; discharging; 0:52 remaining present: true\n",
        ),
        ["-g", "batt"] => Said::text("Now drawing from 'AC Power'\n"),
        ["-g", "therm"] => Said::text(
            "Note: No thermal warning level has been recorded\n\
             Note: No performance warning level has been recorded\n\
             Note: No CPU power status has been recorded\n",
        ),
        ["-g"] => Said::text(
            "System-wide power settings:\nCurrently in use:\n standby              1\n powernap             1\n \
             lowpowermode         0\n womp                 1\n",
        ),
        _ => Said::refused(64, "Usage: pmset <options>"),
    }
}

/// `tmutil addexclusion|isexcluded PATH`, and `listlocalsnapshots`, where there are none.
pub fn tmutil(world: &mut World, arguments: &[String]) -> Outcome {
    let Some((verb, rest)) = arguments.split_first() else {
        return Ok(Said::refused(64, "Usage: tmutil <verb> <options>"));
    };
    world.heed("tmutil", verb)?;
    if verb == "listlocalsnapshots" {
        return Ok(Said::text("Snapshots for disk /:\n"));
    }
    let name = rest.first().map(String::as_str).unwrap_or_default();
    let Ok(path) = PathBuf::from(name).canonicalize() else {
        let line = format!("{name}: The operation couldn’t be completed. (OSStatus error -43.)");
        return Ok(Said::refused(213, line));
    };
    match verb.as_str() {
        "addexclusion" => {
            world.state.excluded.insert(path);
            Ok(Said::default())
        }
        "isexcluded" => {
            let excluded = world.state.excluded.iter().any(|known| path.starts_with(known));
            let word = if excluded { "[Excluded]" } else { "[Included]" };
            Ok(Said::text(format!("{word}    {}\n", path.display())))
        }
        _ => Ok(Said::refused(64, format!("tmutil: {verb} is not played"))),
    }
}

/// `fdesetup status`.
pub fn fdesetup(world: &World, arguments: &[String]) -> Said {
    if arguments.first().is_none_or(|verb| verb != "status") {
        return Said::refused(1, "fdesetup: the stand-in imitates status alone");
    }
    Said::text(format!(
        "FileVault is {}.\n",
        if world.state.setup.file_vault { "On" } else { "Off" }
    ))
}

/// `caffeinate -i -s -m -w PID`: ends when that process has ended.
pub fn caffeinate(arguments: &[String]) -> Outcome {
    let pid = arguments.iter().skip_while(|argument| *argument != "-w").nth(1);
    let Some(pid) = pid.and_then(|pid| pid.parse::<u32>().ok()) else {
        return Ok(Said::refused(64, "caffeinate: the stand-in waits for a process alone"));
    };
    while is_there(pid) {
        thread::sleep(LOOK_EVERY);
    }
    Ok(Said::default())
}

/// Whether a process still runs: one that has ended and that nobody asked about yet does not.
fn is_there(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        return stat.is_ok_and(|stat| {
            !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with(['Z', 'X'])
        });
    }
    Command::new("kill")
        .args(["-0", &pid.to_string()])
        .status()
        .is_ok_and(|status| status.success())
}

/// A program that never returns: until whoever started it has gone.
pub fn never_return() {
    let starter = std::os::unix::process::parent_id();
    while std::os::unix::process::parent_id() == starter {
        thread::sleep(LOOK_EVERY);
    }
}

/// Waits until an order is taken back, or whoever started this program has gone.
pub fn wait_until_taken_back(folder: &Path, order: &str) -> io::Result<()> {
    let starter = std::os::unix::process::parent_id();
    while World::enter(folder)?.is_ordered(order)? && std::os::unix::process::parent_id() == starter
    {
        thread::sleep(LOOK_EVERY);
    }
    Ok(())
}
