//! What only the system can do, behind safe functions: the one module with `unsafe`.
//!
//! Everything here is a call into libc (on macOS: libSystem); no framework is linked.

#![expect(unsafe_code, reason = "system calls that the standard library does not offer")]

pub mod allocation;
pub mod cache;
pub mod calls;
pub mod clock;
pub mod descriptor;
pub mod echo;
pub mod facts;
pub mod flush;
pub mod open;
pub mod policy;
pub mod process;
#[cfg(target_os = "macos")]
pub mod processes;
pub mod punch;
pub mod rename;
pub mod signals;
