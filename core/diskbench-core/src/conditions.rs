//! The state of the machine during a cell, and the warnings that follow from it.

use diskimage::format::ImageFormat;
use system::calls::is_cold;
use system::flush::Durability;
use system::open;

use crate::ceiling;
use crate::cell::{Cache, Cell, Driver, Encryption};
use crate::image::Reached;
use crate::record::{
    Ceiling, Conditions, Host, OWN_DISK, Op, Power, Pressure, Sample, Snapshot, Thermal,
};
use crate::units;
use crate::warning::{Warning, WarningCode as Code};

/// Load above which something else may have been running. A study's cells follow each other at once, so the load before a
/// cell comes from the previous one, and later from its own passes: up to 1.00 for a process that writes and reads one file
/// at a time, and as much again for the kernel's writeback.
const LOAD_MILLI: u64 = 2000;

/// Free space is low below 1 / this of the file system: SSDs and copy-on-write file systems slow down when they are
/// nearly full; 10 % is the usual advice.
const FREE_FRACTION: u64 = 10;

/// Whether so little of a file system is free that it may be slow; both in bytes.
pub(crate) const fn is_nearly_full(free: u64, total: u64) -> bool {
    free < total / FREE_FRACTION
}

/// What the warnings are made from.
#[derive(Debug)]
pub(crate) struct Evidence<'a> {
    /// The requested modes.
    pub cell: &'a Cell,
    /// The machine.
    pub host: &'a Host,
    /// Before and after.
    pub conditions: &'a Conditions,
    /// In between, with words that say when.
    pub meanwhile: &'a [(String, Snapshot)],
    /// What was reached.
    pub reached: Reached,
    /// The files.
    pub samples: &'a [Sample],
    /// What the harness reaches without a disk; nothing where it was not measured.
    pub ceiling: Option<Ceiling>,
    /// Bytes that were read while still in memory.
    pub warm_read_bytes: u64,
    /// Size of the file system in bytes.
    pub total_bytes: Option<u64>,
    /// Whether content was checked while reading.
    pub checked: bool,
}

/// All warnings, one sentence each.
pub(crate) fn warnings(evidence: &Evidence<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    machine(evidence, &mut warnings);
    io(evidence, &mut warnings);
    warnings
}

/// The number of cores to which macOS leaves its own background work: those of its last level, of two or more. Their names
/// differ: "Efficiency", on an M5 Pro "Performance" beside "Super". An idle Mac may have as much load besides: users of an
/// M1 Pro see more than 2.00 (unix.stackexchange.com/questions/760363).
fn cores_for_background(host: &Host) -> u64 {
    match host.cores.as_slice() {
        [_, .., last] if host.os.name == "macos" => last.count,
        _ => 0,
    }
}

/// The warning about the load at this moment of the cell, such as `before`.
fn load_warning(host: &Host, snapshot: &Snapshot, when: &str) -> Option<Warning> {
    let most = LOAD_MILLI.saturating_add(cores_for_background(host).saturating_mul(1000));
    let load = snapshot.load_1min_milli.filter(|load| *load > most)?;
    let load = units::milli(load);
    let text = format!("load was {load} {when} the cell: something else may have been running");
    Some(Warning::new(Code::Busy, text))
}

/// How hot a machine is that may be slowed down, and the word for it.
const fn heat(state: Thermal) -> Option<(u64, &'static str)> {
    match state {
        Thermal::Nominal | Thermal::Unknown => None,
        Thermal::Fair => Some((1, "fair")),
        Thermal::Serious => Some((2, "serious")),
        Thermal::Critical => Some((3, "critical")),
    }
}

fn machine(evidence: &Evidence<'_>, warnings: &mut Vec<Warning>) {
    let Conditions { before, after } = evidence.conditions;
    let meanwhile = evidence.meanwhile.iter().map(|(when, state)| (when.as_str(), state));
    // Of many passes the worst one says it, the first of equal ones.
    let around = |rank: fn(&Snapshot) -> u64| {
        let worst = meanwhile.clone().rev().max_by_key(|(_, state)| rank(state));
        [Some(("before", before)), worst, Some(("after", after))].into_iter().flatten()
    };
    for (when, state) in around(|state| state.load_1min_milli.unwrap_or_default()) {
        warnings.extend(load_warning(evidence.host, state, when));
    }
    let ever = |test: fn(&Snapshot) -> bool| {
        [before, after].into_iter().any(test) || meanwhile.clone().any(|(_, state)| test(state))
    };
    if ever(|state| state.power_source == Power::Battery) {
        warnings.push(Warning::new(
            Code::Battery,
            "the machine ran on battery: it may have been slowed down to save energy",
        ));
    }
    if ever(|state| state.low_power_mode == Some(true)) {
        warnings.push(Warning::new(
            Code::LowPower,
            "low power mode was on: the machine was slowed down",
        ));
    }
    for (when, state) in around(|state| heat(state.thermal_state).map_or(0, |(rank, _)| rank)) {
        let Some((_, word)) = heat(state.thermal_state) else { continue };
        warnings.push(Warning::new(Code::Hot, format!(
            "the thermal state was {word} {when} the cell: the machine may have been slowed down"
        )));
    }
    if ever(|state| matches!(state.memory_pressure, Some(Pressure::Warning | Pressure::Critical))) {
        warnings.push(Warning::new(
            Code::MemoryPressure,
            "memory was under pressure: other programs were using it",
        ));
    }
    let states = [before, after].into_iter().chain(meanwhile.map(|(_, state)| state));
    let least = states.filter_map(|state| state.free_bytes).min();
    if let (Some(free), Some(total)) = (least, evidence.total_bytes)
        && is_nearly_full(free, total)
    {
        warnings.push(Warning::new(
            Code::NearlyFull,
            format!("only {} were free: nearly full disks are slower", units::gigabytes(free)),
        ));
    }
    let slept = evidence.samples.iter().filter(|sample| sample.slept).count();
    if slept > 0 {
        warnings.push(Warning::new(Code::Slept, format!(
            "the machine slept during {slept} files, or diskbench was stopped (Ctrl-Z): these files are left out of every speed"
        )));
    }
}

