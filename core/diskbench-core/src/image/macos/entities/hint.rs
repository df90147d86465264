//! What the tools say is on a device: by a type's GUID or by its name.

/// What is on a device, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// Nothing that can be mounted: a partition table, the small partition that every Mac's table has for itself, or
    /// the slice that an APFS container is stored in.
    Never,
    /// A disk that is made of such slices.
    Container,
    /// A volume in a container.
    ApfsVolume,
    /// Another volume: HFS+, `ExFAT`, MS-DOS.
    Volume,
    /// Anything else, or nothing.
    Other,
}

/// GUIDs of GPT and APFS (`hdiutil attach -plist`), names (`diskutil image attach --plist`, and mapped hints of
/// hdiutil), as in the captured outputs in `fixtures`.
const KNOWN: [(&str, Hint); 20] = [
    ("guid_partition_scheme", Hint::Never),
    ("apple_partition_scheme", Hint::Never),
    ("fdisk_partition_scheme", Hint::Never),
    ("c12a7328-f81f-11d2-ba4b-00a0c93ec93b", Hint::Never),
    ("efi", Hint::Never),
    ("apple_partition_map", Hint::Never),
    ("apple_free", Hint::Never),
    ("7c3457ef-0000-11aa-aa11-00306543ecac", Hint::Never),
    ("apple_apfs", Hint::Never),
    ("ef57347c-0000-11aa-aa11-00306543ecac", Hint::Container),
    ("apple_apfs_container", Hint::Container),
    ("41504653-0000-11aa-aa11-00306543ecac", Hint::ApfsVolume),
    ("apple_apfs_volume", Hint::ApfsVolume),
    ("48465300-0000-11aa-aa11-00306543ecac", Hint::Volume),
    ("apple_hfs", Hint::Volume),
    ("apple_hfsx", Hint::Volume),
    ("ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", Hint::Volume),
    ("microsoft basic data", Hint::Volume),
    ("windows_ntfs", Hint::Volume),
    ("dos_fat_32", Hint::Volume),
];

impl Hint {
    /// What this text means.
    pub(super) fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        KNOWN.iter().find(|(known, _)| *known == text).map_or(Self::Other, |(_, hint)| *hint)
    }

    /// Whether it can never be mounted.
    pub(super) const fn is_never_a_volume(self) -> bool {
        matches!(self, Self::Never | Self::Container)
    }

    /// Whether it is a volume.
    pub(super) const fn is_volume(self) -> bool {
        matches!(self, Self::ApfsVolume | Self::Volume)
    }
}
