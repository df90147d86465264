//! What goes wrong, and where.

use std::fmt;

use super::kind::Kind;
use super::tiny::Tiny;

/// What the call meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// This error.
    Fail(i32),
    /// Half of the bytes are moved.
    Short,
    /// So many milliseconds pass first.
    Slow(u32),
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fail(number) => write!(formatter, "fail:{number}"),
            Self::Short => formatter.write_str("short"),
            Self::Slow(ms) => write!(formatter, "slow:{ms}"),
        }
    }
}

/// The calls from `first` to `last` of a kind meet something while a phase is measured.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub tiny: Tiny,
    pub phase: &'static str,
    pub kind: Kind,
    pub first: u64,
    pub last: u64,
    pub action: Action,
}

impl Case {
    pub const fn of_one(
        tiny: Tiny,
        phase: &'static str,
        kind: Kind,
        number: u64,
        action: Action,
    ) -> Self {
        Self { tiny, phase, kind, first: number, last: number, action }
    }

    /// As the example `faults` takes it.
    pub fn fault(&self) -> String {
        format!("{} {}-{} {}", self.kind.name(), self.first, self.last, self.action)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}: {}", self.tiny.name(), self.phase, self.fault())
    }
}

/// What each call of a kind meets, one after the other.
const fn actions(kind: Kind) -> &'static [Action] {
    match kind {
        Kind::Pwrite => &[Action::Fail(libc::ENOSPC), Action::Short],
        Kind::Pread => &[Action::Fail(libc::EIO), Action::Short],
        Kind::Mkdir | Kind::Truncate => &[Action::Fail(libc::ENOSPC)],
        Kind::Fcntl => &[Action::Fail(libc::ENOLCK)],
        _ => &[Action::Fail(libc::EIO)],
    }
}

/// Of the calls that only look, which are the most, every so many-th one.
const LOOKS: usize = 5;

/// Everything that can go wrong with these calls of a phase: each meets every action of its kind; all of a kind are
/// slow; from the middle on nothing of a kind works any more.
pub fn all(tiny: Tiny, phase: &'static str, calls: &[Kind]) -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in Kind::ALL {
        let seen = calls.iter().filter(|call| **call == kind).count() as u64;
        if seen == 0 {
            continue;
        }
        let stride = if matches!(kind, Kind::Stat | Kind::List) { LOOKS } else { 1 };
        for action in actions(kind) {
            let numbers = (1..=seen).step_by(stride);
            cases.extend(numbers.map(|number| Case::of_one(tiny, phase, kind, number, *action)));
        }
        cases.push(Case { last: seen, ..Case::of_one(tiny, phase, kind, 1, Action::Slow(3)) });
        let half = Case::of_one(tiny, phase, kind, seen.div_ceil(2), actions(kind)[0]);
        cases.push(Case { last: u64::MAX, ..half });
    }
    cases
}
