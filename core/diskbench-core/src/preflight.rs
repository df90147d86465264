//! Preflight checks: a study may refuse to measure on a machine that is in no state for it. Otherwise the plan says so,
//! and the record holds a warning.

use std::env;
use std::fs;
use std::path::Path;

use clap::ValueEnum;
use system::facts;

use crate::conditions;
use crate::error::{Error, Result};
use crate::exit_code::ExitCode;
use crate::host;
use crate::program::tools;
use crate::record::{Power, Snapshot, Thermal};
use crate::units;

/// Folders of a user that macOS asks about, or that a cloud drive may synchronise: its upload would take part in what is
/// measured.
const SYNCHRONISED: [&str; 5] =
    ["Desktop", "Documents", "Downloads", "Library/Mobile Documents", "Library/CloudStorage"];

/// What can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preflight {
    /// The machine runs on a battery
    Battery,
    /// Low power mode is on
    LowPower,
    /// The machine is so hot that it slows down
    Thermal,
    /// Less than a tenth of the file system is free
    FreeSpace,
}

/// Refuses when any of these holds. What cannot be found out is not refused.
///
/// # Errors
/// Exit code 9, one line that names everything that holds and what to do about it.
pub(crate) fn refuse(
    preflights: &[Preflight],
    now: &Snapshot,
    total_bytes: Option<u64>,
) -> Result<()> {
    let complaints = complaints(preflights, now, total_bytes);
    if complaints.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ExitCode::NotQuiet,
        format!(
            "{}; then run the same command again, or refuse less (a study by its conditions, one cell by --refuse)",
            complaints.join("; ")
        ),
    ))
}

fn complaints(preflights: &[Preflight], now: &Snapshot, total_bytes: Option<u64>) -> Vec<String> {
    preflights.iter().filter_map(|preflight| preflight.complaint(now, total_bytes)).collect()
}

/// What holds now for this folder of all that is not refused, one sentence each.
pub(crate) fn accepted(refused: &[Preflight], folder: &Path) -> Vec<String> {
    let checks = Preflight::value_variants().iter().filter(|one| !refused.contains(one));
    let total_bytes = facts::space(folder).ok().map(|space| space.total_bytes);
    let mut found =
        complaints(&checks.copied().collect::<Vec<_>>(), &host::conditions(folder), total_bytes);
    if host::has_snapshots(folder) {
        found.push(
            "Time Machine has snapshots of this disk, which keep the space of deleted images for a day: \
             let it back up manually while you measure"
                .to_owned(),
        );
    }
    if host::is_translated() {
        found.push(
            "diskbench was built for Intel and runs under Rosetta, so times may be longer: set Rust to Apple silicon \
             with rustup set default-host aarch64-apple-darwin && rustup default stable, or use a conda for Apple \
             silicon, then rm -rf core/target .conda"
                .to_owned(),
        );
    }
    if tools::are_of_macos() && env::home_dir().is_some_and(|home| is_synchronised(folder, &home)) {
        found.push(
            "images would be put below Desktop, Documents, Downloads or a cloud drive, which macOS protects and may \
             synchronise: move the project, or choose another folder"
                .to_owned(),
        );
    }
    found
}

fn is_synchronised(folder: &Path, home: &Path) -> bool {
    fs::canonicalize(folder).is_ok_and(|folder| {
        let inside =
            |name| fs::canonicalize(home.join(name)).is_ok_and(|it| folder.starts_with(it));
        SYNCHRONISED.into_iter().any(inside)
    })
}

/// The same with the current state of the machine and of the file system of this folder. Without checks nothing is
/// queried.
///
/// # Errors
/// As [`refuse`].
pub(crate) fn check(preflights: &[Preflight], folder: &Path) -> Result<()> {
    if preflights.is_empty() {
        return Ok(());
    }
    let total_bytes = facts::space(folder).ok().map(|space| space.total_bytes);
    refuse(preflights, &host::conditions(folder), total_bytes)
}

