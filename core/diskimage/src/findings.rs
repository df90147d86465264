//! A list of damage that stays short, however damaged an image is.

use crate::disk::Damage;

/// So many lines say enough: what comes after is only counted.
const MOST: usize = 100;

/// What was found so far.
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

    /// The first line, if there is any.
    pub(crate) fn first(&self) -> Option<&str> {
        self.lines.first().map(|line| line.0.as_str())
    }

    /// All lines, and how many were left out.
    pub(crate) fn into_lines(mut self) -> Vec<Damage> {
        if self.more > 0 {
            self.lines.push(Damage(format!("and {} more of the kind", self.more)));
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
        assert_eq!(findings.first(), Some("0"));
        let lines = findings.into_lines();
        assert_eq!(lines.len(), 101);
        assert_eq!(lines[100].0, "and 3 more of the kind");
    }
}
