//! What the standard library does not offer of the operating system, behind safe functions: the one library with `unsafe`.
//!
//! Everything here is a call into libc (on macOS: libSystem); no framework is linked.

#![deny(unreachable_pub)] // so that the compiler names what nothing uses
#![expect(unsafe_code, reason = "system calls that the standard library does not offer")]

pub mod aligned;
pub mod allocation;
pub mod cache;
pub mod calls;
pub mod clock;
pub mod descriptor;
pub mod echo;
pub mod facts;
pub mod file;
pub mod flush;
pub mod lock;
pub mod medium;
pub mod memory;
pub mod open;
pub mod policy;
pub mod process;
pub mod processes;
pub mod punch;
pub mod rename;
pub mod signals;
pub mod sparse;
