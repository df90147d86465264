//! What a description must say beyond its form: each rule one clear line that ends with what to do.

use std::ops::RangeInclusive;

use crate::cell::{CELL_VERSION, Cell, Step, Which};
use crate::error::{Error, Result};

/// Longest name that becomes part of a path; file systems allow 255 bytes for all of them together.
const LONGEST_SLUG: usize = 64;

/// No block is larger: a buffer of this size is held in memory.
const LARGEST_BLOCK: u64 = 1 << 30;

/// Sizes of a band in bytes: what hdiutil(1) allows for sparse bundles (2048 to 16777216 sectors of 512 bytes).
const BANDS: RangeInclusive<u64> = (1 << 20)..=(8 << 30);

/// Pages are stamped, buffers aligned and direct I/O done in units of this many bytes.
const BLOCK_UNIT: u64 = 4096;

/// No image holds more: keeps every sum of sizes within the integers that databases have.
const LARGEST_TOTAL: u64 = 1 << 60;

/// A cell writes and reads no more files, all steps taken together: the study itself has 160 in a round, a folder with
/// many more is measured rather than its files, and each of them is one sample of a record that must fit into memory.
const MOST_FILES: u64 = 100_000;

/// No step waits longer, in seconds: a day.
const LONGEST_SETTLE: u64 = 86_400;

impl Cell {
    /// Checks every value by itself; whether the steps make sense in their order, `protocol::forecast::check` says.
    ///
    /// # Errors
    /// Exit code 2 for the first rule that is broken.
    pub fn check(&self) -> Result<()> {
        if self.cell_version != CELL_VERSION {
            return Err(Error::input(format!(
                "cell_version {} is not known to diskbench {} (it knows {CELL_VERSION}): build the core again",
                self.cell_version,
                env!("CARGO_PKG_VERSION"),
            )));
        }
        self.check_names()?;
        self.check_amounts()?;
        self.check_steps()
    }

    fn check_names(&self) -> Result<()> {
        slug("host", &self.host)?;
        slug("release", &self.release)?;
        slug("protocol", &self.protocol)?;
        slug("storage", &self.storage)?;
        for (index, phase) in self.phases.iter().enumerate() {
            slug("phases[].phase", &phase.phase)?;
            if self.phases.iter().take(index).any(|other| other.phase == phase.phase) {
                return Err(Error::input(format!(
                    "phases: {} occurs twice: give each phase its own name",
                    phase.phase
                )));
            }
        }
        if self.phases.is_empty() {
            return Err(Error::input("phases is empty: give the protocol at least one phase"));
        }
        let names: Vec<&str> = self.phases.iter().map(|phase| phase.phase.as_str()).collect();
        if !names.contains(&self.phase.as_str()) {
            return Err(Error::input(format!(
                "phase: unknown phase `{}`: use one of this protocol's ({})",
                self.phase,
                names.join(", ")
            )));
        }
        Ok(())
    }

    fn check_amounts(&self) -> Result<()> {
        positive("repeat", u64::from(self.repeat))?;
        positive("sets", u64::from(self.sets))?;
        positive("nominal_bytes", self.nominal_bytes)?;
        storable("nominal_bytes", self.nominal_bytes)?;
        storable("seed", self.seed)?;
        if self.sizes_bytes.is_empty() {
            return Err(Error::input("sizes_bytes is empty: give at least one file size in bytes"));
        }
        for (index, size) in self.sizes_bytes.iter().enumerate() {
            positive(&format!("sizes_bytes[{index}]"), *size)?;
        }
        let passes = self.steps().filter(|step| matches!(step, Step::Write {} | Step::Read {}));
        let files = u64::try_from(self.sizes_bytes.len())
            .ok()
            .and_then(|sizes| sizes.checked_mul(u64::from(self.sets)))
            .and_then(|files| files.checked_mul(u64::try_from(passes.count().max(1)).ok()?));
        if files.is_none_or(|files| files > MOST_FILES) {
            return Err(Error::input(format!(
                "sets x sizes_bytes x write and read steps is more than {MOST_FILES} files: give fewer sets"
            )));
        }
        let rounds = self.steps().filter(|step| matches!(step, Step::Write {})).count();
        let total = self
            .sizes_bytes
            .iter()
            .try_fold(0_u64, |sum, size| sum.checked_add(*size))
            .and_then(|sum| sum.checked_mul(u64::from(self.sets)))
            .and_then(|sum| sum.checked_mul(u64::try_from(rounds.max(1)).ok()?));
        if total.is_none_or(|total| total > LARGEST_TOTAL) {
            return Err(Error::input(
                "sizes_bytes x sets is more than 2^60 bytes: give smaller sizes or fewer sets",
            ));
        }
        let block = self.io.block_bytes;
        if block == 0 || !block.is_multiple_of(BLOCK_UNIT) || block > LARGEST_BLOCK {
            return Err(Error::input(format!(
                "io.block_bytes is {block}: use a multiple of {BLOCK_UNIT} up to {LARGEST_BLOCK}"
            )));
        }
        self.check_layout()
    }

