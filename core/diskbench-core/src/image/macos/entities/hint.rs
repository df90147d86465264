//! What the tools say is on a device: by a type's GUID or by its name.

/// What is on a device, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// A partition table, or the small partition that every Mac's table has for itself.
    Table,
    /// The slice that an APFS container is stored in.
    ApfsStore,
    /// A disk that is made of such slices.
    Container,
    /// A volume in a container.
    ApfsVolume,
    /// A volume with HFS+.
    Hfs,
    /// A partition for `ExFAT` or MS-DOS file systems.
    BasicData,
    /// Anything else, or nothing.
    Other,
}

/// GUIDs of GPT and APFS (`hdiutil attach -plist`), names (`diskutil image attach --plist`, and mapped hints of hdiutil),
/// as in the captured outputs in `fixtures`.
const KNOWN: [(&str, Hint); 20] = [
    ("guid_partition_scheme", Hint::Table),
    ("apple_partition_scheme", Hint::Table),
    ("fdisk_partition_scheme", Hint::Table),
    ("c12a7328-f81f-11d2-ba4b-00a0c93ec93b", Hint::Table),
    ("efi", Hint::Table),
    ("apple_partition_map", Hint::Table),
    ("apple_free", Hint::Table),
    ("7c3457ef-0000-11aa-aa11-00306543ecac", Hint::ApfsStore),
    ("apple_apfs", Hint::ApfsStore),
    ("ef57347c-0000-11aa-aa11-00306543ecac", Hint::Container),
    ("apple_apfs_container", Hint::Container),
    ("41504653-0000-11aa-aa11-00306543ecac", Hint::ApfsVolume),
    ("apple_apfs_volume", Hint::ApfsVolume),
    ("48465300-0000-11aa-aa11-00306543ecac", Hint::Hfs),
    ("apple_hfs", Hint::Hfs),
    ("apple_hfsx", Hint::Hfs),
    ("ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", Hint::BasicData),
    ("microsoft basic data", Hint::BasicData),
    ("windows_ntfs", Hint::BasicData),
    ("dos_fat_32", Hint::BasicData),
];

impl Hint {
    /// What this text means.
    pub(super) fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        KNOWN.iter().find(|(known, _)| *known == text).map_or(Self::Other, |(_, hint)| *hint)
    }

    /// Whether nothing can be mounted from it, whatever else is said of it.
    pub(super) const fn is_never_a_volume(self) -> bool {
        matches!(self, Self::Table | Self::ApfsStore | Self::Container)
    }

    /// Whether it is a volume.
    pub(super) const fn is_volume(self) -> bool {
        matches!(self, Self::ApfsVolume | Self::Hfs | Self::BasicData)
    }

    /// The file system that it implies.
    pub(super) const fn file_system(self) -> Option<&'static str> {
        match self {
            Self::ApfsVolume => Some("apfs"),
            Self::Hfs => Some("hfs"),
            _ => None,
        }
    }
}
