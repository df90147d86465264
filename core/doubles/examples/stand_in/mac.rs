//! The Macs that can be imitated. The keys are those of real Macs; values of other models are synthetic and
//! similar.

/// A kind of Mac.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mac {
    /// Name for `--mac`.
    pub slug: &'static str,
    /// `hw.model`.
    pub model: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// `machdep.cpu.brand_string`.
    pub chip: &'static str,
    /// Cores by level, the fastest first.
    pub cores: &'static [(&'static str, u32)],
    /// Gibibytes of memory.
    pub memory_gib: u64,
    /// Whether it is a virtual machine.
    pub guest: bool,
    /// The disk in it.
    pub disk: Disk,
}

/// A physical disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// `MediaName`.
    pub model: &'static str,
    /// `BusProtocol`.
    pub bus: &'static str,
    /// Size in bytes.
    pub bytes: u64,
    /// Whether it is built in.
    pub internal: bool,
}

/// All of them; the first is played when nothing else is said.
pub const MACS: [Mac; 2] = [
    Mac {
        slug: "mac-mini-m4-pro",
        model: "Mac16,11",
        name: "Mac mini",
        chip: "Apple M4 Pro",
        cores: &[("Performance", 10), ("Efficiency", 4)],
        memory_gib: 48,
        guest: false,
        disk: Disk {
            model: "APPLE SSD AP1024Z",
            bus: "Apple Fabric",
            bytes: 1_000_555_581_440,
            internal: true,
        },
    },
    Mac {
        slug: "guest",
        model: "VirtualMac2,1",
        name: "Apple Virtual Machine 1",
        chip: "Apple M4 Pro (Virtual)",
        cores: &[("Performance", 5)],
        memory_gib: 16,
        guest: true,
        disk: Disk {
            model: "Apple Inc. VirtIO Block Media",
            bus: "PCI-Express",
            bytes: 100_000_000_000,
            internal: true,
        },
    },
];

/// The Mac of this name.
pub fn of(slug: &str) -> Option<Mac> {
    MACS.into_iter().find(|mac| mac.slug == slug)
}
