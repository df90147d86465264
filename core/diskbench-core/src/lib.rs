//! The core of diskbench: measures one cell of the study, and leaves one record behind.
//!
//! Read it in this order: [`cell`] is the request, [`protocol`] drives an [`image`] through its steps, [`workload`]
//! decides the files and their content, `transfer` reads and writes them while a clock runs, and [`record`] is the
//! result. `run` combines them; `plan`, [`verify`], `ceiling`, `sweep` and `schema` are the other commands, and
//! [`diskimage`] is behind `image`. What the standard library lacks of the operating system is in the crate [`system`].
//!
//! Units: sizes are bytes, times nanoseconds, rates bytes per second; all are integers. Gigabytes in messages are
//! decimal. Errors: a command that fails gives an `error::Error`, one line that says what to do next, with the
//! `exit_code::ExitCode` that belongs to it.

#![forbid(unsafe_code)]
#![deny(unreachable_pub)] // so that the compiler names what nothing uses

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("diskbench measures on macOS and Linux only");

mod ceiling;
pub mod cell;
mod cli;
mod clock;
mod commands;
mod conditions;
mod error;
mod exit_code;
mod host;
pub mod image;
mod interrupt;
mod json;
mod lock;
mod meter;
mod noise;
mod panics;
mod passphrase;
mod plan;
mod preflight;
pub mod program;
mod progress;
pub mod protocol;
pub mod record;
mod run;
mod schema;
mod serving;
mod space;
mod sweep;
pub mod terminal;
#[cfg(test)]
mod testing;
mod time;
mod transfer;
mod units;
pub mod verify;
mod warning;
pub mod workload;

use std::ffi::OsString;

/// Parses the command line and runs the command.
///
/// # Errors
/// One line and an exit code; see [`exit_code::ExitCode`].
pub fn main_with(
    arguments: impl IntoIterator<Item = OsString>,
) -> error::Result<exit_code::ExitCode> {
    panics::report_in_one_line();
    panics::caught(|| match cli::parse(arguments)? {
        cli::Parsed::Text(text) => terminal::out(&text).map(|()| exit_code::ExitCode::Done),
        cli::Parsed::Command(command) => commands::perform(command),
    })
}
