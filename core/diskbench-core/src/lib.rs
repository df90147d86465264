//! The core of diskbench: measures one cell of the study, and leaves one record behind.
//!
//! Read it in this order: [`cell`] says what is asked for, [`protocol`] drives an [`image`] through its steps,
//! [`workload`] says which files with what content, [`transfer`] moves their bytes while a clock runs, and
//! [`record`] is what comes out. [`run`] puts them together; [`plan`], [`verify`], [`ceiling`] and [`sweep`] are the
//! other commands, and [`diskimage`] is behind `image`. The crate [`system`] is the only one that calls into it by itself.
//!
//! Units: sizes are bytes, times nanoseconds, rates bytes per second; all are integers. Gigabytes in messages are
//! decimal. Errors: every function that can fail gives an [`error::Error`], one line that says what to do next, with
//! the [`exit_code::ExitCode`] that belongs to it.

#![forbid(unsafe_code)]

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("diskbench measures on macOS and Linux only");

pub mod ceiling;
pub mod cell;
pub mod cli;
pub mod clock;
pub mod commands;
pub mod conditions;
pub mod error;
pub mod exit_code;
pub mod host;
pub mod image;
pub mod interrupt;
pub mod json;
pub mod lock;
pub mod meter;
pub mod noise;
mod panics;
pub mod passphrase;
pub mod plan;
pub mod preflight;
pub mod program;
pub mod progress;
pub mod protocol;
pub mod record;
pub mod resolve;
pub mod run;
pub mod schema;
pub mod serving;
pub mod space;
pub mod sweep;
pub mod terminal;
#[cfg(test)]
mod testing;
pub mod time;
pub mod transfer;
pub mod units;
pub mod verify;
pub mod workload;

use std::ffi::OsString;

/// Parses the command line, resolves it, and does what it says.
///
/// # Errors
/// One line and an exit code; see [`exit_code::ExitCode`].
pub fn main_with(
    arguments: impl IntoIterator<Item = OsString>,
) -> error::Result<exit_code::ExitCode> {
    panics::report_in_one_line();
    panics::caught(|| match cli::parse(arguments)? {
        cli::Parsed::Text(text) => terminal::out(&text).map(|()| exit_code::ExitCode::Done),
        cli::Parsed::Command(command) => commands::perform(resolve::resolve(command)?),
    })
}
