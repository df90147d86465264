//! Stands in for the programs of macOS: see below.

mod arguments;
mod device;
mod diskutil;
mod facts;
mod foreign;
mod hdiutil;
mod ioreg;
mod label;
mod mac;
mod manage;
mod passphrase;
mod quiet;
mod release;
mod said;
mod serve;
mod volumes;
mod world;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use diskbench_core::program::tools;

use crate::said::{Failure, Outcome, Said};
use crate::world::World;

/// The programs that are played.
pub const PROGRAMS: [&str; 13] = [
    "caffeinate",
    "df",
    "diskutil",
    "fdesetup",
    "hdiutil",
    "ioreg",
    "mdutil",
    "pmset",
    "sw_vers",
    "sysctl",
    "system_profiler",
    "tmutil",
    "vm_stat",
];

/// Exit code when the stand-in itself is at a loss: sysexits' EX_SOFTWARE.
const AT_A_LOSS: u8 = 70;

fn main() -> ExitCode {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let called = PathBuf::from(words.next().unwrap_or_default());
    let arguments: Vec<String> = words.collect();
    let program = called.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let outcome = if PROGRAMS.contains(&program.as_str()) {
        play(&program, &called, &arguments)
    } else {
        manage::run(&arguments)
    };
    let said = match outcome {
        Ok(said) | Err(Failure::With(said)) => said,
        Err(Failure::For(reason)) => {
            Said::refused(1, format!("{program}: {}", reason.words(release::Words::English)))
        }
        Err(Failure::Never) => {
            quiet::never_return();
            Said { code: AT_A_LOSS, ..Said::default() }
        }
        Err(Failure::Lost(error)) => {
            Said::refused(AT_A_LOSS, format!("stand_in: {program} is at a loss: {error}"))
        }
    };
    // Whoever has stopped to listen does not want to know.
    drop(io::stdout().write_all(&said.out));
    drop(io::stderr().write_all(said.err.as_bytes()));
    ExitCode::from(said.code)
}

fn play(program: &str, called: &Path, arguments: &[String]) -> Outcome {
    let Some(folder) = folder_of(called) else {
        return Ok(Said::refused(
            AT_A_LOSS,
            "stand_in: call it by its path, or name its folder in DISKBENCH_STAND_IN",
        ));
    };
    let mut world = World::enter(&folder)?;
    world.note_call(program, arguments)?;
    if program == "caffeinate" {
        world.heed(program, program)?;
        // It runs beside all others.
        drop(world);
        return quiet::caffeinate(arguments);
    }
    let outcome = match program {
        "hdiutil" => hdiutil::run(&mut world, arguments),
        "diskutil" => diskutil::run(&mut world, arguments),
        "ioreg" => ioreg::run(&mut world, arguments),
        "tmutil" => quiet::tmutil(&mut world, arguments),
        other => world.heed(other, other).and_then(|()| fact(&world, other, arguments)),
    };
    world.save()?;
    outcome
}

fn fact(world: &World, program: &str, arguments: &[String]) -> Outcome {
    Ok(match program {
        "sw_vers" => facts::sw_vers(world, arguments),
        "sysctl" => facts::sysctl(world, arguments),
        "system_profiler" => facts::system_profiler(world, arguments),
        "vm_stat" => facts::vm_stat(world),
        "df" => return facts::df(world, arguments),
        "pmset" => quiet::pmset(world, arguments),
        "mdutil" => quiet::mdutil(world, arguments),
        _ => quiet::fdesetup(world, arguments),
    })
}

/// The folder that this program was called from, else the one that the environment names.
fn folder_of(called: &Path) -> Option<PathBuf> {
    let beside = called.parent().filter(|folder| folder.join("state/state.json").exists());
    beside.map(Path::to_owned).or_else(tools::stand_in)
}
