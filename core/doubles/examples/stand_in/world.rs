//! The state behind all programs: one JSON file that each call reads, changes and writes under a lock.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use diskimage::crypt::Passphrase;
use serde::{Deserialize, Serialize};

use crate::device::Attached;
use crate::mac::{self, MACS, Mac};
use crate::release::{Release, Words};
use crate::said::{Failure, Outcome};
use crate::volumes;

/// How this Mac is set up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Setup {
    /// The release that runs on it.
    pub release: Release,
    /// What kind of Mac it is.
    pub mac: String,
    /// The language of its programs.
    pub language: Words,
    /// Whether it draws from its battery.
    pub on_battery: bool,
    /// Level of the memory's pressure: 1, 2 or 4.
    pub memory_pressure: u32,
    /// Whether FileVault is on.
    pub file_vault: bool,
    /// Whether `hdiutil` makes UDSP no more.
    pub without_udsp: bool,
}

/// Everything that is remembered.
#[derive(Debug, Serialize, Deserialize)]
pub struct State {
    /// How this Mac is set up.
    pub setup: Setup,
    /// When it was started, in seconds since 1970.
    pub booted: u64,
    /// How often it was started anew.
    pub restarts: u64,
    /// What is attached.
    pub attached: Vec<Attached>,
    /// Where the image of each volume was seen last.
    pub images: BTreeMap<String, PathBuf>,
    /// Number of the next volume.
    pub next_volume: u64,
    /// Number of the next helper process.
    pub next_pid: u32,
    /// What Time Machine keeps away from.
    pub excluded: BTreeSet<PathBuf>,
    /// Calls until now.
    pub calls: u64,
}

/// The state, held by this call alone.
pub struct World {
    /// The folder of the programs.
    pub folder: PathBuf,
    /// What is remembered.
    pub state: State,
    _lock: File,
}

impl World {
    /// Sets up a Mac in this folder; what was there before is forgotten.
    pub fn set_up(folder: &Path, setup: Setup) -> io::Result<()> {
        fs::create_dir_all(folder.join("state/volumes"))?;
        let _lock = lock(folder)?;
        let booted = now().saturating_sub(86_400);
        let state = State {
            setup,
            booted,
            restarts: 0,
            attached: Vec::new(),
            images: BTreeMap::new(),
            next_volume: 1,
            next_pid: 28_139,
            excluded: BTreeSet::new(),
            calls: 0,
        };
        write(&folder.join("state/orders.json"), b"{}\n")?;
        write(&folder.join("state/calls.jsonl"), b"")?;
        write(&folder.join("state/state.json"), &serde_json::to_vec_pretty(&state)?)
    }

    /// Enters: waits for the other calls, and puts right what one that was killed has left half done.
    pub fn enter(folder: &Path) -> io::Result<Self> {
        let lock = lock(folder)?;
        let state: State = serde_json::from_slice(&fs::read(folder.join("state/state.json"))?)?;
        let world = Self { folder: folder.to_owned(), state, _lock: lock };
        volumes::put_right(&world)?;
        Ok(world)
    }

    /// Remembers the state.
    pub fn save(&self) -> io::Result<()> {
        write(&self.folder.join("state/state.json"), &serde_json::to_vec_pretty(&self.state)?)
    }

    /// Notes a call; never what came through its stdin.
    pub fn note_call(&mut self, program: &str, arguments: &[String]) -> io::Result<()> {
        self.state.calls = self.state.calls.saturating_add(1);
        let line = serde_json::json!({"program": program, "arguments": arguments});
        let mut log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.join("state/calls.jsonl"))?;
        log.write_all(format!("{line}\n").as_bytes())
    }

    /// The release that is played.
    pub const fn release(&self) -> &Release {
        &self.state.setup.release
    }

    /// The Mac that is played.
    pub fn mac(&self) -> Mac {
        let [first, ..] = MACS;
        mac::of(&self.state.setup.mac).unwrap_or(first)
    }

    /// The language that programs speak.
    pub const fn words(&self) -> Words {
        self.state.setup.language
    }

    /// All orders that are open.
    pub fn orders(&self) -> io::Result<BTreeMap<String, u64>> {
        Ok(serde_json::from_slice(&fs::read(self.folder.join("state/orders.json"))?)?)
    }

    /// Gives an order for so many times; 0 takes it back.
    pub fn order(&self, name: &str, times: u64) -> io::Result<()> {
        let mut orders = self.orders()?;
        if times == 0 {
            orders.remove(name);
        } else {
            orders.insert(name.to_owned(), times);
        }
        write(&self.folder.join("state/orders.json"), &serde_json::to_vec(&orders)?)
    }

    /// Whether this was ordered; if so it is used up once.
    pub fn obeys(&self, name: &str) -> io::Result<bool> {
        let times = self.orders()?.get(name).copied().unwrap_or(0);
        if times == 0 {
            return Ok(false);
        }
        self.order(name, times.saturating_sub(1))?;
        Ok(true)
    }

    /// Whether this was ordered; it stays so.
    pub fn is_ordered(&self, name: &str) -> io::Result<bool> {
        Ok(self.orders()?.get(name).is_some_and(|times| *times > 0))
    }

    /// What an order to fail or to wait does to any verb.
    pub fn heed(&self, program: &str, verb: &str) -> Outcome<()> {
        for name in [format!("hold {verb}"), format!("hold {program} {verb}")] {
            if self.is_ordered(&name)? {
                return Err(Failure::Held(name));
            }
        }
        for name in [format!("hang {verb}"), format!("hang {program} {verb}")] {
            if self.obeys(&name)? {
                return Err(Failure::Never);
            }
        }
        for name in [format!("no-space {verb}"), format!("no-space {program} {verb}")] {
            if self.obeys(&name)? {
                return Err(crate::said::Reason::NoSpace.into());
            }
        }
        Ok(())
    }

    /// A number for a new volume. It is given once, even if this call is killed before the volume is there.
    pub fn new_volume(&mut self) -> io::Result<String> {
        let number = self.state.next_volume;
        self.state.next_volume = number.saturating_add(1);
        self.save()?;
        Ok(format!("volume-{number}"))
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A passphrase as it is kept while its image is attached, as the helper process of a Mac keeps it: not in the clear,
/// so that whoever searches files for it finds only what should not be there.
pub fn hidden(passphrase: &[u8]) -> String {
    passphrase.iter().map(|byte| format!("{:02x}", !byte)).collect()
}

/// The passphrase that was kept.
pub fn revealed(kept: &str) -> io::Result<Passphrase> {
    let digits = kept.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> = digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok().map(|byte| !byte))
        .collect();
    Ok(Passphrase::new(bytes.unwrap_or_default())?)
}

fn lock(folder: &Path) -> io::Result<File> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("state/lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// Whole or not at all, whenever this process is killed.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = path.with_extension("partial");
    fs::write(&partial, bytes)?;
    fs::rename(partial, path)
}
