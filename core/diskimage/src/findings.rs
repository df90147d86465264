//! A list of damage that stays short, however damaged an image is.

use crate::disk::Damage;
use crate::error::{ImageError, Kind, Result, damaged};

/// What to do about something that cannot be: to give up, or to note it and go on.
pub(crate) type OnDamage<'a> = dyn FnMut(String) -> Result<()> + 'a;

/// Gives up at the first damage.
///
/// # Errors
/// `Damaged`, always.
pub(crate) fn strict(what: String) -> Result<()> {
    Err(damaged(what))
}

/// Handles damage errors; returns any other.
///
/// # Errors
/// Any other, and that of `on_damage`.
pub(crate) fn tolerated(error: ImageError, on_damage: &mut OnDamage<'_>) -> Result<()> {
    if error.kind() == Kind::Damaged { on_damage(error.to_string()) } else { Err(error) }
}

/// What was found; nothing where that is damaged.
///
/// # Errors
/// All but `Damaged`.
pub(crate) fn unless_damaged<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if error.kind() == Kind::Damaged => Ok(None),
        found => found.map(Some),
    }
}

/// So many lines say enough: what comes after is only counted.
const MOST: usize = 100;

/// The findings so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    lines: Vec<Damage>,
    more: u64,
}

impl Findings {
    /// Adds one line.
    pub(crate) fn add(&mut self, line: impl Into<String>) {
        if self.lines.len() < MOST {
            self.lines.push(Damage(line.into()));
        } else {
            self.more += 1;
        }
    }

    /// Records damage, and continues.
    pub(crate) fn on_damage(&mut self) -> impl FnMut(String) -> Result<()> + '_ {
        |what| {
            self.add(what);
            Ok(())
        }
    }

    /// Whether nothing was found.
    pub(crate) const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// All lines, and the number of omitted ones.
    pub(crate) fn into_lines(mut self) -> Vec<Damage> {
        if self.more > 0 {
            self.lines.push(Damage(format!("and {} more of this kind", self.more)));
        }
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::Findings;

    #[test]
    fn a_long_list_ends_with_how_much_was_left_out() {
        let mut findings = Findings::default();
        for n in 0..103 {
            findings.add(format!("{n}"));
        }
        let lines = findings.into_lines();
        assert_eq!((lines.len(), lines[0].0.as_str()), (101, "0"));
        assert_eq!(lines[100].0, "and 3 more of this kind");
    }
}
