//! The exit codes: one table for the core and the workflow around it.

/// How a call of `diskbench` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything that was asked for is done; a skipped cell counts as done.
    Done = 0,
    /// Internal error.
    Unexpected = 1,
    /// The command line, a configuration or a cell's description is wrong.
    BadInput = 2,
    /// There is not enough free space.
    NoSpace = 3,
    /// A folder cannot be used: it is missing, read-only, or holds something already where something new is to go.
    BadFolder = 4,
    /// Another study is measuring on this machine, or another process uses the image.
    Busy = 5,
    /// At least one record, or the image, is damaged.
    Damaged = 6,
    /// A cell failed; its record says why.
    CellFailed = 7,
    /// The protocol continues after a restart of this machine.
    RestartNeeded = 8,
    /// The machine is in no state to measure, and the study is told to refuse that.
    NotQuiet = 9,
    /// Interrupted by a signal (128 + SIGINT, as shells count).
    Interrupted = 130,
}

impl ExitCode {
    /// All codes, in the order of their numbers.
    pub(crate) const ALL: [Self; 11] = [
        Self::Done,
        Self::Unexpected,
        Self::BadInput,
        Self::NoSpace,
        Self::BadFolder,
        Self::Busy,
        Self::Damaged,
        Self::CellFailed,
        Self::RestartNeeded,
        Self::NotQuiet,
        Self::Interrupted,
    ];

    /// The number that the shell sees.
    pub(crate) const fn number(self) -> u8 {
        self as u8
    }

    /// What the code means, in a few words, as printed by `--help`.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unexpected => "unexpected error",
            Self::BadInput => "bad input (command line, config, cell file, passphrase)",
            Self::NoSpace => "not enough free space",
            Self::BadFolder => {
                "folder, disk or network cannot be used (missing, read-only, already exists)"
            }
            Self::Busy => "another study is measuring on this machine, or the image is in use",
            Self::Damaged => "damaged record(s) or image, or two images differ",
            Self::CellFailed => "a cell failed (its record says why)",
            Self::RestartNeeded => "restart this machine, then run the same command again",
            Self::NotQuiet => "machine not fit to measure (battery, heat, ...)",
            Self::Interrupted => "interrupted",
        }
    }

    /// The table of all codes for `--help`.
    pub(crate) fn table() -> String {
        let mut text = String::from("Exit codes:");
        for code in Self::ALL {
            text.push_str(&format!("\n  {:>3}  {}", code.number(), code.meaning()));
        }
        text
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

#[cfg(test)]
mod tests {
    use super::ExitCode;

    #[test]
    fn the_numbers_are_those_of_the_documented_table() {
        let numbers: Vec<u8> = ExitCode::ALL.iter().map(|code| code.number()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130]);
    }

    #[test]
    fn the_help_names_every_code_with_its_meaning() {
        let table = ExitCode::table();
        for code in ExitCode::ALL {
            assert!(
                table.contains(&format!("{:>3}  {}", code.number(), code.meaning())),
                "{table}"
            );
        }
    }
}