    /// The sizes that some formats let choose.
    fn check_layout(&self) -> Result<()> {
        if let Some(band) = self.band_bytes {
            if self.format.image().is_none_or(|image| image.row().band_bytes.is_none()) {
                return Err(Error::input(format!(
                    "band_bytes is given, but format {} has no bands: leave it out",
                    self.format
                )));
            }
            if !BANDS.contains(&band) || !band.is_power_of_two() {
                return Err(Error::input(format!(
                    "band_bytes is {band}: use a power of two from {} to {}",
                    BANDS.start(),
                    BANDS.end()
                )));
            }
        }
        if let Some(block) = self.block_bytes {
            let Some(large) = self.format.image().and_then(|image| image.row().large_block_bytes)
            else {
                return Err(Error::input(format!(
                    "block_bytes is given, but format {} has no blocks to choose: leave it out",
                    self.format
                )));
            };
            if block != large {
                return Err(Error::input(format!(
                    "block_bytes is {block}: use {large}, or leave it out for blocks of 512 bytes"
                )));
            }
        }
        Ok(())
    }

    fn check_steps(&self) -> Result<()> {
        for phase in &self.phases {
            if phase.steps.is_empty() {
                return Err(Error::input(format!(
                    "phase {} has no steps: give it at least one",
                    phase.phase
                )));
            }
        }
        for step in self.steps() {
            match step {
                Step::Measure { state } => slug("state", state)?,
                Step::Delete { which, sets, files } => check_delete(*which, *sets, *files)?,
                Step::Create {}
                | Step::Attach {}
                | Step::Detach {}
                | Step::Settle { .. }
                | Step::Write {}
                | Step::Read {}
                | Step::Compact {}
                | Step::Restart {}
                | Step::Discard {} => {}
            }
            if step.seconds() > LONGEST_SETTLE {
                return Err(Error::input(format!(
                    "step {} waits {} seconds: give at most {LONGEST_SETTLE}",
                    step.name(),
                    step.seconds()
                )));
            }
        }
        Ok(())
    }
}

fn check_delete(which: Which, sets: Option<u32>, files: Option<u32>) -> Result<()> {
    let fits = match which {
        Which::LastSets => sets.is_some_and(|sets| sets > 0) && files.is_none(),
        Which::Largest => files.is_some_and(|files| files > 0) && sets.is_none(),
        Which::All => sets.is_none() && files.is_none(),
    };
    if fits {
        return Ok(());
    }
    Err(Error::input(format!(
        "step delete, which {which}: give `sets` (1 or more) for last-sets, `files` (1 or more) for largest, \
         neither for all"
    )))
}

fn positive(key: &str, value: u64) -> Result<()> {
    if value == 0 {
        return Err(Error::input(format!("{key} is 0: give a positive number")));
    }
    Ok(())
}

/// Databases have integers of 63 bits and a sign.
fn storable(key: &str, value: u64) -> Result<()> {
    if i64::try_from(value).is_ok() {
        return Ok(());
    }
    Err(Error::input(format!("{key} is {value}: use at most {}", i64::MAX)))
}

/// Names become parts of paths, so they are plain.
fn slug(key: &str, value: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let good = value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && value.chars().all(plain)
        // a record of that name would be taken for one that was set aside
        && !value.contains(".superseded-")
        && value.len() <= LONGEST_SLUG;
    if good {
        return Ok(());
    }
    Err(Error::input(format!(
        "{key} is `{value}`: use letters, digits, `.`, `_` and `-` only, a letter or digit first, \
         at most {LONGEST_SLUG}, without `.superseded-`"
    )))
}

#[cfg(test)]
mod tests;