impl Preflight {
    fn complaint(self, now: &Snapshot, total_bytes: Option<u64>) -> Option<String> {
        match self {
            Self::Battery => (now.power_source == Power::Battery)
                .then(|| "the machine runs on a battery: connect it to the mains".to_owned()),
            Self::LowPower => (now.low_power_mode == Some(true))
                .then(|| "low power mode is on: turn it off in System Settings".to_owned()),
            // Not when it is fair: a machine without a fan is that as soon as it works.
            Self::Thermal => matches!(now.thermal_state, Thermal::Serious | Thermal::Critical)
                .then(|| "the machine is hot and slows down: let it cool".to_owned()),
            Self::FreeSpace => {
                let (free, total) = now.free_bytes.zip(total_bytes)?;
                conditions::is_nearly_full(free, total).then(|| {
                    format!(
                        "only {} of {} are free where images are put: free a tenth of it",
                        units::gigabytes(free),
                        units::gigabytes(total)
                    )
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Preflight, is_synchronised, refuse};
    use crate::exit_code::ExitCode;
    use crate::record::{Power, Snapshot, Thermal};
    use crate::testing::record;
    use clap::ValueEnum;
    use std::fs;

    const TOTAL: u64 = 1_000_000_000_000;

    fn quiet() -> Snapshot {
        record().conditions.before
    }

    /// What a check says of a quiet machine after this change; none when it lets it pass.
    fn said(preflight: Preflight, change: impl FnOnce(&mut Snapshot)) -> Option<String> {
        let mut now = quiet();
        change(&mut now);
        let error = refuse(&[preflight], &now, Some(TOTAL)).err()?;
        assert_eq!(error.exit(), ExitCode::NotQuiet);
        Some(error.line())
    }

    #[test]
    fn a_quiet_machine_passes_every_check() {
        refuse(Preflight::value_variants(), &quiet(), Some(TOTAL)).unwrap();
    }

    #[test]
    fn each_check_refuses_its_own_and_says_what_to_do() {
        let battery = said(Preflight::Battery, |now| now.power_source = Power::Battery).unwrap();
        assert!(battery.starts_with("the machine runs on a battery: connect it"), "{battery}");
        assert!(battery.contains("then run the same command again"), "{battery}");
        let saving = said(Preflight::LowPower, |now| now.low_power_mode = Some(true)).unwrap();
        assert!(saving.starts_with("low power mode is on: turn it off"), "{saving}");
        for state in [Thermal::Serious, Thermal::Critical] {
            let hot = said(Preflight::Thermal, |now| now.thermal_state = state).unwrap();
            assert!(hot.contains("let it cool"), "{hot}");
        }
        let full = said(Preflight::FreeSpace, |now| now.free_bytes = Some(TOTAL / 10 - 1)).unwrap();
        assert!(full.starts_with("only 100.00 GB of 1000.00 GB are free"), "{full}");
    }

    #[test]
    fn nothing_is_refused_that_nobody_asked_to_refuse_or_that_is_not_known() {
        let mut bad = quiet();
        bad.power_source = Power::Battery;
        bad.low_power_mode = Some(true);
        bad.thermal_state = Thermal::Critical;
        bad.free_bytes = Some(0);
        refuse(&[], &bad, Some(TOTAL)).unwrap();
        bad.power_source = Power::Unknown;
        bad.low_power_mode = None;
        bad.thermal_state = Thermal::Unknown;
        refuse(Preflight::value_variants(), &bad, None).unwrap();
        assert_eq!(said(Preflight::Thermal, |now| now.thermal_state = Thermal::Fair), None);
        assert_eq!(said(Preflight::FreeSpace, |now| now.free_bytes = Some(TOTAL / 10)), None);
    }

    #[test]
    fn everything_that_holds_is_named_in_one_line() {
        let mut bad = quiet();
        bad.power_source = Power::Battery;
        bad.low_power_mode = Some(true);
        let line = refuse(Preflight::value_variants(), &bad, None).unwrap_err().line();
        assert!(line.contains("battery") && line.contains("low power mode"), "{line}");
        assert_eq!(line.matches("run the same command again").count(), 1, "{line}");
    }

    #[test]
    fn a_folder_below_documents_or_a_cloud_drive_may_be_synchronised_also_by_a_link() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| {
            let folder = home.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            is_synchronised(&folder, home.path())
        };
        assert!(at("Documents/GitHub/diskbench/.diskbench/work"));
        assert!(at("Library/CloudStorage/Drive"));
        assert!(!at("diskbench/.diskbench/work") && !at("Documents of mine"));
        let link = home.path().join("link");
        std::os::unix::fs::symlink(home.path().join("Documents/GitHub"), &link).unwrap();
        assert!(is_synchronised(&link, home.path()));
    }

    #[test]
    fn checks_are_called_as_in_the_study_s_config() {
        let names: Vec<String> = Preflight::value_variants()
            .iter()
            .map(|preflight| preflight.to_possible_value().unwrap().get_name().to_owned())
            .collect();
        assert_eq!(names, ["battery", "low-power", "thermal", "free-space"]);
    }
}
