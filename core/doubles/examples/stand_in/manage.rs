//! `stand_in install|order|attached|attach-foreign|reboot|upgrade FOLDER ...`.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::PROGRAMS;
use crate::foreign;
use crate::mac::{self, MACS};
use crate::release::{self, Release, Words};
use crate::said::{Failure, Outcome, Said};
use crate::serve;
use crate::world::{Setup, World, now};

/// Does what a call asks for.
pub fn run(arguments: &[String]) -> Outcome {
    let [verb, folder, rest @ ..] = arguments else { return Ok(usage()) };
    let folder = PathBuf::from(folder);
    match verb.as_str() {
        "install" => install(&folder, rest),
        "order" => order(&folder, rest),
        "attached" => attached(&folder),
        "attach-foreign" => attach_foreign(&folder, rest),
        "reboot" => reboot(&folder),
        "upgrade" => upgrade(&folder, rest),
        _ => Ok(usage()),
    }
}

fn usage() -> Said {
    Said::refused(
        2,
        "stand_in install|order|attached|attach-foreign|reboot|upgrade FOLDER ...: see the head of main.rs",
    )
}

fn wrong(what: &str) -> Failure {
    Failure::With(Said::refused(2, format!("stand_in: {what}: see the head of main.rs")))
}

/// The value of an option.
fn value<'a>(arguments: &'a [String], name: &str) -> Option<&'a str> {
    arguments.iter().skip_while(|argument| *argument != name).nth(1).map(String::as_str)
}

fn install(folder: &Path, arguments: &[String]) -> Outcome {
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let [first, ..] = MACS;
    let mac =
        mac::of(value(arguments, "--mac").unwrap_or(first.slug)).ok_or_else(|| wrong("--mac"))?;
    let language = match value(arguments, "--language").unwrap_or("en") {
        "en" => Words::English,
        "de" => Words::German,
        _ => return Err(wrong("--language")),
    };
    let release =
        Release::new(value(arguments, "--macos").unwrap_or("26.4"), value(arguments, "--build"));
    if release.major() < 12 {
        return Err(wrong("--macos"));
    }
    let unknown = (!release.is_known()).then(|| {
        format!(
            "macOS {} is unknown here, and is imitated as {}",
            release.version,
            release::newest()
        )
    });
    let setup = Setup {
        release,
        mac: mac.slug.to_owned(),
        language,
        on_battery: has("--on-battery"),
        memory_pressure: value(arguments, "--memory-pressure")
            .and_then(|level| level.parse().ok())
            .unwrap_or(1),
        // A guest has none, unless it is turned on.
        file_vault: match value(arguments, "--file-vault") {
            Some(word) => word == "on",
            None => !mac.guest,
        },
        without_udsp: has("--without-udsp"),
    };
    World::set_up(folder, setup)?;
    let this = std::env::current_exe()?;
    for (program, _) in PROGRAMS {
        let link = folder.join(program);
        let missing = program == "hdiutil" && has("--without-hdiutil");
        // A link that leads nowhere: no other program of this name is called then, on a Mac neither.
        let leads_to = if missing { Path::new("no-such-program") } else { this.as_path() };
        match fs::remove_file(&link) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => symlink(leads_to, link)?,
        }
    }
    Ok(Said::default().warned(unknown))
}

fn order(folder: &Path, arguments: &[String]) -> Outcome {
    // The last word is a number of times, if it is a number.
    let times = arguments.last().and_then(|word| word.parse::<u64>().ok());
    let words = match times {
        Some(_) => arguments.split_last().map(|(_, words)| words).unwrap_or_default(),
        None => arguments,
    };
    if words.is_empty() {
        return Err(wrong("order"));
    }
    let world = World::enter(folder)?;
    world.order(&words.join(" "), times.unwrap_or(1))?;
    Ok(Said::default())
}

/// What is attached, one JSON object a line.
fn attached(folder: &Path) -> Outcome {
    let world = World::enter(folder)?;
    let mut text = String::new();
    for one in &world.state.attached {
        let line = json!({
            "image": one.image, "format": one.format, "disk": one.disk_name(), "foreign": one.foreign,
            "mount_point": one.mount_point, "encrypted": one.encrypted,
        });
        text.push_str(&format!("{line}\n"));
    }
    Ok(Said::text(text))
}

fn attach_foreign(folder: &Path, arguments: &[String]) -> Outcome {
    let Some(path) = arguments.first() else { return Err(wrong("attach-foreign")) };
    let mut world = World::enter(folder)?;
    let attached = foreign::attach(&mut world, Path::new(path))?;
    world.save()?;
    Ok(Said::text(format!("/dev/{}\n", attached.disk_name())))
}

/// Everything is detached as at a clean end, and the start has another time and another name.
fn reboot(folder: &Path) -> Outcome {
    let mut world = World::enter(folder)?;
    while !world.state.attached.is_empty() {
        serve::unmount(&mut world, 0)?;
        world.state.attached.remove(0);
    }
    world.state.restarts = world.state.restarts.saturating_add(1);
    world.state.booted = now().max(world.state.booted.saturating_add(1));
    world.save()?;
    Ok(Said::default())
}

fn upgrade(folder: &Path, arguments: &[String]) -> Outcome {
    let Some(version) = value(arguments, "--macos") else { return Err(wrong("--macos")) };
    let mut world = World::enter(folder)?;
    world.state.setup.release = Release::new(version, None);
    world.save()?;
    drop(world);
    // A new release is started anew.
    reboot(folder)
}
