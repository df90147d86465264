//! Which files are written, in which order, with what content, and which of them are there.

pub mod content;
pub(crate) mod ledger;
pub mod order;
pub(crate) mod supply;

/// One file of the workload. Everything about it follows from the cell: nothing needs to be remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSpec {
    /// Round of writing, from 1: one for each `write` step of the protocol.
    pub round: u32,
    /// Set within the round, from 1.
    pub set: u32,
    /// Place in the order of writing within the round, from 1.
    pub order: u32,
    /// Size in bytes.
    pub size_bytes: u64,
}

impl FileSpec {
    /// A number that no other file of the image has: the round in the upper half, the order in the lower.
    pub const fn id(&self) -> u64 {
        ((self.round as u64) << 32) | self.order as u64
    }

    /// The file's name, such as `r01-s03-0042.bin`.
    pub fn name(&self) -> String {
        format!("r{:02}-s{:02}-{:04}.bin", self.round, self.set, self.order)
    }

    /// Whether a name has the form that [`FileSpec::name`] gives: nothing else is ever deleted.
    pub(crate) fn is_name(name: &str) -> bool {
        let number = |text: Option<&str>, prefix: &str, digits: usize| {
            text.and_then(|text| text.strip_prefix(prefix)).is_some_and(|rest| {
                rest.len() >= digits && rest.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let Some(stem) = name.strip_suffix(".bin") else { return false };
        let mut parts = stem.split('-');
        number(parts.next(), "r", 2)
            && number(parts.next(), "s", 2)
            && number(parts.next(), "", 4)
            && parts.next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::FileSpec;

    #[test]
    fn every_file_of_an_image_has_an_id_of_its_own() {
        let file = FileSpec { round: 1, set: 1, order: 1, size_bytes: 1 };
        assert_eq!(file.id(), (1 << 32) | 1);
        assert_eq!(FileSpec { order: 2, ..file }.id(), (1 << 32) | 2);
        assert_eq!(FileSpec { round: 2, ..file }.id(), (2 << 32) | 1);
    }

    #[test]
    fn a_name_is_recognised_and_a_look_alike_is_not() {
        let file = FileSpec { round: 1, set: 3, order: 42, size_bytes: 1 };
        assert_eq!(file.name(), "r01-s03-0042.bin");
        assert!(FileSpec::is_name(&file.name()));
        assert!(FileSpec::is_name(
            &FileSpec { round: 100, set: 1000, order: 12345, ..file }.name()
        ));
        for other in
            ["r01-s03-0042.txt", "r01-s03.bin", "r1-s03-0042.bin", "r01-s03-0042-1.bin", "x.bin"]
        {
            assert!(!FileSpec::is_name(other), "{other}");
        }
    }
}
