//! The only place that prints: messages on stderr, data on stdout, neither of which may panic.

use std::io::{self, Write};

use crate::error::{Error, Result, one_line, plain};
use crate::exit_code::ExitCode;

/// Prints `diskbench: <line>` on stderr, made safe for a terminal: paths and foreign records may contain control
/// sequences. A closed stderr is not an error.
pub(crate) fn say(line: &str) {
    raw_stderr(&format!("diskbench: {}\n", one_line(line)));
}

/// Prints the one line of an error on stderr, and returns its exit code.
pub fn report(error: &Error) -> ExitCode {
    say(&error.line());
    error.exit()
}

/// Prints exactly this text on stderr.
pub(crate) fn raw_stderr(text: &str) {
    // Nothing can be reported without stderr.
    drop(io::stderr().lock().write_all(text.as_bytes()));
}

/// Prints the text on stdout, with a line feed at its end.
///
/// # Errors
/// When stdout cannot be written, except if its reader has ended (`| head`).
pub(crate) fn out(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') { Ok(()) } else { stdout.write_all(b"\n") })
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(of_stdout(&error)),
        _ => Ok(()),
    }
}

/// The error of stdout that cannot be written.
pub(crate) fn of_stdout(error: &io::Error) -> Error {
    let (exit, advice) = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            (ExitCode::NoSpace, "free some space where it leads, then run again")
        }
        io::ErrorKind::BrokenPipe => (ExitCode::BadFolder, "the program that reads it has ended"),
        _ => (ExitCode::Unexpected, "check where it leads"),
    };
    Error::new(exit, format!("cannot write to stdout: {}; {advice}", plain(error)))
}