fn io(evidence: &Evidence<'_>, warnings: &mut Vec<Warning>) {
    let asked = evidence.cell.io;
    let reached = evidence.reached;
    if reached.cache != asked.cache {
        let why = match asked.cache {
            Cache::Bypass if evidence.cell.driver == Driver::Portable => {
                "images of driver portable use the page cache"
            }
            Cache::Bypass => "the file system refused it, or used its cache anyway",
            Cache::Drop | Cache::None => "files stayed in the page cache, or none was evicted",
        };
        warnings.push(Warning::new(
            Code::CacheNotReached,
            format!(
                "requested cache mode {}, effective cache mode {}: {why}",
                asked.cache, reached.cache
            ),
        ));
    }
    if reached.durability != asked.durability {
        let why = match asked.durability {
            Durability::Barrier if cfg!(not(target_os = "macos")) => "this system has no barrier",
            _ => "the file system refused it",
        };
        warnings.push(Warning::new(
            Code::DurabilityNotReached,
            format!(
                "requested durability {}, effective durability {}: {why}",
                asked.durability, reached.durability
            ),
        ));
    }
    if reached.cache.bypasses()
        && open::SMALLEST_DIRECT_WRITE.is_some_and(|least| asked.block_bytes < least)
    {
        warnings.push(Warning::new(
            Code::BlocksCached,
            format!(
                "blocks of {} bytes are too small for uncached (direct) writes on this system",
                asked.block_bytes
            ),
        ));
    }
    memory(evidence, warnings);
    near_ceiling(evidence, warnings);
    encryption(evidence, warnings);
}

/// Warnings about data that was in memory instead of on a disk, and about checks while reading.
fn memory(evidence: &Evidence<'_>, warnings: &mut Vec<Warning>) {
    let reads = evidence.samples.iter().filter(|sample| sample.op == Op::Read);
    let read_bytes = reads.map(|sample| sample.size_bytes).sum();
    if !evidence.reached.cache.bypasses() && !is_cold(evidence.warm_read_bytes, read_bytes) {
        warnings.push(Warning::new(Code::ReadFromMemory, format!(
            "{} of the {} that were read had not been evicted from the page cache: these reads may have come from memory",
            units::gigabytes(evidence.warm_read_bytes),
            units::gigabytes(read_bytes)
        )));
    }
    let bus = evidence.host.storage.bus.as_deref();
    if bus == Some("loop") && read_bytes > 0 {
        warnings.push(Warning::new(
            Code::ReadFromMemory,
            "the disk is a file (a loop device), which may have been in memory: these reads may have come from memory",
        ));
    }
    if bus == Some("memory") {
        warnings.push(Warning::new(
            Code::InMemory,
            "the files were in memory, not on a disk: the figures are those of memory",
        ));
    }
    if evidence.checked {
        warnings.push(Warning::new(
            Code::Checked,
            "content was checked while reading: read times include the check and cannot be compared",
        ));
    }
}

/// A warning if the harness is hardly faster without a disk: the disk may then be faster than the measured rate.
fn near_ceiling(evidence: &Evidence<'_>, warnings: &mut Vec<Warning>) {
    let Some(limit) = evidence.ceiling else { return };
    for (op, doing) in [(Op::Write, "writing"), (Op::Read, "reading")] {
        if ceiling::is_near(&limit, op, evidence.samples) {
            warnings.push(Warning::new(Code::NearLimit, format!(
                "{doing} was nearly as fast as the harness without a disk: the figures are those of the harness and \
                 of memory, and show only that the disk is not slower"
            )));
        }
    }
}

/// A folder has the encryption of its disk; a cell that says otherwise is labelled wrongly. On another disk than the
/// machine's own, the label is that of the own one, and the record has what the other disk has. An encrypted image of a
/// format that is not known with encryption is not what Apple's would be.
fn encryption(evidence: &Evidence<'_>, warnings: &mut Vec<Warning>) {
    let cell = evidence.cell;
    if cell.driver == Driver::Portable
        && cell.encryption != Encryption::None
        && let Some(own) = cell.format.image().and_then(ImageFormat::own_encryption)
    {
        warnings.push(Warning::new(Code::OwnLayout, own));
    }
    if cell.driver != Driver::Native || cell.storage != OWN_DISK {
        return;
    }
    if let Some(found) = evidence.host.storage.encryption.as_deref()
        && (found == "FileVault") != (cell.encryption == Encryption::FileVault)
    {
        warnings.push(Warning::new(
            Code::EncryptionDiffers,
            format!("the cell states encryption {}, but the disk has {found}", cell.encryption),
        ));
    }
}

#[cfg(test)]
mod tests;
