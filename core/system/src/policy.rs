//! Scheduling priority: the QoS class of the measuring thread and the I/O policy of the process.
//!
//! Numbers, as the system has them; callers give them names.

/// What macOS answers. Other systems have none of this.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policies {
    /// Quality of service of the thread that asks (`sys/qos.h`).
    pub qos_class: Option<u32>,
    /// Policies of disk I/O that hold for the thread that asks (`IOPOL_*` in `sys/resource.h`): that of the process, and
    /// that of the thread. The slower one decides.
    pub io: [Option<i32>; 2],
    /// Whether the whole process counts as background work (`PRIO_DARWIN_BG`), whatever the others say.
    pub background: Option<bool>,
}

/// Asks for hurry: class USER_INITIATED for this thread, policy IMPORTANT for the disk I/O of this process. A program
/// that a job in the background has started would otherwise be slowed down like that job. What was refused shows in
/// [`reached`].
#[cfg(target_os = "macos")]
pub fn ask_for_hurry() {
    // SAFETY: takes two numbers; a refusal changes nothing.
    unsafe {
        libc::pthread_set_qos_class_self_np(libc::qos_class_t::QOS_CLASS_USER_INITIATED, 0);
    }
    // Of the process, never of the thread: that would take the thread's class away again.
    // SAFETY: takes three numbers; a refusal changes nothing.
    unsafe { system::setiopolicy_np(system::TYPE_DISK, system::SCOPE_PROCESS, system::IMPORTANT) };
}

/// There is nothing to ask for.
#[cfg(not(target_os = "macos"))]
pub const fn ask_for_hurry() {}

/// What holds now.
#[cfg(target_os = "macos")]
pub fn reached() -> Policies {
    let io = |scope| {
        // SAFETY: takes two numbers.
        let policy = unsafe { system::getiopolicy_np(system::TYPE_DISK, scope) };
        (policy >= 0).then_some(policy)
    };
    // SAFETY: takes nothing, cannot fail.
    let class = unsafe { system::qos_class_self() };
    // SAFETY: takes two numbers; 0 is this process. An error is -1, and so is no answer to this question.
    let background = unsafe { libc::getpriority(libc::PRIO_DARWIN_PROCESS, 0) };
    Policies {
        qos_class: Some(class),
        io: [io(system::SCOPE_PROCESS), io(system::SCOPE_THREAD)],
        background: (background >= 0).then_some(background == 1),
    }
}

/// Nothing of the kind holds.
#[cfg(not(target_os = "macos"))]
pub const fn reached() -> Policies {
    Policies { qos_class: None, io: [None; 2], background: None }
}

/// What the crate libc lacks of libSystem, from `sys/resource.h` and `pthread/qos.h` of macOS.
#[cfg(target_os = "macos")]
mod system {
    pub(crate) const TYPE_DISK: libc::c_int = 0;
    pub(crate) const SCOPE_PROCESS: libc::c_int = 0;
    pub(crate) const SCOPE_THREAD: libc::c_int = 1;
    pub(crate) const IMPORTANT: libc::c_int = 1;
    unsafe extern "C" {
        pub(crate) fn setiopolicy_np(
            kind: libc::c_int,
            scope: libc::c_int,
            policy: libc::c_int,
        ) -> libc::c_int;
        pub(crate) fn getiopolicy_np(kind: libc::c_int, scope: libc::c_int) -> libc::c_int;
        /// As a number: libc's enum would have to know every class there will be.
        pub(crate) fn qos_class_self() -> libc::c_uint;
    }
}
