//! Resource use of the processes that serve images while files are written or read.
//!
//! On macOS other processes serve a disk image, and the times of files do not show their resource use. So it is read
//! before and after each pass; the difference is the use of the pass, including their other work meanwhile.
//!
//! Not counted: the kernel's own work; processes that ended during the pass (the record has their number); and
//! processes that began and ended during the pass, such as indexers.

use system::clock;
use system::processes::{self, Seen, Used};

use crate::record::{ProcessUse, Serving};

/// The programs that serve images, or may disturb them, by name.
///
/// `diskimages-helper` is the older engine (UDSP, and whatever hdiutil attaches by it), `diskimagesiod` that of
/// DiskImages2 (ASIF, UDSB and others since macOS 12); `hdiejectd` helps to detach, `storagekitd` and
/// `diskarbitrationd` are behind `diskutil` and mounting. The others look at every volume that comes: the log of
/// changes (`fseventsd`), Spotlight (`mds` and its workers) and the search for malware (`XProtect`, in its two
/// spellings). Sources: hdiutil(1), diskutil(8), and what is named in reports of busy images (actions/runner-images
/// issue 7522).
const PROGRAMS: [&str; 11] = [
    "XProtectBehaviorService",
    "XprotectService",
    "diskarbitrationd",
    "diskimages-helper",
    "diskimagesiod",
    "fseventsd",
    "hdiejectd",
    "mds",
    "mds_stores",
    "mdworker_shared",
    "storagekitd",
];

/// A pass that is being watched.
#[derive(Debug)]
pub(crate) struct Watch {
    before: Vec<Seen>,
    begun_ns: u64,
}

impl Watch {
    /// Looks, and watches from now on: some microseconds for each process of the system, and nothing at all until
    /// [`Self::end`].
    pub(crate) fn begin() -> Self {
        let before = processes::seen(&PROGRAMS);
        Self { before, begun_ns: clock::always_ns() }
    }

    /// Reads the use again: the difference since the first reading.
    pub(crate) fn end(self) -> Serving {
        let elapsed_ns = clock::always_ns() - self.begun_ns;
        Serving { elapsed_ns, processes: between(&self.before, &processes::seen(&PROGRAMS)) }
    }
}

/// What each program's processes used between two looks.
fn between(before: &[Seen], after: &[Seen]) -> Vec<ProcessUse> {
    PROGRAMS.iter().filter_map(|name| of_program(name, before, after)).collect()
}

/// None when no process of this name was there at either look.
fn of_program(name: &str, before: &[Seen], after: &[Seen]) -> Option<ProcessUse> {
    let named = |seen: &&Seen| seen.name == name;
    let (mut count, mut ended, mut permitted) = (0_u32, 0_u32, true);
    let mut sum = Used { energy_nj: Some(0), ..Used::default() };
    for seen in after.iter().filter(named) {
        count += 1;
        // One that began meanwhile had used nothing before.
        let earlier = before.iter().filter(named).find(|old| old.process == seen.process);
        match (earlier.map_or(Some(Used::default()), |old| old.used), seen.used) {
            (Some(old), Some(new)) => sum = plus(sum, since(new, old)),
            _ => permitted = false,
        }
    }
    for gone in before.iter().filter(named) {
        if !after.iter().filter(named).any(|seen| seen.process == gone.process) {
            count += 1;
            ended += 1;
            permitted &= gone.used.is_some();
        }
    }
    let value = |value: u64| permitted.then_some(value);
    (count > 0).then(|| ProcessUse {
        name: name.to_owned(),
        count,
        ended,
        permitted,
        cpu_ns: value(sum.cpu_ns),
        read_bytes: value(sum.read_bytes),
        written_bytes: value(sum.written_bytes),
        energy_nj: sum.energy_nj.and_then(value),
    })
}

/// The increase since then. A smaller counter was reset, so its increase is unknown and counts as zero.
fn since(now: Used, then: Used) -> Used {
    Used {
        cpu_ns: now.cpu_ns.saturating_sub(then.cpu_ns),
        read_bytes: now.read_bytes.saturating_sub(then.read_bytes),
        written_bytes: now.written_bytes.saturating_sub(then.written_bytes),
        energy_nj: now
            .energy_nj
            .map(|energy| energy.saturating_sub(then.energy_nj.unwrap_or_default())),
    }
}

/// Both together; energy only where both are counted.
fn plus(one: Used, other: Used) -> Used {
    Used {
        cpu_ns: one.cpu_ns.saturating_add(other.cpu_ns),
        read_bytes: one.read_bytes.saturating_add(other.read_bytes),
        written_bytes: one.written_bytes.saturating_add(other.written_bytes),
        energy_nj: one.energy_nj.zip(other.energy_nj).map(|(a, b)| a.saturating_add(b)),
    }
}

#[cfg(test)]
mod tests;
