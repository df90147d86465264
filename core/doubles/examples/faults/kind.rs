//! Kinds of calls; the test `faults` has them from here, too.

/// What belongs together: calls that do the same to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Open,
    Pwrite,
    Pread,
    Fsync,
    Rename,
    Link,
    Unlink,
    Mkdir,
    Fcntl,
    Truncate,
    Stat,
    List,
}

impl Kind {
    pub const ALL: [Self; 12] = [
        Self::Open,
        Self::Pwrite,
        Self::Pread,
        Self::Fsync,
        Self::Rename,
        Self::Link,
        Self::Unlink,
        Self::Mkdir,
        Self::Fcntl,
        Self::Truncate,
        Self::Stat,
        Self::List,
    ];

    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}
